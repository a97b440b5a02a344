/// The blows and words of an occasion, by offset from its anchor.
public struct Programme: Hashable, Sendable {
  /// When the time is spoken.
  public enum Words: Hashable, Sendable {
    case none
    /// The first word begins this long after the anchor.
    case at(Duration)
    /// The last word ends this long before the first blow.
    case before(Duration)
  }

  /// In the order in which they sound.
  public let blows: [Blow]
  public let words: Words

  /// The time alone, from the anchor on.
  public static let wordsAlone = Programme(blows: [], words: .at(.zero))

  /// No spoken time is longer than this. It is the room that is left for one before a melody.
  public static let longestPhrase = Duration.seconds(5)

  public init(blows: [Blow], words: Words) {
    self.blows = blows
    self.words = words
  }

  /// How long before the anchor it begins, at most.
  public var lead: Duration {
    let melody = max(.zero - (blows.first?.offset ?? .zero), .zero)
    if case .before(let gap) = words { return melody + gap + Self.longestPhrase }
    return melody
  }
}
