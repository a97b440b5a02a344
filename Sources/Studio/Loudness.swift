import Basics
import CEBUR128
@preconcurrency import Glibc

/// The loudness of a word, by libebur128: integrated loudness gates at 400 ms and says little about it.
public struct Loudness: Hashable, Sendable {
  /// The loudest 400 ms with silence around the word, in LUFS.
  public let momentary: Double
  /// The highest peak, also between the samples, in dBTP.
  public let truePeak: Double

  public init(of samples: [Float], rate: Int) {
    var state = ebur128_init(
      1, UInt(rate), Int32(EBUR128_MODE_M.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue))
    defer { ebur128_destroy(&state) }
    let silence = [Float](repeating: 0, count: rate * 2 / 5)
    // The window moves by 10 ms.
    let hop = max(rate / 100, 1)
    var loudest = -Double.infinity
    (silence + samples + silence).withUnsafeBufferPointer { frames in
      for start in stride(from: 0, to: frames.count, by: hop) {
        let count = min(hop, frames.count - start)
        var momentary = 0.0
        ebur128_add_frames_float(state, frames.baseAddress! + start, count)
        ebur128_loudness_momentary(state, &momentary)
        loudest = max(loudest, momentary)
      }
    }
    var peak = 0.0
    ebur128_true_peak(state, 0, &peak)
    momentary = loudest
    truePeak = peak.decibels
  }
}

/// Measures 10 ms of a sound without the DC of a microphone and the rumble of a room.
struct LevelWindow {
  /// Frames in 10 ms.
  let frames: Int
  private let feedback: Double
  private var count = 0
  private var sum = 0.0
  private var input: Double?
  private var output = 0.0

  init(rate: Int) {
    frames = max(rate / 100, 1)
    // A high-pass of the first order at 20 Hz.
    feedback = max(1 - 2 * .pi * 20 / Double(rate), 0)
  }

  /// - Returns: the mean square of the window that this sample completes; full scale is 1.
  mutating func add(_ sample: Float) -> Double? {
    let sample = Double(sample)
    output = sample - (input ?? sample) + feedback * output
    input = sample
    sum += output * output
    count += 1
    guard count == frames else { return nil }
    defer { (sum, count) = (0, 0) }
    return sum / Double(count)
  }
}

struct LevelTrack {
  let windowFrames: Int
  /// Mean squares; full scale is 1.
  let powers: [Double]

  init(_ samples: some Sequence<Float>, rate: Int) {
    var window = LevelWindow(rate: rate)
    windowFrames = window.frames
    powers = samples.compactMap { window.add($0) }
  }

  /// The mean power of the quietest 100 ms.
  var quietest: Double {
    let count = 10
    guard powers.count >= count else { return powers.min() ?? 0 }
    return powers.leastMean(of: count)
  }
}

extension Array where Element: BinaryFloatingPoint {
  /// The least mean of `count` neighbours, of which there must be so many.
  func leastMean(of count: Int) -> Element {
    (0...self.count - count).lazy
      .map { start in self[start..<start + count].reduce(0, +) / Element(count) }.min()!
  }
}

extension Double {
  var decibelsOfPower: Double { self > 0 ? 10 * log10(self) : -.infinity }
  var powerOfDecibels: Double { pow(10, self / 10) }
}
