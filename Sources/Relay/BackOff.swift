import Basics

/// The wait before the next attempt. It doubles each time and varies at random, so that a returning
/// broker does not meet everybody at once.
struct BackOff {
  private static let first = Duration.seconds(1)
  private static let longest = Duration.seconds(60)

  private var next = first
  private var chance: SplitMix64

  init(seed: UInt64) {
    chance = SplitMix64(seed: seed)
  }

  /// - Returns: the wait that is due, plus or minus up to a quarter of it.
  mutating func wait() -> Duration {
    let wait = next
    next = min(next * 2, Self.longest)
    return wait
      + .microseconds(Int64(Double(wait.components.seconds) * 250_000 * chance.nextSigned()))
  }

  /// Call this when the connection has been good for a while.
  mutating func reset() { next = Self.first }
}
