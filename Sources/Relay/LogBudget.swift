/// Limits the journal entries of one sort: 30 at once, then one every 10 s.
struct LogBudget {
  /// In seconds: the price of an entry, and the most that is saved up.
  private static let price = 10
  private static let most = 30 * price

  private var left = most
  private var since: Duration?
  private var untold = 0

  /// - Parameter uptime: the time of a clock that is never set.
  /// - Returns: how many entries before this one were left out; nil to leave this one out, too.
  mutating func spend(at uptime: Duration) -> Int? {
    if let since {
      left = Int(min(Int64(left) + (uptime - since).components.seconds, Int64(Self.most)))
    }
    // Parts of seconds are kept for the next time.
    since = since.map { $0 + .seconds((uptime - $0).components.seconds) } ?? uptime
    guard left >= Self.price else {
      untold += 1
      return nil
    }
    left -= Self.price
    defer { untold = 0 }
    return untold
  }
}
