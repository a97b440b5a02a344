/// An interval that runs: its cues repeat until it is stopped or all of its rounds are over.
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

  /// The same by the clock alone.
  public func passed(at instant: Instant) -> Duration { instant - start.shown }
}

/// A person's order about the interval.
public enum IntervalOrder: Hashable, Sendable {
  /// `replaces` is true if it takes the place of one that runs.
  case start(IntervalPlan, replaces: Bool)
  case stop
}

/// What happened to an interval.
public enum IntervalEvent: Hashable, Sendable {
  case started
  /// A person started the same interval again, which changed nothing.
  case wentOn
  case stopped(StopReason)
  /// All rounds are over; `late` is how long ago, nil if just now.
  case over(late: Duration?)
  /// It cannot be heard; the text says why.
  case unheard(String)
}
