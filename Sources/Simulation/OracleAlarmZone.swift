import Horology

/// What another zone means for the alarms.
extension Oracle {
  /// The zone has changed: alarms that local time has skipped are due.
  mutating func alarmsMove(from before: OracleFace, isStart: Bool, _ moment: Moment) {
    let isDoubtful = isClockForAlarms && trust == .untrusted && !isStart
    pledgeAlarms(by: before, moment)
    for (source, entry) in timers.entries {
      guard let alarm = entry.alarm, alarm.pledge != nil, isDoubtful else { continue }
      // An alarm that is due already stays due. Others count from now.
      if alarm.owed == nil { timers.entries[source]!.alarm!.since = moment.shown }
    }
    if isEnding { settlePledges(moment) }
    timers.nextAlarm = nil
  }

  /// A service that ends decides nothing more, but by a right clock the alarms get their times anew.
  mutating func settlePledges(_ moment: Moment) {
    guard trust != .untrusted else { return }
    for (source, entry) in timers.entries {
      guard let alarm = entry.alarm, let pledge = alarm.pledge, pledge.instant > moment.shown
      else { continue }
      let moved = steppedOver(alarm, moment)
      timers.entries[source]!.alarm!.pledge = moved.map { .init(instant: $0, day: pledge.day) }
      if moved == nil { timers.entries[source]!.alarm!.since = moment.shown }
    }
  }

  /// The pledged time by the current zone, if that zone has passed it; nil if it has not.
  func steppedOver(_ alarm: AlarmReckoning, _ moment: Moment) -> Int64? {
    guard let pledge = alarm.pledge else { return nil }
    let instants = face.instants(day: pledge.day, minute: alarm.plan.minuteOfDay)
    guard !instants.contains(pledge.instant), let first = instants.first, first <= moment.shown,
      first > alarm.acknowledged ?? .min
    else { return nil }
    return first
  }
}
