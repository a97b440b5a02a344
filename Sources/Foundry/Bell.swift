/// A bell, and the partials that sound when it is struck.
public struct Bell: Hashable, Sendable {
  /// One partial: a damped sinusoid.
  public struct Partial: Hashable, Sendable {
    /// Hz.
    public let frequency: Double
    /// Seconds in which it falls by 60 dB.
    public let t60: Double
    /// Decibels at the blow, relative to the bell's strongest partial.
    public let level: Double

    public init(frequency: Double, t60: Double, level: Double) {
      self.frequency = frequency
      self.t60 = t60
      self.level = level
    }
  }

  /// Its note in scientific pitch, or what it is, as in `ship`.
  public let name: String
  /// The strike note in Hz: half the nominal.
  public let strike: Double
  /// The strongest partial at the blow, in decibels relative to full scale.
  public let level: Double
  /// Seconds in which the part held back at contact falls to 1/e.
  public let attack: Double
  /// How long a blow is rendered; its end is faded.
  public let seconds: Double
  /// One blow for each seed, from which its random values come.
  public let seeds: [UInt64]
  public let partials: [Partial]

  public init(
    name: String, strike: Double, level: Double, attack: Double, seconds: Double,
    seeds: [UInt64], partials: [Partial]
  ) {
    self.name = name
    self.strike = strike
    self.level = level
    self.attack = attack
    self.seconds = seconds
    self.seeds = seeds
    self.partials = partials
  }

  /// The partials of a bell like this one with another strike note.
  ///
  /// The metal is the same, so a partial loses the same part of its energy in each period. A higher
  /// partial dies sooner, by the same ratio.
  func partials(scaledTo newStrike: Double) -> [Partial] {
    let ratio = newStrike / strike
    return partials.map {
      Partial(frequency: $0.frequency * ratio, t60: $0.t60 / ratio, level: $0.level)
    }
  }
}
