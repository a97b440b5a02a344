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
}

/// Every ring of the alarms from an instant on, the zero of each timer, and the next cue and the
/// end of each interval, in order of their instants. Endless if an alarm rings every week.
///
/// An interval may have a cue each second, so only the next one is listed.
public struct Appointments: Sequence, IteratorProtocol {
  private let zone: any Zone
  private let start: Instant
  /// The next appointments of each source, sorted by instant.
  private var coming: [Appointment] = []

  /// - Parameter interval: nil if none runs.
  public init(
    of alarms: [Alarm], _ timers: [Countdown], _ interval: IntervalTimer?, in zone: any Zone,
    from start: Instant
  ) {
    (self.zone, self.start) = (zone, start)
    for alarm in alarms { take(alarm) }
    for timer in timers {
      // Nobody knows when a paused timer goes on.
      if case .running(let zero) = timer.state { add(.timer(timer), at: zero.shown) }
    }
    if let interval { take(interval) }
    coming.sort { $0.instant < $1.instant }
  }

  public mutating func next() -> Appointment? {
    guard !coming.isEmpty else { return nil }
    let first = coming.removeFirst()
    if case .alarm(let alarm) = first.cause, case .waiting = alarm.state,
      let ring = ring(of: alarm, after: first.instant)
    {
      coming.insert(ring, at: coming.firstIndex { ring.instant < $0.instant } ?? coming.endIndex)
    }
    return first
  }

  // MARK: The next of each

  private mutating func take(_ alarm: Alarm) {
    let last: Instant
    switch alarm.state {
    case .waiting(nil, _): return
    case .waiting(let next?, _):
      if next >= start { return add(.alarm(alarm), at: next) }
      last = next
    case .snoozing(let ring, let until):
      add(.alarm(alarm), at: until.shown)
      last = ring
    case .ringing(let ring, _): last = ring
    }
    let next = ring(of: alarm, after: Swift.max(last, start - .nanoseconds(1)))
    if let next { coming.append(next) }
  }

  /// The first ring of an alarm after an instant, if it rings every week.
  private func ring(of alarm: Alarm, after instant: Instant) -> Appointment? {
    guard !alarm.plan.times.days.isOnce,
      let ring = alarm.plan.times.nextRing(after: instant, in: zone)
    else { return nil }
    var waiting = alarm
    waiting.state = .waiting(next: ring, from: nil)
    return Appointment(cause: .alarm(waiting), instant: ring)
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
    if instant >= start { coming.append(Appointment(cause: cause, instant: instant)) }
  }
}
