import Basics
import Foundation
import Horology
import Studio
import TestSupport
import Testing

@testable import Sound

@Suite struct LimiterTests {
  private func limited(_ samples: [Float], blockFrames: Int = 1024) -> [Float] {
    let limiter = Limiter(rate: 48_000, longestBlock: 1024)
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockFrames)
    defer { block.deallocate() }
    var output: [Float] = []
    var padded = samples + [Float](repeating: 0, count: limiter.delay)
    padded += [Float](repeating: 0, count: blockFrames - padded.count % blockFrames)
    for start in stride(from: 0, to: padded.count, by: blockFrames) {
      _ = block.update(fromContentsOf: padded[start..<start + blockFrames])
      limiter.process(block)
      output += block
    }
    return Array(output[limiter.delay..<limiter.delay + samples.count])
  }

  private func truePeak(_ samples: [Float]) throws -> Double {
    Loudness(of: samples, rate: 48_000).truePeak
  }

  private func made(_ frames: Int, _ value: (_ frame: Int) -> Double) -> [Float] {
    (0..<frames).map { Float(value($0)) }
  }

  /// A sine of amplitude 1.
  private func fullScale(_ frequency: Double, phase: Double = 0, frames: Int = 24_000) -> [Float] {
    made(frames) { sin(2 * .pi * frequency * Double($0) / 48_000 + phase) }
  }

  private func noise(_ frames: Int) -> [Float] {
    var random = SplitMix64(seed: 5)
    return made(frames) { _ in random.nextSigned() }
  }

  /// A tone that rises, and is silent, loud and too loud in turn.
  private func swept(_ frames: Int) -> [Float] {
    made(frames) { frame in
      let time = Double(frame) / 48_000
      return sin(2 * .pi * 9000 * time * time) * Double(frame / 1500 % 3)
    }
  }

  @Test("a peak between the samples is seen") func peakBetweenTheSamples() throws {
    // A quarter of the rate at 45 degrees: no sample is above 0.85, but the curve is 1.2 high.
    let tone = fullScale(12_000, phase: .pi / 4).map { $0 * 1.2 }
    #expect(tone.allSatisfy { $0.magnitude < Limiter.ceiling })
    let peak = try truePeak(limited(tone))
    #expect((-1.3 ... -1).contains(peak), "\(peak) dBTP: no quieter than need be")
  }

  @Test(
    "whatever is put in, the ceiling holds",
    arguments: ["noise", "impulse", "square wave", "steps", "sweep"])
  func ceilingHolds(what: String) throws {
    let samples =
      switch what {
      case "noise": noise(24_000).map { $0 * 8 }
      case "impulse": made(24_000) { [3000, 3001, 9000, 9100, 9340].contains($0) ? 9 : 0 }
      case "square wave": made(24_000) { $0 / 55 % 2 == 0 ? 4 : -4 }
      case "steps": made(24_000) { Double($0 / 3000) * ($0 % 3 == 0 ? -0.5 : 0.4) }
      default: swept(24_000)
      }
    #expect(try truePeak(limited(samples)) <= -1)
  }

  @Test("what stays below the ceiling is given out to the bit", arguments: [0.3, 0.99])
  func transparent(share: Float) throws {
    let tone = fullScale(440)
    let scale = share * Limiter.ceiling
    let samples = zip(tone, noise(tone.count)).map { $0 * scale * 0.99 + $1 * scale * 0.005 }
    #expect(limited(samples).elementsEqual(samples))
  }

  @Test("after a peak it returns to the bit") func returnsToTheBit() {
    var samples = noise(120_000).map { $0 * 0.3 }
    for frame in 2000..<2400 { samples[frame] = sin(Float(frame) / 30) * 4 }
    let output = limited(samples)
    #expect(output[3000] != samples[3000])
    #expect(output[72_000...].elementsEqual(samples[72_000...]))
    #expect(output[..<1600].elementsEqual(samples[..<1600]), "and does not act too soon")
  }

  @Test("the size of a block is not heard", arguments: [1, 7, 480, 1023])
  func blockSizeIsNotHeard(blockFrames: Int) {
    let samples = swept(12_000)
    #expect(limited(samples, blockFrames: blockFrames).elementsEqual(limited(samples)))
  }

  @Test("a tone that is turned down stays a tone", arguments: [60.0, 155, 679])
  func staysATone(frequency: Double) {
    let tone = fullScale(frequency, frames: 96_000)
    let heard = limited(tone.map { $0 * 3 })[48_000..<95_000]
    // The distortion is what is left without the tone.
    var (inPhase, square) = (0.0, 0.0)
    for frame in heard.indices {
      inPhase += Double(heard[frame] * tone[frame])
      square += Double(tone[frame] * tone[frame])
    }
    let amplitude = Float(inPhase / square)
    let rest = heard.indices.reduce(0.0) {
      $0 + pow(Double(heard[$1] - amplitude * tone[$1]), 2)
    }
    let distortion = 10 * log10(rest / (square * Double(amplitude * amplitude)))
    #expect(distortion < (frequency < 100 ? -50 : -80), "\(distortion) dB")
    #expect(amplitude > 0.87)
  }
}
