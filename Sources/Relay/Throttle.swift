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

/// A number of tokens to begin with, and then so many a minute, up to that number.
struct TokenBucket {
  /// How long a new token takes, and all of them.
  private let one: Duration
  private let all: Duration
  /// When the bucket is full again.
  private var full = Duration.zero

  init(most: Int, perMinute: Int) {
    one = .seconds(60) / perMinute
    all = one * most
  }

  /// Takes a token.
  /// - Parameter uptime: the time of a clock that is never set.
  /// - Returns: nil if there was one; else how long the next one takes.
  mutating func take(at uptime: Duration) -> Duration? {
    let next = max(full, uptime) + one
    guard next <= uptime + all else { return next - all - uptime }
    full = next
    return nil
  }
}
