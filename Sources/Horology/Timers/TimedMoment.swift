/// A moment that a person set by a span of time. It comes when the span has passed, sleep included,
/// whatever the clock is set to.
public struct TimedMoment: Hashable, Sendable {
  /// Since the machine started, sleep included.
  public private(set) var sinceBoot: Duration
  /// The clock's time at the moment. After a power cut, nothing else is left of it.
  public private(set) var shown: Instant
  /// True if the machine has restarted since, and its clock has not been trusted yet. Then the
  /// moment comes when the clock shows it, and moves when the clock is set.
  public private(set) var followsClock: Bool

  public init(sinceBoot: Duration, shown: Instant, followsClock: Bool = false) {
    self.sinceBoot = sinceBoot
    self.shown = shown
    self.followsClock = followsClock
  }

  init(_ span: Duration, after now: Now) {
    self.init(sinceBoot: now.sinceBoot + span, shown: now.instant + span)
  }

  /// How long it is until then; negative once it has passed.
  public func left(at now: Now) -> Duration { sinceBoot - now.sinceBoot }

  /// The moment `span` later, by both clocks.
  static func + (moment: Self, span: Duration) -> Self {
    Self(
      sinceBoot: moment.sinceBoot + span, shown: moment.shown + span,
      followsClock: moment.followsClock)
  }

  mutating func noteClockSet(at now: Now) {
    if followsClock {
      sinceBoot = now.sinceBoot + (shown - now.instant)
    } else {
      shown = now.instant + left(at: now)
    }
  }

  /// The machine has restarted since the moment was set.
  mutating func noteStart(at now: Now) {
    followsClock = true
    noteClockSet(at: now)
  }

  /// The clock is right: setting it no longer moves the moment.
  mutating func noteTrusted() { followsClock = false }
}
