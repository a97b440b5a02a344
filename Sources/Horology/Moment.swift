/// What the system's clock shows, and how long the machine has run, read together.
public struct Moment: Hashable, Sendable {
  public let instant: Instant
  /// Since the machine started, sleep included: the kernel's `CLOCK_BOOTTIME`. A machine that
  /// slept has not had its clock set, which the monotonic clock alone cannot tell.
  public let sinceBoot: Duration

  public init(instant: Instant, sinceBoot: Duration) {
    self.instant = instant
    self.sinceBoot = sinceBoot
  }

  /// By how much the clock has been set since `earlier`: positive is forward. Both clocks run at
  /// the same disciplined rate, so slewing is no step.
  public func step(since earlier: Moment) -> Duration {
    (instant - earlier.instant) - (sinceBoot - earlier.sinceBoot)
  }
}
