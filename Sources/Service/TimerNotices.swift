import Basics
import Daemon
import Horology

extension TimerEvent {
  /// The notice for an event of a timer.
  /// - Parameter neverHeard: why nothing of its ring was heard; nil if something was.
  func notice(of countdown: Countdown, neverHeard: SkipReason? = nil) -> Notice {
    let title = countdown.title
    var fields: [String: String?] = [
      "CAUSE": "timer", "TIMER": String(countdown.number), "TIMER_NAME": countdown.name,
      "LENGTH_USEC": countdown.length.inMicroseconds, "DUE": countdown.due?.utcText(),
      "CHANGE": key,
    ]
    func notice(_ event: JournalEvent, _ priority: Priority, _ words: String) -> Notice {
      Notice(event, priority, "\(title) \(words)", fields)
    }
    func change(_ words: String) -> Notice { notice(.timer, .info, words) }
    func end(_ reason: String, _ words: String) -> Notice {
      fields["REASON"] = reason
      fields["DETAIL"] = neverHeard?.description
      let silence = neverHeard.map { "; it was never heard: \($0)" } ?? ""
      return notice(.timer, .info, words + silence)
    }
    switch self {
    case .started: return change("was started, for \(countdown.length.inFull)")
    case .lengthened(let span): return change("has \(span.inFull) more")
    case .paused: return change("is paused")
    case .resumed: return change("goes on")
    case .cancelled: return end("cancelled", "was cancelled")
    case .told(let left):
      return change("has \(left.roundedUp) left, which a person asked for")
    case .elapsed(let late, let unheard):
      fields["LATE_USEC"] = late?.inMicroseconds
      fields["REASON"] = unheard?.key
      let place = late.map { "was at zero \($0.roughly) ago" }
      let rings = unheard.map { "cannot be heard: \($0)" } ?? (late == nil ? "rings" : "rings now")
      return notice(
        .timerElapsed, late == nil && unheard == nil ? .info : .warning,
        "\(place ?? "is at zero"), and \(rings)")
    case .ringsOn(let unheard):
      fields["REASON"] = unheard?.key
      return notice(
        .timerElapsed, unheard == nil ? .info : .warning,
        unheard.map { "is to ring on, and cannot be heard: \($0)" }
          ?? "goes on ringing after the restart")
    case .silenced(let reason):
      fields["REASON"] = reason.key
      return notice(.timerMissed, .warning, "is at zero, and nobody hears it: \(reason)")
    case .stopped(let reason): return end(reason.key, "has stopped ringing: \(reason)")
    case .expired(let late):
      fields["LATE_USEC"] = late.inMicroseconds
      return notice(
        .timerMissed, .warning,
        "was at zero \(late.roughly) ago: too long ago to ring")
    case .missed: return notice(.timerMissed, .warning, "rang, and nobody stopped it")
    case .neverHeard(let why):
      fields["REASON"] = "never_heard"
      fields["DETAIL"] = why.description
      return notice(.timerMissed, .warning, "was never heard: \(why)")
    case .unheard(let why):
      fields["DETAIL"] = why
      return notice(.timerUnheard, .warning, "cannot be heard: \(why)")
    }
  }
}

extension IntervalTimer {
  /// The notice at the start of a service, of an interval that ran before.
  var noticeOfRestart: Notice {
    Notice(.interval, .info, "\(title) goes on after the restart", ["CAUSE": "interval"])
  }
}

extension IntervalEvent {
  /// The notice for an event of an interval.
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
