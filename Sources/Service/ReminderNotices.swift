import Basics
import Daemon
import Horology

extension ReminderEvent {
  /// - Parameter neverHeard: why nothing of its ring was heard; nil if something was.
  func notice(of reminder: Reminder, neverHeard: SkipReason? = nil) -> Notice {
    let kind = reminder.kind
    let isTimer = kind == .timer
    let name = isTimer ? "TIMER" : "ALARM"
    var fields: [String: String?] = [
      "CAUSE": kind.rawValue, name: String(reminder.number), "\(name)_NAME": reminder.name,
      "LENGTH_USEC": reminder.length?.inMicroseconds, "DUE": reminder.due?.utcText(),
      "CHANGE": key(of: kind),
    ]
    func notice(_ event: JournalEvent, _ priority: Priority, _ words: String) -> Notice {
      Notice(event, priority, "\(reminder.title) \(words)", fields)
    }
    func change(_ words: String) -> Notice { notice(isTimer ? .timer : .alarm, .info, words) }
    func missed(_ words: String) -> Notice {
      notice(isTimer ? .timerMissed : .alarmMissed, .warning, words)
    }
    func end(_ reason: String, _ words: String, isByHand: Bool = true) -> Notice {
      fields["REASON"] = reason
      var words = words
      if let neverHeard {
        fields["CHANGE"] = "never_heard"
        fields["DETAIL"] = neverHeard.description
        words += "; it was never heard: \(neverHeard)"
      }
      return isTimer || isByHand ? change(words) : missed(words)
    }
    switch self {
    case .set:
      return change(
        reminder.alarm.map { "was set for \($0.times)" }
          ?? "was started, for \((reminder.length ?? .zero).inFull)")
    case .changed(let how): return change(how.words)
    case .cancelled where reminder.origin == .configuration:
      return change("was removed: the configuration does not have it any more")
    case .cancelled: return end("cancelled", "was cancelled")
    case .rings(let how, let unheard):
      fields["REASON"] = unheard?.key
      let isLate: Bool
      if case .due(let late?) = how {
        fields["LATE_USEC"] = late.inMicroseconds
        isLate = true
      } else {
        isLate = false
      }
      return notice(
        isTimer ? .timerElapsed : .alarmRings, isLate || unheard != nil ? .warning : .info,
        how.words(kind, unheard))
    case .silenced(let reason):
      fields["REASON"] = reason.key
      return missed(
        isTimer
          ? "is at zero, and nobody hears it: \(reason)" : "is due but stays silent: \(reason)")
    case .stopped(let reason):
      let isByHand = reason == .byHand || reason == .muted
      return end(reason.key, "has stopped ringing: \(reason)", isByHand: isByHand)
    case .missed:
      guard let neverHeard else { return missed("rang, and nobody stopped it") }
      (fields["CHANGE"], fields["REASON"]) = ("never_heard", "never_heard")
      fields["DETAIL"] = neverHeard.description
      return missed("was never heard: \(neverHeard)")
    case .expired(let late):
      fields["LATE_USEC"] = late.inMicroseconds
      return missed(
        isTimer
          ? "was at zero \(late.roughly) ago: too long ago to ring"
          : "was to ring \(late.roughly) ago: too long ago")
    case .unheard(let why):
      fields["DETAIL"] = why
      return notice(.timerUnheard, .warning, "cannot be heard: \(why)")
    }
  }
}

extension ReminderEvent.Change {
  fileprivate var words: String {
    switch self {
    case .lengthened(let span): "has \(span.inFull) more"
    case .paused: "is paused"
    case .resumed: "goes on"
    case .told(let left): "has \(left.roundedUp) left, which a person asked for"
    case .snoozed: "was snoozed for \(Reminder.snooze.roundedUp)"
    case .skipped: "skips its next ring"
    }
  }
}

extension ReminderEvent.Ring {
  /// - Parameter unheard: why it is not heard.
  fileprivate func words(_ kind: Reminder.Kind, _ unheard: SkipReason?) -> String {
    let silence = unheard.map { "cannot be heard: \($0)" }
    switch self {
    case .due(let late):
      let was = kind == .timer ? "was at zero" : "was to ring"
      let now = kind == .timer ? "is at zero" : "is to ring now"
      let due = late.map { "\(was) \($0.roughly) ago" } ?? now
      if kind == .alarm, late == nil, silence == nil { return "rings" }
      return "\(due), and \(silence ?? (late == nil ? "rings" : "rings now"))"
    case .again:
      return silence.map { "is to ring again after a snooze, and \($0)" }
        ?? "rings again after a snooze"
    case .on:
      return silence.map { "is to ring on, and \($0)" } ?? "goes on ringing after the restart"
    }
  }
}

extension AlarmTimes: CustomStringConvertible {
  /// As in `07:00, mon-fri`.
  public var description: String { "\(time), \(days)" }
}

extension IntervalEvent {
  func notice(of interval: IntervalTimer) -> Notice {
    let title = interval.title
    var fields: [String: String?] = ["CAUSE": "interval"]
    switch self {
    case .started: return Notice(.interval, .info, "\(title) was started", fields)
    case .wentOn:
      return Notice(.interval, .info, "\(title) runs already, and goes on", fields)
    case .stopped(let reason):
      fields["REASON"] = reason.key
      return Notice(.interval, .info, "\(title) is over: \(reason)", fields)
    case .over(nil): return Notice(.interval, .info, "\(title) is over", fields)
    case .over(let late?):
      fields["LATE_USEC"] = late.inMicroseconds
      return Notice(
        .interval, .warning,
        "\(title) was over \(late.roughly) ago", fields)
    case .unheard(let why):
      fields["DETAIL"] = why
      return Notice(.timerUnheard, .warning, "\(title) cannot be heard: \(why)", fields)
    }
  }
}
