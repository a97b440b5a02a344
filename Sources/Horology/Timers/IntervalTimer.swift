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

  /// How far it is, from its start; negative before that.
  public func passed(at now: Now) -> Duration { .zero - start.left(at: now) }
}

/// What has become of an interval.
public enum IntervalEvent: Hashable, Sendable {
  case started
  /// A person has started it once more: that has changed nothing.
  case wentOn
  case stopped(StopReason)
  /// All rounds are over, so long ago; nil if just now.
  case over(late: Duration?)
  /// It cannot be heard, with the device's own words.
  case unheard(String)
}

/// What an order has done.
public enum TimerAnswer: Hashable, Sendable {
  case countdown(Countdown)
  /// - `isNew`: it was started by the order.
  case interval(IntervalTimer, isNew: Bool)
  /// Nothing is left to tell of.
  case done
}
