/// A moment that a person has set by a span of time: it comes when the span has passed, asleep or
/// not, whatever the clock is set to.
public struct TimedMoment: Hashable, Sendable {
  /// Since the machine started, sleep included.
  public private(set) var sinceBoot: Duration
  /// What the clock shows then: all that is left of the moment after a power cut.
  public private(set) var shown: Instant
  /// The machine has started since, and its clock has not been trusted yet: the moment comes when
  /// the clock shows it, and moves with a clock that is set.
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

  /// So much later, by whatever it goes.
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

  /// The machine has started since it was set.
  mutating func noteStart(at now: Now) {
    followsClock = true
    noteClockSet(at: now)
  }

  /// The clock is right: from now on no step of it moves the moment.
  mutating func noteTrusted() { followsClock = false }
}
