/// Lets 30 events of one sort through at once, then one every 10 s, and counts the others.
struct Throttle {
  private var bucket = TokenBucket(most: 30, perMinute: 6)
  private var leftOut = 0

  /// - Parameter uptime: the time of a clock that is never set.
  /// - Returns: how many events before this one were left out; nil to leave this one out, too.
  mutating func pass(at uptime: Duration) -> Int? {
    guard bucket.take(at: uptime) == nil else {
      leftOut += 1
      return nil
    }
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
