import Basics

/// How long to wait before the next attempt: twice as long each time, so that a broker that comes
/// back is not met by everybody at once.
struct BackOff {
  private static let first = Duration.seconds(1)
  private static let longest = Duration.seconds(60)

  private var next = first
  private var chance: SplitMix64

  init(seed: UInt64) {
    chance = SplitMix64(seed: seed)
  }

  /// - Returns: within a quarter of the wait that is due, either way.
  mutating func wait() -> Duration {
    let wait = next
    next = min(next * 2, Self.longest)
    return wait
      + .microseconds(Int64(Double(wait.components.seconds) * 250_000 * chance.nextSigned()))
  }

  /// It went well for a while.
  mutating func reset() { next = Self.first }
}
