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

  @Test("flat tops are counted, round ones are not") func flatTopsAreCounted() {
    let clipped = tone(3).map { min(max($0, -1), 1) }
    #expect(Recording(samples: clipped, rate: 48_000).longestFlatTop > 10)
    #expect(Recording(samples: tone(1), rate: 48_000).longestFlatTop < 3)
  }

  @Test("a tone of 1 kHz at full scale is as loud as the standard says") func loudness() throws {
    // ITU-R BS.1770: -3.01 LUFS.
    let loudness = try Loudness(of: tone(1), rate: 48_000)
    #expect(abs(loudness.momentary + 3.01) < 0.1)
    #expect(abs(loudness.truePeak) < 0.1)
    #expect(try Loudness(of: silence(0.1), rate: 48_000).momentary == -.infinity)
  }

  @Test("a name that ends in .flac makes FLAC") func suffixMakesFLAC() throws {
    let folder = TemporaryFolder()
    try Recording(samples: tone(), rate: 48_000).write(to: "\(folder.path)/a.flac")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/a.flac"))
    #expect(bytes.prefix(4) == Data("fLaC".utf8))
    #expect(try SoundFile(path: "\(folder.path)/a.flac").frames == 24_000)
  }
}
