import Basics
import Horology
import Sound
import TestSupport
import Testing

@testable import Playing
@testable import Service

/// Tracks on a converter whose true clock is known. Its rate is low, so a test of a noon takes 1 s. A
/// frame is a fifth of the error that a blow may have.
@Suite struct TrackTests {
  private static let rate = 16_000
  private let folder = TemporaryFolder()
  private let loop = VirtualLoop()
  private let sink: SimulatedSink

  init() {
    sink = SimulatedSink(loop, rate: Self.rate)
  }

  /// The offsets in seconds of twelve blows, as the Great Clock spaces them. `noon`
  /// puts the first one 2 s into the score.
  private static let blows = [
    0, 4.39, 8.64, 12.81, 16.87, 20.92, 25.03, 29.13, 33.20, 37.20, 41.34, 45.49,
  ]

  /// - Parameter anchor: in seconds.
  private func score(
    _ offsets: some Sequence<Double>, frames: Int = 99, anchor: Int = 0, areTimed: Bool = true
  ) throws -> Score {
    let path = try folder.write(
      "blow.wav", rate: Self.rate, samples: [Float](repeating: 0.5, count: frames))
    let parts = offsets.map {
      Score.Part(
        StoredSound(path), start: Int($0 * Double(Self.rate)), frames: frames,
        isTimed: areTimed || $0 == 0)
    }
    return Score(rate: Self.rate, parts: parts, anchor: anchor * Self.rate)
  }

  private func noon(blows count: Int = Self.blows.count) throws -> Score {
    try score(Self.blows.prefix(count).map { 2 + $0 }, anchor: 2)
  }

  /// Plays a score whose anchor is 5 s after the start.
  /// - Parameter step: by how much the clock is set after 2 s.
  private func perform(
    _ score: Score, mayBeLate: Bool = true, clockSet step: Duration = .zero
  ) throws -> Track {
    let stream = try Stream(sink)
    let start = loop.uptime
    let track = Track(
      SoundingID(1), score, anchor: .utc(Instant(seconds: 1_000_005)), latencyOffset: .zero,
      mayBeLateBy: mayBeLate ? nil : Announcer.latestBlow, memory: stream.mixer.memoryOfTracks)
    stream.mixer.add(track)
    while track.tooLateBy == nil {
      let span = loop.uptime - start
      let now = Now(
        instant: Instant(seconds: 1_000_000) + span + (span < .seconds(2) ? .zero : step),
        uptime: loop.uptime, sinceBoot: span)
      try stream.feed(now)
      let played = stream.lastPosition?.frame ?? 0
      track.measure(stream.clock, played: played)
      if let end = track.end, played > Double(end + Self.rate / 2) { break }
      // A loop is never quite on time.
      loop.advance(by: sink.feedInterval + .microseconds(stream.written % 7 * 300))
    }
    return track
  }

  /// The anchor's time.
  private let due = Uptime(seconds: 505)

  /// It takes and tells nothing for a while.
  private func stopSink(after: Duration, for lasting: Duration) {
    sink.gap = (after, lasting)
    sink.tells = { !(after..<after + lasting).contains($0) }
  }

  @Test(
    "every blow of a noon is on its second, however far off the converter is", .rule("no-drift"),
    arguments: [-500.0, 0, 500])
  func everyBlowIsOnItsSecond(partsPerMillion: Double) throws {
    sink.pace = 1 + partsPerMillion / 1e6
    sink.jitter = .milliseconds(1)
    let track = try perform(try noon())
    #expect(sink.onsets.count == 12)
    for (onset, blow) in zip(sink.onsets, Self.blows) {
      let error = onset - (due + .seconds(blow))
      #expect(error.magnitude < .microseconds(300), "blow at \(blow) s: \(error)")
    }
    #expect(
      try #require(track.timing(underruns: 0).worstError).magnitude < .microseconds(300))
  }

  @Test(
    "a converter that tells its position in steps of 10 ms is met within a millisecond",
    .rule("no-drift"))
  func coarseConverter() throws {
    sink.pace = 1.0001
    sink.step = .milliseconds(10)
    _ = try perform(try noon())
    // On average, such a converter shows its position of half a step ago.
    let errors = zip(sink.onsets, Self.blows).map { $0 - (due + .seconds($1)) + .milliseconds(5) }
    #expect(errors.count == 12)
    #expect(errors.allSatisfy { $0.magnitude < .milliseconds(1) }, "\(errors)")
  }

  @Test("a speaker that runs dry while it waits does not move the anchor", arguments: [2, 40, 200])
  func ranDryBefore(milliseconds: Int) throws {
    sink.jitter = .microseconds(100)
    stopSink(after: .seconds(4), for: .milliseconds(milliseconds))
    let track = try perform(try noon(blows: 1))
    let error = try #require(sink.onsets.first) - due
    #expect(error.magnitude < .microseconds(300), "\(error)")
    let told = try #require(track.timing(underruns: 1).onsetError)
    #expect((told - error).magnitude < .microseconds(300), "told \(told), in truth \(error)")
  }

  @Test("words on a speaker that is ready too late are heard one after the other, and told as late")
  func wordsThatAreLate() throws {
    stopSink(after: .zero, for: .seconds(7))
    let track = try perform(try score([0, 0.5, 1], frames: 1600, areTimed: false))
    let onsets = sink.onsets
    try #require(onsets.count == 3)
    for (one, next) in zip(onsets, onsets.dropFirst()) {
      #expect((next - one - .milliseconds(500)).magnitude < .milliseconds(1))
    }
    let late = onsets[0] - due
    #expect(late > .seconds(2))
    let told = try #require(track.timing(underruns: 1).onsetError)
    #expect((told - late).magnitude < .milliseconds(1), "told \(told), in truth \(late)")
  }

  @Test(
    "a chime on a speaker that is ready too late fails before its first blow", .rule("late-chime"))
  func chimeThatIsLate() throws {
    stopSink(after: .zero, for: .seconds(7))
    let delay = try #require(try perform(try noon(), mayBeLate: false).tooLateBy)
    #expect((.seconds(3) ... .seconds(5)).contains(delay), "\(delay)")
    #expect(sink.onsets.isEmpty)
  }

  @Test("a chime follows a clock that is set by little before it is placed", arguments: [-500, 60])
  func clockSetBeforeChime(milliseconds: Int) throws {
    let step = Duration.milliseconds(milliseconds)
    _ = try perform(try noon(blows: 1), mayBeLate: false, clockSet: step)
    let error = try #require(sink.onsets.first) - (due - step)
    #expect(error.magnitude < .microseconds(300), "\(error)")
  }

  @Test("an onset that was not measured is not told") func notMeasured() throws {
    // Its blow comes two seconds after the anchor.
    let timing = try perform(try score([2])).timing(underruns: 0)
    #expect(timing.onsetError == nil)
    #expect(try #require(timing.worstError).magnitude < .microseconds(300))
    #expect(timing.inWords.hasPrefix("onset not measured, at worst"))
  }
}
