import Basics
import Daemon
import Horology

extension AlarmEvent {
  /// The notice for an event of an alarm.
  func notice(of alarm: Alarm) -> Notice {
    let title = alarm.title
    var fields: [String: String?] = [
      "CAUSE": "alarm", "ALARM": String(alarm.number), "ALARM_NAME": alarm.name,
      "DUE": alarm.occasion?.utcText(),
    ]
    func notice(_ event: JournalEvent, _ priority: Priority, _ words: String) -> Notice {
      Notice(event, priority, "\(title) \(words)", fields)
    }
    func ring(
      _ words: String, _ unheard: SkipReason?, _ due: String, isLate: Bool = false
    ) -> Notice {
      fields["REASON"] = unheard?.key
      let heard = isLate ? "\(due), and \(words)" : words
      return notice(
        .alarmRings, isLate || unheard != nil ? .warning : .info,
        unheard.map { "\(due), and cannot be heard: \($0)" } ?? heard)
    }
    switch self {
    case .set: return notice(.alarm, .info, "was set for \(alarm.plan.times)")
    case .cancelled:
      return notice(
        .alarm, .info,
        alarm.origin == .configuration
          ? "was removed: the configuration does not have it any more" : "was cancelled")
    case .rings(let late, let unheard):
      fields["LATE_USEC"] = late?.inMicroseconds
      return late.map { ring("rings now", unheard, "was to ring \($0.roughly) ago", isLate: true) }
        ?? ring("rings", unheard, "is to ring now")
    case .ringsOn(let unheard):
      return ring("goes on ringing after the restart", unheard, "is to ring on")
    case .ringsAgain(let unheard):
      return ring("rings again after a snooze", unheard, "is to ring again after a snooze")
    case .silenced(let reason):
      fields["REASON"] = reason.key
      return notice(.alarmMissed, .warning, "is due but stays silent: \(reason)")
    case .snoozed: return notice(.alarm, .info, "was snoozed for \(Alarm.snooze.roundedUp)")
    case .skipped: return notice(.alarm, .info, "skips its next ring")
    case .stopped(let reason):
      fields["REASON"] = reason.key
      let isByHand = reason == .byHand || reason == .softwareMuted
      return notice(
        isByHand ? .alarm : .alarmMissed, isByHand ? .info : .warning,
        "has stopped ringing: \(reason)")
    case .missed: return notice(.alarmMissed, .warning, "rang, and nobody stopped it")
    case .neverHeard(let why):
      fields["REASON"] = "never_heard"
      fields["DETAIL"] = why.description
      return notice(.alarmMissed, .warning, "was never heard: \(why)")
    case .expired(let late):
      fields["LATE_USEC"] = late.inMicroseconds
      return notice(
        .alarmMissed, .warning,
        "was to ring \(late.roughly) ago: too long ago")
    case .nameLost(let name):
      return notice(
        .alarm, .warning,
        "lost its name \"\(name)\" to an alarm of the configuration; it still rings; "
          + "if both are the same alarm, cancel this one")
    case .unheard(let why):
      fields["DETAIL"] = why
      return notice(.timerUnheard, .warning, "cannot be heard: \(why)")
    }
  }
}

extension AlarmTimes: CustomStringConvertible {
  /// As in `07:00, mon-fri`.
  public var description: String { "\(time), \(days)" }
}
