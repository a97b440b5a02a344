/// Why a message that was received is not carried out.
public struct Rejection: Error, Hashable, Sendable {
  /// What of a cause is told once, as the journal's `CLOCKSMITH_REASON` names it.
  public enum Kind: String, Sendable {
    case topic, large, json, command, key, value
    case retained, repeated, expired
    case past, future, full
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

/// Tells each cause of rejections once an hour, and then how many more there were.
struct Rejections {
  private static let span = Duration.seconds(3600)
  /// Whoever makes up causes without end fills no journal.
  private static let most = 64

  private var since: Duration?
  private var told: Set<Rejection> = []
  /// How many were not told.
  private var untold = 0

  /// - Parameter uptime: of the monotonic clock.
  /// - Returns: true if it is to be told, and how many of all causes were not told in the hour that
  ///   has ended.
  mutating func isNew(_ rejection: Rejection, at uptime: Duration) -> (tells: Bool, untold: Int) {
    var untoldBefore = 0
    if let since, uptime - since >= Self.span {
      untoldBefore = untold
      self = Rejections()
    }
    since = since ?? uptime
    if told.count < Self.most, told.insert(rejection).inserted { return (true, untoldBefore) }
    untold += 1
    return (false, untoldBefore)
  }
}
