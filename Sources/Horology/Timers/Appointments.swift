/// One sound that is set besides the occasions: of an alarm, a timer or an interval.
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
  /// Local time at `instant`.
  public let civil: CivilTime
  /// Why it will be silent; nil if it will sound.
  public let refusal: SkipReason?
}

/// Every ring of the alarms from an instant on, the zero of each timer, and the next cue and the
/// end of each interval, in order of their instants. Endless if an alarm rings every week.
///
/// An interval may have a cue each second, so only the next one is listed.
public struct Appointments: Sequence, IteratorProtocol {
  private let rules: Rules
  private let zone: any Zone
  private let start: Instant
  /// The next appointments of each source, sorted by instant.
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
      // Nobody knows when a paused timer goes on.
      if case .running(let zero) = timer.state { add(.timer(timer), at: zero.shown) }
    }
    for interval in intervals { take(interval) }
  }

  /// Only the alarms of the configuration, as for a service that is started at `start`.
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
      add(.alarm(alarm), at: until.shown)
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
    // The last cue is the end itself: do not list it twice.
    guard let length = interval.plan.length, length > cue.offset,
      let end = interval.plan.cue(atOrAfter: length)
    else { return }
    add(.interval(interval, end), at: begun + length)
  }

  private mutating func add(_ cause: Appointment.Cause, at instant: Instant) {
    guard instant >= start else { return }
    let civil = zone.civil(at: instant)
    let new = Appointment(
      cause: cause, instant: instant, civil: civil, refusal: rules.refusalOfTimers)
    coming.insert(new, at: coming.firstIndex { instant < $0.instant } ?? coming.endIndex)
  }
}
