/// Why a received message is not carried out.
public struct Rejection: Error, Hashable, Sendable {
  /// The kind of the cause; its raw value is the journal's `CLOCKSMITH_REASON`.
  public enum Kind: String, Sendable {
    case topic, large, json, command, key, value
    case retained, repeated, expired
    case past, future, full, untrusted
    /// No waiting command has this id, or no device has this token.
    case unknown
    case absent, refused, timeout
    /// The announcer says something else; it may be free in time.
    case busy
    /// Another command has cancelled it.
    case cancelled
    /// HTTP only: the caller does not have the token, or asks too often.
    case token, rate
  }

  public let kind: Kind
  /// The end of a sentence that begins with the message and its topic.
  public let words: String
  /// The command's own id; nil if it has none.
  public var id: String?

  init(_ kind: Kind, _ words: String) {
    self.kind = kind
    self.words = words
  }
}

/// Selects the rejections to log: each cause once an hour, and only a few of each kind, so that
/// made-up causes do not crowd out others.
struct Rejections {
  static let span = Duration.seconds(3600)
  private static let mostOfKind = 8

  private var told: [Rejection.Kind: Set<Rejection>] = [:]
  /// How many were not logged.
  private(set) var untold = 0
  var isEmpty: Bool { told.isEmpty }

  /// - Returns: true if it should be logged.
  mutating func isNew(_ rejection: Rejection) -> Bool {
    if told[rejection.kind, default: []].count < Self.mostOfKind,
      told[rejection.kind, default: []].insert(rejection).inserted
    {
      return true
    }
    untold += 1
    return false
  }
}
