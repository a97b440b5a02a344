public struct IntervalTimer: Hashable, Sendable {
  public let plan: IntervalPlan
  /// When its first cue sounds. Every other is placed by arithmetic from it.
  public internal(set) var start: TimedMoment

  public init(_ plan: IntervalPlan, start: TimedMoment) {
    self.plan = plan
    self.start = start
  }

  /// As it is after a start of the service.
  /// - Parameter isSameBoot: false if the machine has started since, too.
  public func started(isSameBoot: Bool, at now: Now) -> IntervalTimer {
    var interval = self
    interval.start.noteStart(isSameBoot: isSameBoot, at: now)
    // It runs already. The clock came back behind, so it seems to begin later.
    if !isSameBoot, interval.start.left(at: now) > .zero {
      interval.start = TimedMoment(.zero, after: now)
    }
    return interval
  }

  /// As in `interval of 30 s`.
  public var title: String { "interval of \(plan)" }

  /// Time since its start; negative before it.
  public func passed(at now: Now) -> Duration { .zero - start.left(at: now) }

  public func passed(at instant: Instant) -> Duration { instant - start.shown }
}

public enum IntervalOrder: Hashable, Sendable {
  /// `replaces` is true if it takes the place of one that runs.
  case start(IntervalPlan, replaces: Bool)
  case stop
}

public enum IntervalEvent: Hashable, Sendable {
  case started
  /// A person started the same interval again, which changed nothing.
  case wentOn
  case stopped(StopReason)
  /// All rounds are over; `late` is how long ago, nil if just now.
  case over(late: Duration?)
  case unheard(String)
}
