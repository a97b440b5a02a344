import Basics
import Daemon
import Horology
import Vocabulary

extension ReminderEvent {
  /// - Parameter neverHeard: why nothing of its ring was heard; nil if something was.
  func notice(of reminder: Reminder, neverHeard: SkipReason?) -> Notice {
    let kind = reminder.kind
    let (name, missed, rings) =
      kind == .timer
      ? ("TIMER", JournalEvent.timerMissed, JournalEvent.timerElapsed)
      : ("ALARM", .alarmMissed, .alarmRings)
    var fields: [String: String?] = [
      "CAUSE": kind.rawValue, name: String(reminder.number), "\(name)_NAME": reminder.name,
      "LENGTH_USEC": reminder.length?.inMicroseconds, "DUE": reminder.due?.utcText(),
      "CHANGE": key(of: kind),
    ]
    func notice(_ event: JournalEvent, _ words: String, isWarning: Bool = true) -> Notice {
      Notice(event, isWarning ? .warning : .info, "\(reminder.title) \(words)", fields)
    }
    func change(_ words: String) -> Notice {
      notice(kind == .timer ? .timer : .alarm, words, isWarning: false)
    }
    func end(_ reason: String, _ words: String, isByHand: Bool = true) -> Notice {
      fields["REASON"] = reason
      var words = words
      if let neverHeard {
        fields["CHANGE"] = "never_heard"
        fields["DETAIL"] = neverHeard.description
        words += "; it was never heard: \(neverHeard)"
      }
      return kind == .timer || isByHand ? change(words) : notice(missed, words)
    }
    switch self {
    case .set:
      return change(
        reminder.alarm.map { "was set for \($0.times)" }
          ?? "was started, for \((reminder.length ?? .zero).inFull)")
    case .changed(let how): return change(how.words)
    case .cancelled where reminder.origin == .configuration:
      return change("was removed: the configuration does not have it any more")
    case .cancelled: return end("cancelled", "was removed")
    case .rings(let how, let unheard):
      fields["REASON"] = unheard?.key
      var isWarning = unheard != nil
      if case .due(let late?) = how {
        fields["LATE_USEC"] = late.inMicroseconds
        isWarning = true
      }
      let silence = unheard.map { "; it cannot be heard: \($0)" } ?? ""
      return notice(rings, how.words(kind) + silence, isWarning: isWarning)
    case .silenced(let reason):
      fields["REASON"] = reason.key
      return notice(missed, "is due, but stays silent: \(reason)")
    case .stopped(let reason):
      let isByHand = reason == .byHand || reason == .muted
      return end(reason.key, "has stopped ringing: \(reason)", isByHand: isByHand)
    case .missed:
      guard let neverHeard else { return notice(missed, "rang, and nobody stopped it") }
      (fields["CHANGE"], fields["REASON"]) = ("never_heard", "never_heard")
      fields["DETAIL"] = neverHeard.description
      return notice(missed, "was never heard: \(neverHeard)")
    case .expired(let late):
      fields["LATE_USEC"] = late.inMicroseconds
      return notice(missed, "was due \(late.roughly) ago: too long ago to ring")
    case .unheard(let why):
      fields["DETAIL"] = why
      return notice(.timerUnheard, "cannot be heard: \(why)")
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
    case .unskipped: "does not skip its next ring any more"
    case .turned(let on): "is turned \(on ? "on" : "off")"
    }
  }
}

extension ReminderEvent.Ring {
  fileprivate func words(_ kind: Reminder.Kind) -> String {
    switch self {
    case .due(nil): kind == .timer ? "is at zero, and rings" : "rings"
    case .due(let late?):
      "\(kind == .timer ? "was at zero" : "was to ring") \(late.roughly) ago, and rings now"
    case .again: "rings again after a snooze"
    case .on: "goes on ringing after the restart"
    }
  }
}

extension AlarmTimes: CustomStringConvertible {
  /// As in `07:00, mon-fri`.
  public var description: String { "\(time), \(days)" }
}

extension IntervalEvent {
  func notice(of interval: IntervalTimer) -> Notice {
    var (event, priority, words) = (JournalEvent.interval, Priority.info, "is over")
    var fields: [String: String?] = ["CAUSE": "interval"]
    switch self {
    case .started: words = "was started"
    case .wentOn: words = "runs already, and goes on"
    case .stopped(let reason):
      fields["REASON"] = reason.key
      words += ": \(reason)"
    case .over(nil): break
    case .over(let late?):
      fields["LATE_USEC"] = late.inMicroseconds
      (priority, words) = (.warning, "was over \(late.roughly) ago")
    case .unheard(let why):
      fields["DETAIL"] = why
      (event, priority, words) = (.timerUnheard, .warning, "cannot be heard: \(why)")
    }
    return Notice(event, priority, "\(interval.title) \(words)", fields)
  }
}
