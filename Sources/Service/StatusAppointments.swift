import Horology

extension Status {
  /// The alarms, timers and intervals that the service is to sound from an instant on.
  /// - Parameter rules: the same as for the occasions.
  public func appointments(
    _ rules: Rules, in zone: any Zone, from start: Instant
  ) -> Appointments {
    Appointments(
      of: alarms.compactMap(\.alarm), timers.compactMap(\.countdown), intervals.map(\.timer), rules,
      in: zone, from: start)
  }
}

extension Status.Alarm {
  /// The alarm as far as the status shows it: its tune has only a name. Nil if this version cannot
  /// read it.
  var alarm: Alarm? {
    guard let time = try? TimeOfDay(text: time), let days = try? AlarmDays(text: days) else {
      return nil
    }
    var plan = AlarmPlan(
      name: name.isEmpty ? nil : name, AlarmTimes(time: time, days: days))
    if !tune.isEmpty { plan.tune = Tune(name: tune, description: "", movements: [:]) }
    plan.rise = try? AlarmRise.rise(text: rise)
    let moment = nextInstant.map { TimedMoment(sinceBoot: .zero, shown: $0) }
    let state: Alarm.State
    switch (self.state, moment) {
    // The status does not show when it first rang: the end of the snooze stands in.
    case ("snoozing", let moment?): state = .snoozing(ring: moment.shown, until: moment)
    case ("ringing", _):
      let now = Instant(seconds: 0)
      state = .ringing(ring: now, since: TimedMoment(sinceBoot: .zero, shown: now))
    default: state = .waiting(next: nextInstant, from: nil)
    }
    return Alarm(number: Int(number), plan, from: .init(rawValue: origin) ?? .person, state: state)
  }
}

extension Status.Timer {
  /// Nil unless it counts down.
  fileprivate var countdown: Countdown? {
    guard state == "running" else { return nil }
    return Countdown(
      number: Int(number), name: name.isEmpty ? nil : name, length: span,
      state: .running(zero: TimedMoment(sinceBoot: .zero, shown: Instant(microseconds: zero))))
  }
}

extension Status.Interval {
  fileprivate var timer: IntervalTimer {
    IntervalTimer(
      plan, start: TimedMoment(sinceBoot: .zero, shown: Instant(microseconds: start)))
  }
}
