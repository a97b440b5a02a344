/// A point on one clock, which is a phantom type: points of two clocks cannot be compared. The range
/// is the years 1677 to 2262.
public struct TimePoint<Clock>: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's epoch.
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  public init(seconds: Int64) {
    nanoseconds = seconds * 1_000_000_000
  }

  /// Whole seconds since the epoch, rounded down.
  public var seconds: Int64 {
    nanoseconds.flooredQuotient(by: 1_000_000_000)
  }

  public static func < (left: Self, right: Self) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The first or last point there is if the sum is out of range.
  public static func + (point: Self, span: Duration) -> Self {
    let (sum, isTooFar) = point.nanoseconds.addingReportingOverflow(span.nanoseconds)
    return Self(nanoseconds: isTooFar ? (span < .zero ? .min : .max) : sum)
  }

  public static func - (point: Self, span: Duration) -> Self { point + (.zero - span) }

  public static func - (left: Self, right: Self) -> Duration {
    .nanoseconds(left.nanoseconds - right.nanoseconds)
  }
}

/// UTC since 1970, the kernel's `CLOCK_REALTIME`. It can be set.
public enum UTC {}
public typealias Instant = TimePoint<UTC>

/// The kernel's `CLOCK_MONOTONIC`. It cannot be set.
public enum Monotonic {}
public typealias Uptime = TimePoint<Monotonic>

/// All three clocks, read together.
public struct Now: Hashable, Sendable {
  public let instant: Instant
  public let uptime: Uptime
  /// Since the machine started, sleep included: the kernel's `CLOCK_BOOTTIME`. It distinguishes a
  /// clock that was set from a machine that slept.
  public let sinceBoot: Duration

  public init(instant: Instant, uptime: Uptime, sinceBoot: Duration) {
    self.instant = instant
    self.uptime = uptime
    self.sinceBoot = sinceBoot
  }

  /// After `span`, if the machine is awake and nobody sets its clock.
  public func later(by span: Duration) -> Now {
    Now(instant: instant + span, uptime: uptime + span, sinceBoot: sinceBoot + span)
  }

  public func uptime(at instant: Instant) -> Uptime {
    uptime + (instant - self.instant)
  }

  /// If nobody sets the clock and the machine stays awake.
  public func uptime(at anchor: Anchor) -> Uptime {
    switch anchor {
    case .utc(let instant): uptime(at: instant)
    case .elapsed(let sinceBoot): uptime + (sinceBoot - self.sinceBoot)
    }
  }

  /// By how much the clock has been set since `earlier`: positive is forward. All clocks run at the
  /// same disciplined rate, so slewing is no step.
  public func step(since earlier: Now) -> Duration {
    (instant - earlier.instant) - (sinceBoot - earlier.sinceBoot)
  }

  /// How long the machine has slept since `earlier`.
  public func sleep(since earlier: Now) -> Duration {
    (sinceBoot - earlier.sinceBoot) - (uptime - earlier.uptime)
  }
}

/// The moment that a sounding's anchor frame belongs to.
public enum Anchor: Hashable, Sendable {
  /// It moves with the clock if that is set.
  case utc(Instant)
  /// Since the machine started, sleep included. It stays, whatever the clock shows.
  case elapsed(Duration)
}

extension Duration {
  /// The duration in whole nanoseconds, rounded toward zero; within 292 years.
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// The duration in seconds, to the precision of a `Double`.
  public var inSeconds: Double {
    Double(nanoseconds) / 1e9
  }

  /// The duration without its sign.
  public var magnitude: Duration {
    self < .zero ? .zero - self : self
  }
}

extension BinaryInteger {
  /// The quotient rounded down, where `/` rounds toward zero. `divisor` is above zero.
  func flooredQuotient(by divisor: Self) -> Self {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The remainder that is never negative. `divisor` is above zero.
  func flooredRemainder(by divisor: Self) -> Self {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
