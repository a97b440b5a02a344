/// Lets 30 events of one sort through at once, then one every 10 s, and counts the others.
struct Throttle {
  private static let one = Duration.seconds(10)
  private static let most = 30
  /// When 30 may come at once again.
  private var full = Duration.zero
  private var leftOut = 0

  /// - Parameter uptime: the time of a clock that is never set.
  /// - Returns: how many events before this one were left out; nil to leave this one out, too.
  mutating func pass(at uptime: Duration) -> Int? {
    let next = max(full, uptime) + Self.one
    guard next <= uptime + Self.one * Self.most else {
      leftOut += 1
      return nil
    }
    full = next
    defer { leftOut = 0 }
    return leftOut
  }

  /// The end of a journal entry, as in `; 6 entries like this one before it were left out`.
  /// - Returns: nil to leave the entry out.
  mutating func suffix(at uptime: Duration) -> String? {
    pass(at: uptime).map {
      $0 > 0 ? "; \($0) entries like this one before it were left out" : ""
    }
  }
}
