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
