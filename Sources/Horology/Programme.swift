/// The blows and words of an occasion, by offset from its anchor.
public struct Programme: Hashable, Sendable {
  /// When the time is spoken.
  public enum Words: Hashable, Sendable {
    case none
    /// The first word begins this long after the anchor.
    case at(Duration)
    /// The last word ends this long before the first blow. No phrase is longer than `longest`.
    case before(Duration, longest: Duration)
  }

  public let blows: [Blow]
  public let words: Words

  /// The time alone, from the anchor on.
  public static let wordsAlone = Programme(blows: [], words: .at(.zero))

  public init(blows: [Blow], words: Words) {
    self.blows = blows
    self.words = words
  }

  /// How long before the anchor it begins, at most.
  public var lead: Duration {
    let melody = max(.zero - (blows.first?.offset ?? .zero), .zero)
    if case .before(let gap, let longest) = words { return melody + gap + longest }
    return melody
  }
}

/// What will be heard at an occasion, or why nothing will.
public struct Outlook: Hashable, Sendable {
  public let occasion: Occasion
  public let tune: Tune?
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

  /// - Parameter programme: what is really played: there may be no time left for its chime.
  func outlook(
    of occasion: Occasion, _ programme: Programme, _ refusal: SkipReason?
  ) -> Outlook {
    Outlook(
      occasion: occasion,
      tune: programme.blows.isEmpty ? nil : settings.chime(at: occasion.civil),
      speaks: programme.words != .none, refusal: refusal)
  }
}
