/// An interval that runs: its cues repeat until it is stopped or all of its rounds are over.
public struct IntervalTimer: Hashable, Sendable {
  public let plan: IntervalPlan
  /// When its first cue sounds. Every other is placed by arithmetic from it.
  public internal(set) var start: TimedMoment

  public init(_ plan: IntervalPlan, start: TimedMoment) {
    self.plan = plan
    self.start = start
  }

  /// As in `interval of 30 s`.
  public var title: String { "interval of \(plan)" }

  /// Time since its start; negative before it.
  public func passed(at now: Now) -> Duration { .zero - start.left(at: now) }

  /// The same by the clock alone.
  public func passed(at instant: Instant) -> Duration { instant - start.shown }

  /// True if a cue before its end is still to come.
  public func goesOn(at now: Now) -> Bool {
    guard let cue = plan.cue(atOrAfter: passed(at: now)) else { return false }
    return plan.length.map { cue.offset < $0 } ?? true
  }
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
