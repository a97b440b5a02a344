/// A small instrument whose bars, plates or glasses are struck.
struct StruckInstrument {
  /// One partial of every note.
  struct Partial {
    /// Its frequency relative to the lowest.
    let ratio: Double
    /// Decibels at the blow, relative to the lowest.
    let level: Double
  }

  let partials: [Partial]
  /// The quality factor of the material: a partial falls by 60 dB in 2.2 times as many periods, so
  /// higher partials die sooner.
  let quality: Double
  /// Seconds in which the mallet's force rises, as a raised cosine.
  let rise: Double

  /// Wooden bars, undercut so that the second partial is two octaves up (Fletcher and Rossing, The
  /// Physics of Musical Instruments, 19): warm, and soon gone.
  static let marimba = StruckInstrument(
    partials: [
      Partial(ratio: 1, level: 0), Partial(ratio: 4, level: -16), Partial(ratio: 10, level: -30),
    ],
    quality: 150, rise: 0.003)

  /// The same bars of wood with a shallower cut: the second partial is a twelfth up. Dry.
  static let xylophone = StruckInstrument(
    partials: [
      Partial(ratio: 1, level: 0), Partial(ratio: 3, level: -8), Partial(ratio: 6, level: -20),
    ],
    quality: 55, rise: 0.0015)

  /// Two sticks of hard wood: free bars.
  static let claves = StruckInstrument(
    partials: freeBar(levels: [0, -18, -34]), quality: 55, rise: 0.0015)

  /// Bars of steel, tuned only by their length: bright.
  static let glockenspiel = StruckInstrument(
    partials: freeBar(levels: [0, -14, -28]), quality: 480, rise: 0.0015)

  /// Bars of metal, undercut as the marimba's, struck with a soft mallet.
  static let vibraphone = StruckInstrument(
    partials: [Partial(ratio: 1, level: 0), Partial(ratio: 4, level: -22)],
    quality: 600, rise: 0.0045)

  /// Bowls of metal. The rim of a bowl bends as a ring does, n (n^2 - 1) / sqrt(n^2 + 1) for n = 2,
  /// 3, 4 (Rayleigh, The Theory of Sound). No rim is quite even, so each of the two lower partials
  /// is a pair that beats.
  static let bowls = StruckInstrument(
    partials: [
      Partial(ratio: 1, level: 0), Partial(ratio: 1.005, level: -7),
      Partial(ratio: 2.828, level: -14), Partial(ratio: 2.834, level: -20),
      Partial(ratio: 5.423, level: -30),
    ], quality: 800, rise: 0.004)

  /// The bending of a bar that is free at both ends (Fletcher and Rossing, 2).
  private static func freeBar(levels: [Double]) -> [Partial] {
    zip([1, 2.756, 5.404], levels).map { Partial(ratio: $0, level: $1) }
  }

  /// One blow, from the moment of contact.
  /// - Parameter level: decibels of the lowest partial relative to full scale.
  func blow(frequency: Double, level: Double, rate: Double) -> PartialBank {
    var starts: [Complex] = []
    var turns: [Complex] = []
    for partial in partials {
      let hertz = frequency * partial.ratio
      // Velocity, from rest: a sine that begins at 0.
      starts.append(Complex(0, -amplitude(decibels: level + partial.level)))
      turns.append(
        Complex.onUnitCircle(2 * .pi * hertz / rate)
          * Complex(decayFactor(t60: 2.2 * quality / hertz, rate: rate)))
    }
    return PartialBank(starts: starts, turns: turns)
  }
}
