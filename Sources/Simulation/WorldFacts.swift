import Horology

/// What the service gives to the speaker and tells, as facts for the judge.
extension World {
  func see(_ fact: Fact, _ moment: Moment? = nil) {
    let moment = moment ?? machine.moment
    if consequences == nil {
      judge.see(fact, moment)
    } else {
      consequences!.append((fact, moment))
    }
  }

  func see(_ report: Report) {
    switch report {
    case .skipped(let first, let last, let reason):
      see(
        .skipped(
          from: first.instant.nanoseconds, through: last.instant.nanoseconds, reason))
    case .cutOff(let announcement, let reason, _):
      if let occasion = Played(announcement).occasion { see(.cutOff(occasion, reason)) }
    case .brokeOff(let announcement, _):
      if let occasion = Played(announcement).occasion { see(.cutOff(occasion, nil)) }
    case .refused(.request): see(.refused)
    case .reminder(let reminder, let event):
      let source: Source =
        reminder.kind == .timer ? .timer(reminder.number) : .alarm(reminder.number)
      see(.told(source, name: reminder.name, event.change(of: reminder)))
    case .interval(_, let event): see(.told(.interval, name: nil, event.change))
    case .unsaid(let words, _): see(.unsaid(Source(words.source)))
    // It may end by itself.
    case .mute: see(.disturbed(.mute))
    case .announced, .refused, .trust, .ringer, .clockSet, .slept,
      .retrying:
      break
    }
  }
}

extension Source {
  init(_ source: Cue.Source) {
    self =
      switch source {
      case .timer(let number): .timer(number)
      case .alarm(let number): .alarm(number)
      case .interval: .interval
      }
  }
}

/// `ReminderEvent` has a `Change` of its own.
private typealias ChangeForJudge = Change

extension ReminderEvent {
  fileprivate func change(of reminder: Reminder) -> ChangeForJudge {
    switch self {
    case .rings(.on, _): .ringsOn
    case .rings: .rings
    case .changed(.snoozed): .snoozed
    // It rings after all if the clock is right in time.
    case .silenced(.untrusted) where reminder.kind == .alarm: .other
    case .changed(.skipped): .skipped
    case .silenced, .stopped, .missed, .expired, .cancelled: .ends
    case .set, .changed, .unheard: .other
    }
  }
}

extension IntervalEvent {
  fileprivate var change: Change {
    switch self {
    case .started: .rings
    case .stopped, .over: .ends
    case .wentOn, .unheard: .other
    }
  }
}

extension Played {
  init(_ announcement: Announcement) {
    let words: OwnerRules.Piece.Words =
      switch announcement.programme.words {
      case .none: .none
      case .at(let offset): .at(offset.nanoseconds)
      case .before(let gap, _): .before(gap.nanoseconds)
      }
    var time: CivilTime? = announcement.time
    let what: What
    switch announcement.cause {
    case .occasion(let occasion): what = .occasion(occasion.instant.nanoseconds)
    case .request: what = .request
    case .timer(let words):
      what = .words(Source(words.source), isTime: words.isOfTime)
      if !words.isOfTime { time = nil }
    }
    self.init(
      id: announcement.id.number, what: what, time: time,
      piece: .init(blows: announcement.programme.blows.map(\.offset.nanoseconds), words: words),
      decibels: announcement.decibels)
  }

  init(_ cue: Cue) {
    self.init(
      id: cue.id.number, what: cue.signal == .ring ? .ring(Source(cue.source)) : .cue(cue.signal),
      time: nil, piece: .init(blows: cue.blows.map(\.offset.nanoseconds)), decibels: cue.decibels)
  }
}
