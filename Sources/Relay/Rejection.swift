/// Why a message that was received is not carried out.
public struct Rejection: Error, Hashable, Sendable {
  /// What of a cause is told once, as the journal's `CLOCKSMITH_REASON` names it.
  public enum Kind: String, Sendable {
    case topic, large, json, command, key, value
    case retained, repeated, expired
    case past, future, full, untrusted
    /// No command of this id waits.
    case unknown
    case absent, refused, timeout
    /// Something else is said; it may be free in time.
    case busy
    /// Another command has cancelled it.
    case cancelled
    /// Of HTTP: who came has not the token, or asks too often.
    case token, rate
  }

  public let kind: Kind
  /// The end of a sentence that begins with what was received and where.
  public let words: String
  /// The command's own id; nil if it has none.
  public var id: String?

  init(_ kind: Kind, _ words: String) {
    self.kind = kind
    self.words = words
  }
}

/// Which rejections are told: each cause once an hour, and of one kind a few, so that made-up causes
/// mute no others.
struct Rejections {
  static let span = Duration.seconds(3600)
  private static let mostOfKind = 8

  private var told: [Rejection.Kind: Set<Rejection>] = [:]
  /// How many were not told.
  private(set) var untold = 0
  var isEmpty: Bool { told.isEmpty }

  /// - Returns: true if it is to be told.
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
