/// A moment that was set by a span of time. It comes when the span has passed, sleep included,
/// whatever the clock is set to. Or an instant of the clock, which moves when the clock is set.
public struct TimedMoment: Hashable, Sendable {
  public private(set) var sinceBoot: Duration
  /// The clock's time at the moment. After a power cut, nothing else is left of it.
  public private(set) var shown: Instant
  /// True for an instant of the clock, and after a start of the machine until its clock is trusted.
  public private(set) var followsClock: Bool

  public init(sinceBoot: Duration, shown: Instant, followsClock: Bool = false) {
    self.sinceBoot = sinceBoot
    self.shown = shown
    self.followsClock = followsClock
  }

  init(_ span: Duration, after now: Now) {
    self.init(sinceBoot: now.sinceBoot + span, shown: now.instant + span)
  }

  init(followingClockTo shown: Instant, at now: Now) {
    // No sum of instants overflows from 1970 on.
    let left = shown - max(now.instant, AlarmTimes.beforeAll)
    self.init(sinceBoot: now.sinceBoot + left, shown: shown, followsClock: true)
  }

  public func left(at now: Now) -> Duration { sinceBoot - now.sinceBoot }

  mutating func noteClockSet(at now: Now) {
    if followsClock {
      self = TimedMoment(followingClockTo: shown, at: now)
    } else {
      shown = now.instant + left(at: now)
    }
  }

  /// The service has started since the moment was set.
  /// - Parameter isSameBoot: false if the machine has, too.
  mutating func noteStart(isSameBoot: Bool, at now: Now) {
    if !isSameBoot { followsClock = true }
    noteClockSet(at: now)
  }

  /// The clock is right: setting it no longer moves the moment.
  mutating func noteTrusted() { followsClock = false }
}
