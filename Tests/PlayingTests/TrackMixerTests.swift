import Horology
import Sound
import TestSupport
import Testing

@testable import Devices
@testable import Playing

/// Several tracks on one stream, in simulated time. The output is checked frame by frame.
@Suite struct TrackMixerTests {
  private static let rate = 48_000
  private let folder = TemporaryFolder()

  /// A converter that plays its queue, and gives back all but 5 ms of it.
  private final class Converter {
    let mixer = TrackMixer(rate: TrackMixerTests.rate, memory: 9_600)
    /// All frames that were written and not taken back.
    private(set) var heard: [Float] = []
    private let start = Now(
      instant: Instant(seconds: 1_000), uptime: Uptime(seconds: 10), sinceBoot: .seconds(50))
    private var clock = StreamClock(rate: TrackMixerTests.rate)

    /// Fills it up to 200 ms ahead of frame `played`.
    func feed(played: Int) {
      let span = Duration.seconds(Double(played) / Double(TrackMixerTests.rate))
      clock.add(StreamPosition(uptime: start.uptime + span, frame: Double(played)))
      while heard.count < played + 9_600 {
        let block = UnsafeMutableBufferPointer<Float>.allocate(
          capacity: min(960, played + 9_600 - heard.count))
        defer { block.deallocate() }
        mixer.render(into: block, clock, start.later(by: span))
        heard += block
      }
    }

    func play(from first: Int = 0, until frame: Int, every step: Int = 480) {
      for played in stride(from: first, through: frame, by: step) { feed(played: played) }
    }

    /// Stops `tracks` when frame `played` leaves the converter.
    func stop(_ tracks: [Track], played: Int) {
      let taken = heard.count - played - 240
      heard.removeLast(taken)
      mixer.goBack(by: taken)
      mixer.stop(tracks, .byHand, fadeFrames: 384)
    }
  }

  /// A track that is anchored at a frame of the stream.
  private func track(
    _ number: Int, _ samples: [Float], at frame: Int, on mixer: TrackMixer, isCue: Bool = false,
    ducking: Ducking = .whole
  ) throws -> Track {
    let path = try folder.write("\(number).wav", rate: Self.rate, samples: samples)
    let part = Score.Part(StoredSound(path), start: 0, frames: samples.count, isTimed: true)
    // By UTC, or for a cue by the time since boot.
    let span = Duration.seconds(Double(frame) / Double(Self.rate))
    let track = Track(
      SoundingID(number), Score(rate: Self.rate, parts: [part], anchor: 0),
      anchor: isCue ? .elapsed(.seconds(50) + span) : .utc(Instant(seconds: 1_000) + span),
      latencyOffset: .zero, ducking: isCue ? ducking : .none, memory: mixer.memoryOfTracks)
    mixer.add(track)
    return track
  }

  private func constant(_ level: Float, frames: Int) -> [Float] {
    [Float](repeating: level, count: frames)
  }

  @Test("what rings on after its words are due turns nothing down any more") func duckingEnds()
    throws
  {
    let converter = Converter()
    _ = try track(1, constant(0.5, frames: 96_000), at: 0, on: converter.mixer)
    // It sounds for two seconds, and turns down for a half.
    _ = try track(
      2, constant(0.125, frames: 96_000), at: 4_800, on: converter.mixer, isCue: true,
      ducking: .until(.milliseconds(500)))
    converter.play(until: 90_000)
    let heard = converter.heard
    #expect(abs(heard[20_000] - 0.125 - 0.5 * 0.251_188_6) < 0.001)
    #expect(abs(heard[28_799] - 0.125 - 0.5 * 0.251_188_6) < 0.001)
    #expect(abs(heard[28_800 + 14_400] - 0.625) < 0.001)
    #expect(steps(Array(heard[6_000..<90_000])) < 0.001)
  }

  private func steps(_ heard: [Float]) -> Float {
    zip(heard, heard.dropFirst()).map { abs($1 - $0) }.max() ?? 0
  }

  @Test(
    "a cue sounds on its frame, and what it sounds over is turned down by 12 dB and comes back",
    .rule("ring-ducks", "cues-duck"))
  func ducking() throws {
    let converter = Converter()
    _ = try track(1, constant(0.5, frames: 96_000), at: 4_800, on: converter.mixer)
    _ = try track(2, constant(0.25, frames: 9_600), at: 48_000, on: converter.mixer, isCue: true)
    converter.play(until: 100_000)
    let heard = converter.heard
    #expect(heard[4_799] == 0 && heard[4_800] == 0.5 && heard[47_999] == 0.5)
    // The cue's own first frame, before anything is turned down.
    #expect(abs(heard[48_000] - 0.75) < 0.001)
    // The other is fully turned down from 20 ms on, until the cue ends.
    for frame in [48_960, 57_599] { #expect(abs(heard[frame] - 0.25 - 0.5 * 0.251) < 0.001) }
    #expect(abs(heard[57_600] - 0.5 * 0.251) < 0.001)
    // Back after 300 ms, without a step.
    #expect(heard[57_600 + 14_400] == 0.5)
    #expect(heard[57_600 + 14_000] < 0.5)
    #expect(steps(Array(heard[57_601..<80_000])) < 0.001)
    #expect(heard[100_799] == 0.5 && heard[100_800] == 0)
  }

  @Test(
    "of two that sound one is faded out, and the other goes on to the bit, wherever it is stopped",
    arguments: [20_160, 20_161, 20_400, 20_640, 20_800, 20_960, 21_119], [480, 960, 237])
  func oneIsStopped(at stop: Int, every step: Int) throws {
    let other = (0..<96_000).map { Float(($0 * 31) % 997) / 4_096 }
    let converter = Converter()
    _ = try track(1, other, at: 4_800, on: converter.mixer)
    let stopped = try track(2, constant(0.5, frames: 48_000), at: 9_600, on: converter.mixer)
    converter.play(until: stop, every: step)
    converter.stop([stopped], played: stop)
    converter.play(from: stop + 480, until: 100_000, every: step)
    let rest = converter.heard.indices.map { frame in
      converter.heard[frame] - ((4_800..<100_800).contains(frame) ? other[frame - 4_800] : 0)
    }
    // Frames that the limiter already has go out unchanged. They reach 250 frames, its delay, past
    // the 5 ms that cannot be taken back.
    let fade = stop + 240..<stop + 240 + 250 + 384
    #expect(rest[9_600..<fade.lowerBound].allSatisfy { abs($0 - 0.5) < 1e-6 })
    #expect(steps(Array(rest[fade.lowerBound - 1...fade.upperBound])) < 0.003)
    #expect(rest[fade.upperBound...].allSatisfy { abs($0) < 1e-6 })
    #expect(stopped.end == fade.upperBound)
  }

  @Test("what is stopped after it is over ends as it would have") func stoppedWhenOver() throws {
    let converter = Converter()
    let over = try track(1, constant(0.5, frames: 4_800), at: 9_600, on: converter.mixer)
    converter.play(until: 15_000)
    converter.stop([over], played: 15_000)
    converter.play(from: 15_480, until: 40_000)
    #expect(over.end == 14_400 && over.stopReason == nil)
    #expect(converter.heard.indices.filter { converter.heard[$0] != 0 } == Array(9_600..<14_400))
  }

  @Test("cues do not turn each other down") func twoCues() throws {
    let converter = Converter()
    _ = try track(1, constant(0.5, frames: 9_600), at: 9_600, on: converter.mixer, isCue: true)
    _ = try track(2, constant(0.25, frames: 4_800), at: 12_000, on: converter.mixer, isCue: true)
    converter.play(until: 30_000)
    #expect(converter.heard[11_999] == 0.5 && converter.heard[12_000] == 0.75)
    #expect(converter.heard[16_799] == 0.75 && converter.heard[16_800] == 0.5)
  }

  @Test("what sounds alone is faded out at once")
  func aloneIsStopped() throws {
    let converter = Converter()
    let stopped = try track(1, constant(0.5, frames: 48_000), at: 9_600, on: converter.mixer)
    let later = try track(2, constant(0.5, frames: 4_800), at: 48_000, on: converter.mixer)
    converter.play(until: 20_160)
    converter.stop([stopped], played: 20_160)
    converter.play(from: 20_640, until: 60_000)
    let heard = converter.heard
    #expect(heard[20_399] == 0.5 && heard[20_401] < 0.5 && heard[20_400 + 384] == 0)
    #expect(steps(Array(heard[20_000..<21_000])) < 0.003)
    #expect(stopped.end == 20_784)
    // The next track is not faded.
    #expect(later.start == 48_000 && heard[48_000] == 0.5)
  }

  @Test("a cue that is stopped gives back what it turned down")
  func cueIsStopped() throws {
    let converter = Converter()
    _ = try track(1, constant(0.5, frames: 96_000), at: 4_800, on: converter.mixer)
    let cue = try track(
      2, constant(0.25, frames: 48_000), at: 19_200, on: converter.mixer, isCue: true)
    converter.play(until: 24_000)
    converter.stop([cue], played: 24_000)
    converter.feed(played: 24_480)
    converter.mixer.remove(cue)
    converter.play(from: 24_960, until: 60_000)
    #expect(steps(Array(converter.heard[24_000..<60_000])) < 0.003)
    #expect(converter.heard[24_240 + 250 + 384 + 14_400] == 0.5)
  }
}
