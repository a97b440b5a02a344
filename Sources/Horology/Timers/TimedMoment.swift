/// A moment that a person has set by a span of time: it comes when the span has passed, asleep or
/// not, whatever the clock is set to.
public struct TimedMoment: Hashable, Sendable {
  /// Since the machine started, sleep included.
  public internal(set) var sinceBoot: Duration
  /// What the clock shows then: what is left of the moment after a power cut.
  public internal(set) var shown: Instant

  public init(sinceBoot: Duration, shown: Instant) {
    self.sinceBoot = sinceBoot
    self.shown = shown
  }

  init(_ span: Duration, after now: Now) {
    self.init(sinceBoot: now.sinceBoot + span, shown: now.instant + span)
  }

  /// How long it is until then; negative once it has passed.
  public func left(at now: Now) -> Duration { sinceBoot - now.sinceBoot }

  static func + (moment: Self, span: Duration) -> Self {
    Self(sinceBoot: moment.sinceBoot + span, shown: moment.shown + span)
  }

  /// The clock was set: the moment stays, and the clock shows something else then.
  mutating func noteClockSet(at now: Now) {
    shown = now.instant + left(at: now)
  }

  /// The machine has started since: the moment comes when the clock shows it.
  mutating func noteStart(at now: Now) {
    sinceBoot = now.sinceBoot + (shown - now.instant)
  }
}
