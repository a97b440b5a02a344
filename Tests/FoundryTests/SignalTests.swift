import Horology
import Testing

@testable import Foundry

@Suite struct SignalTests {
  /// Seconds.
  private static let lengths: [Signal: Double] = [
    .prepare: 0.9, .work: 0.9, .rest: 1.5, .half: 0.4, .last: 1.25, .end: 2.4, .count: 0.08,
    .cue: 0.6, .ring: 1.9,
  ]

  private static let digests: [Signal: UInt64] = [
    .prepare: 923_417_290_888_898_512,
    .work: 8_960_779_188_905_542_701,
    .rest: 8_631_107_614_308_460_753,
    .half: 4_538_527_121_684_250_687,
    .last: 2_094_515_016_389_930_058,
    .end: 812_048_805_336_908_047,
    .count: 11_643_290_442_479_579_187,
    .cue: 17_164_539_017_507_224_314,
    .ring: 15_892_419_169_892_691_330,
  ]

  /// All frames of every signal.
  private static let sounds = Dictionary(
    uniqueKeysWithValues: Signal.allCases.map { ($0, samples(SignalSound($0))) })

  @Test("every machine makes the same samples", arguments: Signal.allCases)
  func everyMachineMakesTheSame(signal: Signal) throws {
    #expect(digest(try #require(Self.sounds[signal])) == Self.digests[signal])
  }

  @Test("a signal has its length", arguments: Signal.allCases)
  func hasItsLength(signal: Signal) throws {
    let seconds = try #require(Self.lengths[signal])
    #expect(Self.sounds[signal]?.count == Int((seconds * 48_000).rounded()))
    #expect(SignalSound(signal).frames == Int((seconds * 48_000).rounded()))
  }

  @Test("three, two and one are over before the next second, and a cue before the next interval")
  func overBeforeTheNext() {
    #expect(SignalSound(.count).frames <= 4800)
    #expect(SignalSound(.cue).frames <= 28_800)
    #expect(SignalSound(.ring).frames <= 96_000)
  }

  @Test("a signal sounds from its first frames, and from no step", arguments: Signal.allCases)
  func soundsFromItsFirstFrames(signal: Signal) throws {
    let samples = try #require(Self.sounds[signal]).map { Int($0.magnitude) }
    #expect(samples[0] == 0)
    #expect(samples[1...4].max()! < 330, "under -40 dB of full scale")
    #expect(samples[..<240].max()! * 2 > samples[..<2400].max()!, "half of it within 5 ms")
  }

  @Test("a signal leaves room over its peak", arguments: Signal.allCases)
  func leavesRoom(signal: Signal) throws {
    let peak = try #require(Self.sounds[signal]).map(\.magnitude).max()!
    #expect(peak < 16_384, "-6 dB of full scale")
    #expect(peak > 4096, "-18 dB")
  }

  @Test("a signal ends in silence", arguments: Signal.allCases)
  func endsInSilence(signal: Signal) throws {
    let samples = try #require(Self.sounds[signal]).map { Int($0.magnitude) }
    #expect(samples.suffix(5).allSatisfy { $0 == 0 })
    #expect(samples.suffix(240).max()! < 66, "-54 dB of full scale")
  }

  @Test("the size of a block is not heard", arguments: [1, 479, 5000])
  func blockSizeIsNotHeard(blockFrames: Int) {
    for signal in [Signal.half, .count] {
      #expect(samples(SignalSound(signal), blockFrames: blockFrames) == Self.sounds[signal])
    }
  }

  @Test("notes are pure intervals of the bell E5") func notesArePure() {
    #expect(SignalFigure.frequency(of: "E5") == 681.06)
    #expect(SignalFigure.frequency(of: "E4") == 340.53)
    #expect(SignalFigure.frequency(of: "B5") == 681.06 * 1.5)
    #expect(abs(SignalFigure.frequency(of: "C#6") - 681.06 * 5 / 3) < 1e-9)
    #expect(abs(SignalFigure.frequency(of: "D#5") * 16 / 15 - 681.06) < 1e-9)
  }

  @Test("there is a file for each signal, named after it") func filesAreNamed() {
    #expect(SoundSet.signals.takes.map(\.name) == Signal.allCases.map(\.rawValue))
    #expect(SoundSet.signals.takes.map(\.fileName) == Signal.allCases.map { "\($0.rawValue).flac" })
  }
}
