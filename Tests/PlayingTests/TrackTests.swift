import Basics
import Devices
import Foundation
import Horology
import Sound
import Studio
import TestSupport
import Testing

@testable import Playing
@testable import Service

/// Tracks in simulated time, on a converter whose true clock is known. Its rate is low, so a test
/// of a noon takes 1 s. A frame is a fifth of the error that a blow may have.
@Suite struct TrackTests {
  private static let rate = 16_000
  private let folder = TemporaryFolder()

  /// The offsets in seconds of twelve blows, as the Great Clock spaces them (facts: chimes). `noon`
  /// puts the first one 2 s into the score.
  private static let blows = [
    0, 4.39, 8.64, 12.81, 16.87, 20.92, 25.03, 29.13, 33.20, 37.20, 41.34, 45.49,
  ]

  /// - Parameter count: the number of blows.
  private func noon(blows count: Int = Self.blows.count) throws -> Score {
    let path = try folder.write(
      "blow.wav", rate: Self.rate, samples: [Float](repeating: 0.5, count: 99))
    let parts = Self.blows.prefix(count).map {
      Score.Part(
        StoredSound(path), start: Int((2 + $0) * Double(Self.rate)), frames: 99, isTimed: true)
    }
    return Score(rate: Self.rate, parts: parts, anchor: 2 * Self.rate)
  }

  /// Plays a score on a converter. The anchor is 5 s after the start.
  /// - Parameter clockSet: the steps of the clock: how long after the start, and by how much.
  private func perform(
    _ score: Score, on sink: SimulatedSink, gain: Float = 1, mayBeLate: Bool = true,
    stoppingAt stop: Duration? = nil, clockSet: [(after: Duration, by: Duration)] = []
  ) throws -> Track {
    let stream = try Stream(sink)
    let mixer = stream.mixer
    let start = sink.uptime
    let track = Track(
      SoundingID(1), score, anchor: .utc(Instant(seconds: 1_000_005)), latencyOffset: .zero,
      gain: gain, mayBeLateBy: mayBeLate ? nil : Announcer.latestBlow, memory: mixer.memoryOfTracks)
    mixer.add(track)
    while track.tooLateBy == nil && track.failure == nil {
      let span = sink.uptime - start
      let step = clockSet.reduce(.zero) { span < $1.after ? $0 : $0 + $1.by }
      let now = Now(
        instant: Instant(seconds: 1_000_000) + span + step, uptime: sink.uptime, sinceBoot: span)
      try stream.feed(now)
      let played = stream.lastPosition?.frame ?? 0
      track.measure(stream.clock, played: played)
      if let end = track.end, played > Double(end + Self.rate / 2) { return track }
      if let stop, sink.uptime - start >= stop, track.stopReason == nil {
        mixer.goBack(by: try stream.takeBack().taken)
        mixer.stop([track], .switchOff, fadeFrames: Self.rate / 125)
      }
      // A loop is never quite on time.
      let late = Duration.microseconds(stream.written % 7 * 300)
      sink.uptime = sink.uptime + sink.feedInterval + late
    }
    return track
  }

  @Test(
    "every blow of a noon is on its second, however far off the converter is",
    arguments: [-500.0, -200, 0, 200, 500])
  func everyBlowIsOnItsSecond(deviation: Double) throws {
    let sink = SimulatedSink(deviation: deviation, jitter: .milliseconds(1))
    let track = try perform(try noon(), on: sink)
    let onsets = sink.onsets
    #expect(onsets.count == 12)
    for (onset, blow) in zip(onsets, Self.blows) {
      let error = onset - (Uptime(seconds: 505) + .seconds(blow))
      #expect(error.magnitude < .microseconds(300), "blow at \(blow) s: \(error)")
    }
    #expect(
      try #require(track.timing(underruns: 0).worstError).magnitude < .microseconds(300))
  }

  @Test("a converter that tells its position in steps of 10 ms is met within a millisecond")
  func coarseConverter() throws {
    let sink = SimulatedSink(deviation: 100, jitter: .zero, step: .milliseconds(10))
    _ = try perform(try noon(), on: sink)
    // On average, such a converter shows its position of half a step ago.
    let errors = zip(sink.onsets, Self.blows).map {
      $0 - (Uptime(seconds: 505) + .seconds($1)) - .milliseconds(-5)
    }
    #expect(errors.count == 12)
    #expect(errors.allSatisfy { $0.magnitude < .milliseconds(1) }, "\(errors)")
  }

  @Test(
    "a speaker that runs dry while it waits does not move the anchor",
    arguments: [2, 10, 40, 200])
  func ranDryBefore(milliseconds: Int) throws {
    let sink = SimulatedSink(
      deviation: 100, jitter: .microseconds(100),
      gap: (.seconds(4), .milliseconds(milliseconds)))
    let track = try perform(try noon(blows: 1), on: sink)
    let error = try #require(sink.onsets.first) - Uptime(seconds: 505)
    #expect(error.magnitude < .microseconds(300), "\(error)")
    let told = try #require(track.timing(underruns: 1).onsetError)
    #expect((told - error).magnitude < .microseconds(300), "told \(told), in truth \(error)")
  }

  /// Three words, one every half second.
  private func phrase() throws -> Score {
    let path = try folder.write(
      "word.wav", rate: Self.rate, samples: [Float](repeating: 0.5, count: 1600))
    let parts = (0..<3).map {
      Score.Part(StoredSound(path), start: $0 * Self.rate / 2, frames: 1600, isTimed: $0 == 0)
    }
    return Score(rate: Self.rate, parts: parts, anchor: 0)
  }

  @Test("words on a speaker that is ready too late are heard one after the other, and told as late")
  func wordsThatAreLate() throws {
    let sink = SimulatedSink(deviation: 0, jitter: .zero, gap: (.zero, .seconds(7)))
    let track = try perform(try phrase(), on: sink)
    let onsets = sink.onsets
    try #require(onsets.count == 3)
    #expect((onsets[1] - onsets[0] - .milliseconds(500)).magnitude < .milliseconds(1))
    #expect((onsets[2] - onsets[1] - .milliseconds(500)).magnitude < .milliseconds(1))
    let late = onsets[0] - Uptime(seconds: 505)
    #expect(late > .seconds(2))
    let told = try #require(track.timing(underruns: 1).onsetError)
    #expect((told - late).magnitude < .milliseconds(1), "told \(told), in truth \(late)")
  }

  @Test("a chime on a speaker that is ready too late fails before its first blow")
  func chimeThatIsLate() throws {
    let sink = SimulatedSink(deviation: 0, jitter: .zero, gap: (.zero, .seconds(7)))
    let delay = try #require(try perform(try noon(), on: sink, mayBeLate: false).tooLateBy)
    #expect((.seconds(3) ... .seconds(5)).contains(delay), "\(delay)")
    #expect(sink.onsets.isEmpty)
  }

  @Test(
    "a chime follows a clock that is set by little before it is placed", arguments: [-500, -60, 60])
  func clockSetBeforeChime(milliseconds: Int) throws {
    let sink = SimulatedSink(deviation: 0, jitter: .zero)
    let step = Duration.milliseconds(milliseconds)
    _ = try perform(
      try noon(blows: 1), on: sink, mayBeLate: false, clockSet: [(.seconds(2), step)])
    let error = try #require(sink.onsets.first) - (Uptime(seconds: 505) - step)
    #expect(error.magnitude < .microseconds(300), "\(error)")
  }

  @Test("a stop takes back what was written, and fades in the middle of a blow")
  func stopTakesBack() throws {
    let path = try folder.write(
      "long.wav", rate: Self.rate, samples: [Float](repeating: 0.5, count: 32_000))
    let part = Score.Part(StoredSound(path), start: 0, frames: 32_000, isTimed: true)
    let sink = SimulatedSink(deviation: 0, jitter: .zero)
    _ = try perform(
      Score(rate: Self.rate, parts: [part], anchor: 0), on: sink, stoppingAt: .milliseconds(5_700))
    let heard = sink.heard
    let sounding = heard.indices.filter { heard[$0] != 0 }
    let silentAt = Double(sounding.last!) / Double(Self.rate)
    // 5 ms cannot be taken back, and the fade takes 8 ms.
    #expect((5.700...5.734).contains(silentAt), "silent at \(silentAt)")
    let steps = zip(heard, heard.dropFirst()).map { abs($1 - $0) }
    #expect(steps.filter { $0 > 0.01 }.count == 1, "no click but the clip's own beginning")
  }

  @Test("what was taken back of a long queue is faded from the frame at which it was stopped")
  func stopOfALongQueue() throws {
    let samples = (0..<3 * Self.rate).map { Float(0.5 * sin(Double($0) / 17)) }
    let path = try folder.write("tone.wav", rate: Self.rate, samples: samples)
    let part = Score.Part(StoredSound(path), start: 0, frames: samples.count, isTimed: true)
    let sink = SimulatedSink(deviation: 0, jitter: .zero, holding: .seconds(2))
    _ = try perform(
      Score(rate: Self.rate, parts: [part], anchor: 0), on: sink, stoppingAt: .milliseconds(5_700))
    let steps = zip(sink.heard, sink.heard.dropFirst()).map { abs($1 - $0) }
    // The tone itself moves by 0.03 from frame to frame.
    #expect(steps.max()! < 0.035, "no click")
    #expect(Double(sink.heard.lastIndex { $0 != 0 }!) / Double(Self.rate) < 5.734)
  }

  @Test("an onset that was not measured is not told") func notMeasured() throws {
    // Its blow comes two seconds after the anchor.
    let path = try folder.write(
      "blow.wav", rate: Self.rate, samples: [Float](repeating: 0.5, count: 99))
    let part = Score.Part(StoredSound(path), start: 2 * Self.rate, frames: 99, isTimed: true)
    let track = try perform(
      Score(rate: Self.rate, parts: [part], anchor: 0),
      on: SimulatedSink(deviation: 0, jitter: .zero))
    let timing = track.timing(underruns: 0)
    #expect(timing.onsetError == nil)
    #expect(try #require(timing.worstError).magnitude < .microseconds(300))
    #expect(timing.inWords.hasPrefix("onset not measured, at worst"))
  }

  @Test("what is too loud is held at -1 dBTP on the way to the speaker, on its frame")
  func tooLoud() throws {
    let samples = (0..<Self.rate).map { Float(0.9 * sin(Double($0) / 20)) }
    let path = try folder.write("loud.wav", rate: Self.rate, samples: samples)
    let part = Score.Part(StoredSound(path), start: 0, frames: Self.rate, isTimed: true)
    let sink = SimulatedSink(deviation: 0, jitter: .zero)
    let track = try perform(
      Score(rate: Self.rate, parts: [part], anchor: 0), on: sink, gain: 4,
      stoppingAt: .milliseconds(5_700))
    let peak = try Loudness(of: sink.heard, rate: Self.rate).truePeak
    #expect((-1.3 ... -1).contains(peak), "\(peak) dBTP")
    #expect(
      try #require(track.timing(underruns: 0).onsetError).magnitude < .microseconds(100))
    let sounding = sink.heard.indices.filter { sink.heard[$0] != 0 }
    // The sine's own first sample is 0.
    #expect(abs(sounding.first! - 1 - 5 * Self.rate) <= 2, "\(sounding.first!)")
    #expect((5.700...5.734).contains(Double(sounding.last!) / Double(Self.rate)))
  }
}

/// A converter in simulated time: its rate is off, and its readings jitter.
private final class SimulatedSink: Sink {
  let name = "simulated"
  let feedInterval = Duration.milliseconds(20)
  private static let rate = 16_000
  let capacity: Int
  private static let marginFrames = rate / 200

  var uptime = Uptime(seconds: 500)
  /// All frames that were written and not taken back.
  private(set) var heard: [Float] = []
  private let rate: Double
  private let jitter: Duration
  private let step: Duration?
  private let gap: (after: Duration, lasting: Duration)?
  private var openedAt = Uptime(seconds: 0)
  private var readings = 0

  /// - Parameters:
  ///   - deviation: how fast it runs, in parts per million.
  ///   - jitter: the greatest error of a reading.
  ///   - step: readings are rounded down to a multiple of this.
  ///   - gap: a time in which it takes nothing: how long after the opening it begins, and its
  ///     length.
  ///   - held: the greatest length of its queue.
  init(
    deviation: Double, jitter: Duration, step: Duration? = nil,
    gap: (after: Duration, lasting: Duration)? = nil, holding held: Duration = .milliseconds(200)
  ) {
    capacity = Int(held.inSeconds * Double(Self.rate))
    rate = Double(Self.rate) * (1 + deviation / 1e6)
    self.jitter = jitter
    self.step = step
    self.gap = gap
  }

  func open() throws(Fault) -> Int {
    openedAt = uptime
    return Self.rate
  }

  private var played: Double { (uptime - openedAt - gapUntil(uptime)).inSeconds * rate }

  /// How much of the gap has passed.
  private func gapUntil(_ uptime: Uptime) -> Duration {
    guard let gap else { return .zero }
    return min(max(uptime - openedAt - gap.after, .zero), gap.lasting)
  }

  private var isInGap: Bool {
    guard let gap else { return false }
    return (gap.after..<gap.after + gap.lasting).contains(uptime - openedAt)
  }
  var underruns: Int { !isInGap && gapUntil(uptime) > .zero ? 1 : 0 }

  func space() throws(Fault) -> Int { Int(played) + capacity - heard.count }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) { heard += block }

  func takeBack() -> Int {
    let count = max(heard.count - Int(played) - Self.marginFrames, 0)
    heard.removeLast(count)
    return count
  }

  func position() throws(Fault) -> StreamPosition? {
    if isInGap { return nil }
    readings += 1
    let wave = Double((readings * 7) % 11 - 5) / 5
    var told = played + wave * jitter.inSeconds * rate
    if let step {
      let stepFrames = step.inSeconds * rate
      told = (played / stepFrames).rounded(.down) * stepFrames
    }
    return StreamPosition(uptime: uptime, frame: told)
  }

  func close() {}

  /// When each sound that follows silence left the converter.
  var onsets: [Uptime] {
    let starts = heard.indices.filter { heard[$0] != 0 && ($0 == 0 || heard[$0 - 1] == 0) }
    return starts.map {
      let left = Duration.seconds(Double($0) / rate)
      guard let gap, left > gap.after else { return openedAt + left }
      return openedAt + left + gap.lasting
    }
  }
}
