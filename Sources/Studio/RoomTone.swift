/// Measures the noise of a room.
public struct RoomTone {
  private let rate: Int
  private var samples: [Float] = []

  /// The most noise that is accepted, in dBFS (facts: voices, own recordings).
  public static let most = -55.0
  /// In seconds: the time ignored first, because the key that starts it clicks, and the time
  /// measured.
  private static let before = 0.4
  private static let length = 1.2

  public init(rate: Int) {
    self.rate = rate
  }

  /// Takes the next frames.
  /// - Returns: the level in dBFS, minus infinity if there is none; nil while there are too few.
  public mutating func hear(_ block: UnsafeBufferPointer<Float>) -> Double? {
    samples += block
    let first = Int(Self.before * Double(rate))
    let end = first + Int(Self.length * Double(rate))
    guard samples.count >= end else { return nil }
    let powers = LevelTrack(samples[first..<end], rate: rate).powers
    return (powers.reduce(0, +) / Double(powers.count)).decibelsOfPower
  }
}
