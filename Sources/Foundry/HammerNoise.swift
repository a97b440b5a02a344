import Basics

/// The noise of the hammer on the metal: three bands of noise that rise with the blow and die in a
/// second or two.
struct HammerNoise {
  /// Hz, and decibels relative to the bell's strongest partial (facts: chimes, fitted).
  private static let bands: [(low: Double, high: Double, level: Double)] = [
    (500, 2000, -7), (2000, 4000, -11), (4000, 8000, -21),
  ]
  /// Seconds; the facts say 1.2 to 2 s.
  private static let t60 = 1.4

  /// Each band ends at this part of its upper edge, so that its slope adds little to the softer
  /// band above.
  private static let flank = 0.88

  private var random: SplitMix64
  private var bands: [BandFilter]
  private var envelope = 1.0
  private let decay: Double

  /// - Parameter amplitude: of the bell's strongest partial.
  init(amplitude strongest: Double, rate: Double, random: SplitMix64) {
    self.random = random
    bands = Self.bands.map { band in
      // Levels compare powers: a sinusoid has half its squared amplitude.
      BandFilter(
        from: band.low, to: band.high * Self.flank, rate: rate,
        power: 0.5 * (strongest * strongest) * amplitude(decibels: 2 * band.level))
    }
    decay = decayFactor(t60: Self.t60, rate: rate)
  }

  /// Adds the next frames to `block`.
  mutating func add(to block: UnsafeMutableBufferPointer<Double>) {
    // Past -120 dB it is below the last bit.
    guard envelope > 1e-6 else { return }
    for frame in block.indices {
      // Each band has its own noise. With the same noise, their slopes would cancel each other.
      var sum = 0.0
      for index in bands.indices { sum += bands[index].next(random.nextSigned()) }
      block[frame] += sum * envelope
      envelope *= decay
    }
  }
}
