import Foundation
import Sound
import TestSupport
import Testing

@testable import Studio

@Suite struct RecordingTests {
  private func tone(_ level: Float = 0.5, seconds: Double = 0.5, rate: Int = 48_000) -> [Float] {
    (0..<Int(seconds * Double(rate))).map { level * sinf(Float($0) * 2_000 * .pi / Float(rate)) }
  }

  private func silence(_ seconds: Double) -> [Float] {
    [Float](repeating: 0, count: Int(seconds * 48_000))
  }

  @Test("silence around a word is cut to less than 15 and 40 ms") func silenceIsCut() {
    var recording = Recording(samples: silence(0.3) + tone() + silence(0.7), rate: 48_000)
    #expect(recording.silence.before > 0.29 && recording.silence.after > 0.69)
    recording.trim()
    #expect((0.005...0.015).contains(recording.silence.before))
    #expect((0.020...0.040).contains(recording.silence.after))
  }

  @Test("the noise of a room is no word") func noiseIsNoWord() {
    var generator = SystemRandomNumberGenerator()
    // The peaks of the noise are 34 dB below those of the word.
    let samples = (silence(0.3) + tone() + silence(0.3)).map {
      $0 + Float.random(in: -0.01...0.01, using: &generator)
    }
    var recording = Recording(samples: samples, rate: 48_000)
    recording.trim()
    #expect((0.52...0.55).contains(recording.seconds))
  }

  @Test("a word without silence around it stays whole") func tightWordStaysWhole() {
    var recording = Recording(samples: tone(), rate: 48_000)
    recording.trim()
    #expect(recording.samples.count == 24_000)
  }

  @Test("DC is taken out") func dcIsTakenOut() {
    var recording = Recording(samples: tone().map { $0 + 0.1 }, rate: 48_000)
    #expect(abs(recording.dc - 0.1) < 0.001)
    recording.removeDC()
    #expect(abs(recording.dc) < 0.00001)
  }

  @Test("a fade begins and ends at nothing") func fadeBeginsAtNothing() {
    var recording = Recording(samples: [Float](repeating: 1, count: 4_800), rate: 48_000)
    recording.fade()
    #expect(recording.samples.first == 0 && recording.samples.last == 0)
    #expect(recording.samples[240] == 1 && recording.samples[120] > 0.49)
  }

  /// A voice of 100 Hz whose loudest waves reach this level, clipped at full scale.
  private func voice(_ level: Float, rate: Int) -> [Float] {
    (0..<(rate / 2)).map { frame in
      let time = Float(frame) / Float(rate)
      let wave = sinf(200 * .pi * time) + sinf(400 * .pi * time) / 2
      return min(max(level * wave / 1.3 * sinf(2 * .pi * time), -1), 1)
    }
  }

  /// As mu-law rounds at high levels, to steps of 1/32.
  private static let codings: [String: @Sendable (Float) -> Float] = [
    "16 bit": { ($0 * 32_767).rounded() / 32_768 },
    "8 bit": { ($0 * 127).rounded() / 128 },
    "mu-law": { ($0.magnitude > 0.5 ? ($0 * 31).rounded() : $0 * 31) / 31.6 },
  ]

  @Test(
    "flat tops that the coding explains are not clipped, and longer ones are",
    arguments: codings.keys.sorted(), [8_000, 22_050, 48_000])
  func flatTops(coding: String, rate: Int) {
    let coded = { Recording(samples: voice($0, rate: rate).map(Self.codings[coding]!), rate: rate) }
    #expect(coded(1).clippedRun == nil)
    #expect(coded(2).clippedRun != nil)
  }

  @Test("a tone of 1 kHz at full scale is as loud as the standard says") func loudness() throws {
    // ITU-R BS.1770: -3.01 LUFS.
    let loudness = Loudness(of: tone(1), rate: 48_000)
    #expect(abs(loudness.momentary + 3.01) < 0.1)
    #expect(abs(loudness.truePeak) < 0.1)
    #expect(Loudness(of: silence(0.1), rate: 48_000).momentary == -.infinity)
  }
}
