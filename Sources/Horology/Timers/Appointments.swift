/// What is set to sound besides the occasions, and when.
public struct Appointment: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case alarm(Alarm)
    /// At zero.
    case timer(Countdown)
    /// One of its cues.
    case interval(IntervalTimer, IntervalPlan.Cue)
  }

  public let cause: Cause
  public let instant: Instant
  /// What the clocks show then.
  public let civil: CivilTime
  /// Why it will be silent; nil if it will sound.
  public let refusal: SkipReason?
}

/// Every ring of the alarms from an instant on, the zero of each timer, and of an interval its next
/// cue and its end, in the order of their instants. Without end, if an alarm rings every week.
///
/// Of the cues of an interval there may be one each second.
public struct Appointments: Sequence, IteratorProtocol {
  private let rules: Rules
  private let zone: any Zone
  private let start: Instant
  /// What comes next of each, by instant.
  private var coming: [Appointment] = []

  /// - Parameters:
  ///   - rules: as they are for the occasions.
  ///   - intervals: those that run.
  public init(
    of alarms: [Alarm], _ timers: [Countdown], _ intervals: [IntervalTimer], _ rules: Rules,
    in zone: any Zone, from start: Instant
  ) {
    (self.rules, self.zone, self.start) = (rules, zone, start)
    for alarm in alarms { take(alarm) }
    for timer in timers {
      // Nobody knows when a paused one goes on.
      if case .running(let zero) = timer.state { add(.timer(timer), at: zero.shown) }
    }
    for interval in intervals { take(interval) }
  }

  /// The alarms of the configuration alone, as they are for a clock that is started at `start`.
  public init(of settings: AnnouncerSettings, in zone: any Zone, from start: Instant) {
    var alarms = Alarms()
    for plan in settings.alarms {
      let next = plan.times.next(from: start - .nanoseconds(1), in: zone)
      alarms.insert(plan, from: .configuration, .waiting(next: next, from: nil))
    }
    self.init(
      of: alarms.alarms, [], [], Rules(settings, trust: .synchronised), in: zone, from: start)
  }

  public mutating func next() -> Appointment? {
    guard !coming.isEmpty else { return nil }
    let first = coming.removeFirst()
    if case .alarm(let alarm) = first.cause, case .waiting = alarm.state {
      addRing(of: alarm, after: first.instant)
    }
    return first
  }

  // MARK: The next of each

  private mutating func take(_ alarm: Alarm) {
    switch alarm.state {
    case .waiting(nil, _): break
    case .waiting(let ring?, _) where ring >= start: add(.alarm(alarm), at: ring)
    case .waiting: addRing(of: alarm, after: start - .nanoseconds(1))
    case .snoozing(let ring, let until):
      add(.alarm(alarm), at: until.shown, ofRing: ring)
      addRing(of: alarm, after: Swift.max(ring, start - .nanoseconds(1)))
    case .ringing(let ring, _):
      addRing(of: alarm, after: Swift.max(ring, start - .nanoseconds(1)))
    }
  }

  /// The first ring of an alarm after an instant, if it rings every week.
  private mutating func addRing(of alarm: Alarm, after instant: Instant) {
    guard !alarm.plan.times.days.isOnce,
      let ring = alarm.plan.times.nextRing(after: instant, in: zone)
    else { return }
    var waiting = alarm
    waiting.state = .waiting(next: ring, from: nil)
    add(.alarm(waiting), at: ring)
  }

  private mutating func take(_ interval: IntervalTimer) {
    let begun = interval.start.shown
    guard let cue = interval.plan.cue(atOrAfter: start - begun) else { return }
    add(.interval(interval, cue), at: begun + cue.offset)
    // The last cue is the end.
    guard let length = interval.plan.length, length > cue.offset,
      let end = interval.plan.cue(atOrAfter: length)
    else { return }
    add(.interval(interval, end), at: begun + length)
  }

  /// - Parameter ring: of an alarm that was put off, the time that it was set for.
  private mutating func add(
    _ cause: Appointment.Cause, at instant: Instant, ofRing ring: Instant? = nil
  ) {
    guard instant >= start else { return }
    let civil = zone.civil(at: instant)
    let refusal: SkipReason? =
      switch cause {
      case .alarm(let alarm):
        rules.refusal(of: alarm.plan, at: [civil, ring.map { zone.civil(at: $0) } ?? civil])
      case .timer, .interval: rules.refusalOfTimers
      }
    let new = Appointment(cause: cause, instant: instant, civil: civil, refusal: refusal)
    coming.insert(new, at: coming.firstIndex { instant < $0.instant } ?? coming.endIndex)
  }
}
