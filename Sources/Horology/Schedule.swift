public struct Occasion: Hashable, Sendable {
  public let instant: Instant
  /// What the clocks show then: seconds are zero.
  public let civil: CivilTime

  public init(instant: Instant, civil: CivilTime) {
    (self.instant, self.civil) = (instant, civil)
  }
}

/// Minutes from one occasion to the next: a divisor of 60.
public struct Interval: Hashable, Sendable {
  public let minutes: Int

  /// Nil unless `minutes` divides 60.
  public init?(minutes: Int) {
    guard minutes > 0, 60 % minutes == 0 else { return nil }
    self.minutes = minutes
  }

  public static let quarter = Interval(minutes: 15)!

  public var duration: Duration { .seconds(seconds) }

  var seconds: Int { minutes * 60 }
}

public struct Schedule {
  public let interval: Interval
  public let zone: any Zone

  /// The first occasion later than `instant`. The offset may change once before the multiple that is
  /// computed with the offset at `instant`: no zone has ever changed twice within an hour.
  public func next(after instant: Instant) -> Occasion {
    let start = instant.seconds + 1
    let before = offset(at: start)
    let candidate = occasion(at: multiple(atOrAfter: start, offset: before))
    guard candidate.civil.utcOffsetSeconds != before else { return candidate }
    let change = offsetChange(after: start, until: candidate.instant.seconds)
    return occasion(at: multiple(atOrAfter: change, offset: offset(at: change)))
  }

  public func last(atOrBefore instant: Instant) -> Occasion {
    // A change of offset leaves a part of an interval before it and after it without an occasion.
    var found = next(after: instant - interval.duration - interval.duration)
    while true {
      let following = next(after: found.instant)
      guard following.instant <= instant else { return found }
      found = following
    }
  }

  public func occasions(from start: Instant) -> some Sequence<Occasion> {
    sequence(first: next(after: start - .nanoseconds(1))) { next(after: $0.instant) }
  }

  private func occasion(at second: Int64) -> Occasion {
    let instant = Instant(seconds: second)
    return Occasion(instant: instant, civil: zone.civil(at: instant))
  }

  private func offset(at second: Int64) -> Int {
    zone.civil(at: Instant(seconds: second)).utcOffsetSeconds
  }

  /// The first second not before `second` that is a multiple of the interval at this offset.
  private func multiple(atOrAfter second: Int64, offset: Int) -> Int64 {
    second + (-(second + Int64(offset))).flooredRemainder(by: Int64(interval.seconds))
  }

  /// The first second at which the offset is no longer that of `start`.
  private func offsetChange(after start: Int64, until end: Int64) -> Int64 {
    let before = offset(at: start)
    var (old, new) = (start, end)
    while new - old > 1 {
      let middle = old + (new - old) / 2
      if offset(at: middle) == before { old = middle } else { new = middle }
    }
    return new
  }
}
