@preconcurrency import Glibc

/// Measures 10 ms of a sound without DC and rumble. A microphone may add DC and a room may rumble,
/// and neither is heard.
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

  /// Takes the next sample.
  /// - Returns: the mean square of the window that this sample completes; full scale is 1. Nil if
  ///   it completes none.
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

/// The level of every 10 ms of a sound.
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
  /// This mean square in dB.
  var decibelsOfPower: Double { self > 0 ? 10 * log10(self) : -.infinity }
  /// The mean square for this level in dB.
  var powerOfDecibels: Double { pow(10, self / 10) }
}
