/// What will be heard at an occasion, or why nothing will.
public struct Outlook: Hashable, Sendable {
  public let occasion: Occasion
  /// The tune that chimes; nil for none.
  public let tune: Tune?
  /// True if the time is said.
  public let speaks: Bool
  /// Why it will be silent; nil if it will sound.
  public let refusal: SkipReason?

  /// How often the hour is struck.
  public var strikes: Int { tune?.strikes(at: occasion.civil) ?? 0 }
}

extension Rules {
  public func outlook(of occasion: Occasion) -> Outlook {
    outlook(of: occasion, programme(of: occasion), refusal(of: occasion))
  }

  /// - Parameter programme: what the occasion really plays: there may be no time left for its
  ///   chime.
  func outlook(
    of occasion: Occasion, _ programme: Programme, _ refusal: SkipReason?
  ) -> Outlook {
    Outlook(
      occasion: occasion,
      tune: programme.blows.isEmpty ? nil : settings.chime(at: occasion.civil),
      speaks: programme.words != .none, refusal: refusal)
  }
}
