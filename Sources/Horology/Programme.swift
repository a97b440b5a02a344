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

  /// In the order in which they sound.
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
