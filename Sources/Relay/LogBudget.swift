/// How many entries of one sort the journal gets: a few at once, and then one every few seconds.
struct LogBudget {
  /// In seconds: what an entry costs, and what is saved up at most.
  private static let price = 10
  private static let most = 30 * price

  private var left = most
  private var since: Duration?
  private var untold = 0

  /// - Parameter uptime: of a clock that is not set.
  /// - Returns: how many before this one were not told; nil if this one is not told either.
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
