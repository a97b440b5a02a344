/// A sound that is set besides the occasions.
public struct Appointment: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case alarm(Reminder)
    case timer(Reminder)
    case interval(IntervalTimer, IntervalPlan.TimedSignal)
  }

  public let cause: Cause
  public let instant: Instant
}

/// Every ring of the alarms from an instant on, the zero of each timer, and the next cue and the
/// end of the interval, in order. Endless if an alarm rings every week.
public struct Appointments: Sequence, IteratorProtocol {
  private let zone: any Zone
  private let start: Instant
  /// The next of each source.
  private var coming: [Appointment] = []

  public init(
    of reminders: Reminders, _ interval: IntervalTimer?, in zone: any Zone, from start: Instant
  ) {
    (self.zone, self.start) = (zone, start)
    for alarm in reminders.alarms { add(alarm) }
    // Nobody knows when a paused timer goes on.
    for timer in reminders.timers { if let zero = timer.next { add(.timer(timer), at: zero) } }
    if let interval { add(interval) }
  }

  public mutating func next() -> Appointment? {
    guard let index = coming.indices.min(by: { coming[$0].instant < coming[$1].instant }) else {
      return nil
    }
    let first = coming.remove(at: index)
    if case .alarm(let alarm) = first.cause, !alarm.isUp,
      let ring = ring(of: alarm, after: first.instant)
    {
      coming.append(ring)
    }
    return first
  }

  // MARK: The next of each

  private mutating func add(_ alarm: Reminder) {
    if let next = alarm.next {
      add(.alarm(alarm), at: next)
      if next >= start, !alarm.isUp { return }
    }
    // It rings or snoozes, or its next ring is past.
    guard let last = alarm.due else { return }
    if let next = ring(of: alarm, after: Swift.max(last, start - .nanoseconds(1))) {
      coming.append(next)
    }
  }

  /// The first ring of an alarm after an instant, if it rings every week.
  private func ring(of alarm: Reminder, after instant: Instant) -> Appointment? {
    guard !alarm.isOnce, let ring = alarm.alarm?.times.nextRing(after: instant, in: zone) else {
      return nil
    }
    var waiting = alarm
    waiting.state = .waiting(TimedMoment(sinceBoot: .zero, shown: ring, followsClock: true))
    return Appointment(cause: .alarm(waiting), instant: ring)
  }

  private mutating func add(_ interval: IntervalTimer) {
    let begun = interval.start.shown
    guard let cue = interval.plan.cue(atOrAfter: start - begun) else { return }
    add(.interval(interval, cue), at: begun + cue.offset)
    // The last cue is the end itself: do not list it twice.
    guard let length = interval.plan.length, length > cue.offset,
      let end = interval.plan.cue(atOrAfter: length)
    else { return }
    add(.interval(interval, end), at: begun + length)
  }

  private mutating func add(_ cause: Appointment.Cause, at instant: Instant) {
    if instant >= start { coming.append(Appointment(cause: cause, instant: instant)) }
  }
}
