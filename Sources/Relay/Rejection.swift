/// Why a message that was received is not carried out.
public struct Rejection: Error, Hashable, Sendable {
  /// What of a cause is told once, as the journal's `CLOCKSMITH_REASON` names it.
  public enum Kind: String, Sendable {
    case topic, large, json, command, key, value
    case retained, repeated, expired
    case absent, refused, timeout
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

/// Tells each cause of rejections once an hour, and how often it has come since.
struct Rejections {
  /// A cause: the id counts where each message is a matter of its own.
  private struct Cause: Hashable {
    let kind: Rejection.Kind
    let id: String?
  }

  private static let span = Duration.seconds(3600)
  /// Whoever makes up ids without end fills no journal.
  private static let most = 64

  private var since: Duration?
  private var counts: [Cause: Int] = [:]

  /// - Parameter uptime: of the monotonic clock.
  /// - Returns: true if it is to be told, and how many of all causes were not told in the hour that
  ///   has ended.
  mutating func isNew(_ rejection: Rejection, at uptime: Duration) -> (tells: Bool, untold: Int) {
    var untold = 0
    if let since, uptime - since >= Self.span {
      untold = counts.values.reduce(0) { $0 + $1 }
      counts = [:]
      self.since = nil
    }
    if since == nil { since = uptime }
    let cause = Cause(kind: rejection.kind, id: rejection.id)
    if counts[cause] == nil && counts.count < Self.most {
      counts[cause] = 0
      return (true, untold)
    }
    // Of what is too much to be kept apart, the kinds are counted.
    counts[counts[cause] == nil ? Cause(kind: rejection.kind, id: nil) : cause, default: 0] += 1
    return (false, untold)
  }
}
