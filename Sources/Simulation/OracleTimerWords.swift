import Horology

/// Judges the words of timers, and the time that is said for alarms.
extension Oracle {
  /// Words of a timer, or the time for an alarm, are given to the player.
  mutating func playsWords(_ words: TimerWords, _ id: SoundingID, _ moment: Moment) {
    guard case .tell? = timers.order, case .timer = words.source else {
      return givesWords(words)
    }
    timers.told = id
    guard let entry = timers.entries[words.source], entry.rings == nil else { return }
    let left = left(of: entry, moment)
    // It is about to ring.
    if left <= entry.slack + Self.tolerance { return }
    let slack = entry.slack
    let isTrue = [left - slack, left, left + slack].contains {
      words.phrases == [.left(.nanoseconds(Self.roughly($0)))]
    }
    if !isTrue { violated(.truth, "\(words.phrases) is told of \(left) ns", moment) }
  }

  /// The player has the words: from here on the service must report what becomes of them.
  private mutating func givesWords(_ words: TimerWords) {
    if case .left(let left)? = words.phrases.first {
      timers.entries[words.source]?.toldLeft.insert(left.nanoseconds)
    }
    for source in those(words) { timers.entries[source]!.words?.isGiven = true }
  }

  /// The sources for which these words are said: the time is said once for all alarms that ring.
  private func those(_ words: TimerWords) -> [Cue.Source] {
    if words.isOfTimeLeft { return [] }
    guard words.phrases == [.time] else {
      return timers.entries[words.source] == nil ? [] : [words.source]
    }
    return timers.entries.filter { $0.value.alarm != nil && $0.value.rings != nil }.map(\.key)
  }

  /// How much quieter the time for an alarm is, in dB, by the loudest alarm that rings. Nil if the
  /// announcement is not the time for an alarm.
  func riseOfTime(_ announcement: Announcement, _ moment: Moment) -> Double? {
    guard case .timer(let words) = announcement.cause, words.phrases == [.time] else { return nil }
    let ahead = announcement.anchor.shown - moment.shown
    return timers.entries.values.compactMap { entry -> Double? in
      guard let alarm = entry.alarm, let since = entry.rings else { return nil }
      return alarm.plan.rise?.decibels(after: since.passed(moment) + ahead) ?? 0
    }.max() ?? 0
  }

  // MARK: What must be said

  /// Checks that the words of a ring were said, or that the service reported why not.
  mutating func judgeWords(_ source: Cue.Source, _ moment: Moment) {
    guard let words = timers.entries[source]!.words, !words.isGiven, !isEnding,
      moment.elapsed > words.latest + slack(of: source) + Self.tolerance + held(since: words.due)
    else { return }
    if words.isOverdue { violated(.ring, "\(source) rings, and nothing was said of it", moment) }
    timers.entries[source]!.words!.isOverdue = true
  }

  /// It rings no more. Words that were not said by then had no time, or something was in their way.
  mutating func dropWords(of source: Cue.Source, _ moment: Moment) {
    guard let words = timers.entries[source]?.words, !words.isGiven, !isEnding else { return }
    let due = words.due - words.lead
    let causes: Cause = [.busy, .clock, .sleep, .service, .lever, .mute, .rules, .trust]
    let late = moment.elapsed - due - held(since: due) - slack(of: source)
    guard late > 500 * millisecond, !isBusy, !happened(causes, since: due),
      !isNearOccasion(moment), !isNearOccasion(moment.later(by: due - moment.elapsed)),
      !areTimersSilenced, alarm(source) == nil || isClockForAlarms
    else { return }
    violated(.ring, "\(source) rings no more, and nothing was said of it", moment)
  }

  private func slack(of source: Cue.Source) -> Int64 { timers.entries[source]?.slack ?? 0 }

  /// Checks that the time left was said when it was due, or that the service reported why not.
  mutating func judgeLeft(
    _ source: Cue.Source, _ entry: TimerReckoning.Entry, _ zero: Reckoned, _ moment: Moment
  ) {
    guard !rules.tellsLeft.isEmpty, entry.alarm == nil else { return }
    var lefts: [Int64] = []
    if rules.tellsLeft.contains(.half), entry.length / 2 >= minute {
      lefts.append(Self.roughly(entry.length / 2))
    }
    if rules.tellsLeft.contains(.minute) { lefts.append(minute) }
    for left in lefts {
      let due = zero.elapsed(moment) - left
      let isPlanned = due - rules.lead > entry.plannedAt + Self.tolerance + zero.slack
      let latest = due + rules.latestWords + Self.tolerance + zero.slack
      guard isPlanned, !isEnding, moment.elapsed > latest,
        moment.elapsed > latest + held(since: due),
        !timers.entries[source]!.toldLeft.contains(left),
        !timers.entries[source]!.overdueLeft.insert(left).inserted
      else { continue }
      violated(.ring, "nothing was said of \(source) with \(left / second) s left", moment)
    }
  }

  /// The time left as a person would say it: to half hours, half minutes, ten seconds, seconds.
  private static func roughly(_ left: Int64) -> Int64 {
    let step =
      left >= hour
      ? hour / 2 : left >= minute ? minute / 2 : left >= 10 * second ? 10 * second : second
    return max((left + (step - 1) / 2) / step * step, second)
  }

  mutating func hears(_ words: TimerWords, _ announcement: Announcement, _ moment: Moment) {
    guard played?.stopped == nil, timers.told != announcement.id else { return }
    // The time is said for all alarms that ring, even if the one that it was played for was
    // stopped.
    let ringing = timers.entries.filter { $0.value.alarm != nil && $0.value.rings != nil }
    if words.phrases == [.time], ringing[words.source] == nil, !ringing.isEmpty {
      for source in ringing.keys { timers.entries[source]!.words = nil }
      return hearsAnswer(announcement, moment)
    }
    // It may have rung out a moment ago.
    if timers.entries[words.source]?.rings == nil, !words.isOfTimeLeft,
      happened([.order, .ring], since: moment.elapsed - rules.lead - longestQueue)
    {
      return
    }
    guard let entry = timers.entries[words.source] else {
      return violated(.truth, "\(words.subject) is said, and there is none", moment)
    }
    if case .left(let left)? = words.phrases.first {
      timers.entries[words.source]!.toldLeft.insert(left.nanoseconds)
      let late: Int64
      var early: Int64 = 0
      switch entry.state {
      case .running(let zero): late = left.nanoseconds + zero.passed(moment)
      case .paused(let rest):
        late = left.nanoseconds - rest
        // It was paused after the player got the words.
        early = rules.lead
      default: return violated(.truth, "\(words.subject) is said, and it does not run", moment)
      }
      let small = smallSteps(since: (played?.since ?? moment.elapsed) - second)
      let allowed = Self.tolerance + entry.slack + small
      if late < -early - allowed || late > rules.lateLimit + rules.lead + allowed,
        !happened([.rules], since: moment.elapsed - minute)
      {
        violated(.late, "\(words.subject) is said \(Double(late) / 1e9) s late", moment)
      }
      return
    }
    let allowed = Self.tolerance + (entry.moment?.slack ?? 0)
    var mayBeSaid = [entry.words]
    timers.entries[words.source]?.words = nil
    if words.phrases == [.time] {
      hearsAnswer(announcement, moment)
      // The time is said once for all alarms that ring, after the tune of the one that is heard.
      for (source, other) in timers.entries where other.alarm != nil && other.rings != nil {
        if other.rings == entry.rings { mayBeSaid.append(other.words) }
        timers.entries[source]!.words = nil
      }
    } else if words.phrases.first
      != (entry.name.map { .name($0) } ?? .timer(.nanoseconds(entry.length)))
    {
      violated(.truth, "\(words.phrases) is said of \(entry.name ?? "no name")", moment)
    }
    let isTimely = mayBeSaid.compactMap { $0 }.contains {
      $0.heard.lowerBound - allowed...$0.heard.upperBound + allowed ~= moment.elapsed
    }
    if entry.rings == nil || !isTimely, !happened([.rules], since: moment.elapsed - minute) {
      violated(.late, "\(words.subject) is said, and it is not the time for it", moment)
    }
  }

  /// When words were due to be given to the player; 20 s ago if that is not known.
  private func due(_ words: TimerWords, _ moment: Moment) -> Moment {
    var due = moment.elapsed - 20 * second
    let entry = timers.entries[words.source]
    if case .left(let left)? = words.phrases.first {
      guard case .running(let zero)? = entry?.state else {
        return moment.later(by: due - moment.elapsed)
      }
      due = zero.elapsed(moment) - left.nanoseconds - rules.lead
    } else if let words = entry?.words {
      due = words.heard.lowerBound - words.lead
    }
    return moment.later(by: min(due - moment.elapsed, 0))
  }

  mutating func judgeUnsaid(_ words: TimerWords, _ reason: SkipReason, _ moment: Moment) {
    let due = due(words, moment)
    let heard = words.isOfTimeLeft ? nil : timers.entries[words.source]?.words?.heard
    let time = heard.map { $0.upperBound - $0.lowerBound } ?? rules.latestWords
    // Words that a person has asked for do not take the place of those that a ring brings. They do
    // not wait: their end in the player is all that can be told of them.
    let hasEnded =
      switch reason {
      case .stopped, .failed: true
      default: false
      }
    let isOfOrder = timers.isToldUnsaid && hasEnded
    if isOfOrder { timers.isToldUnsaid = false }
    if case .left(let left)? = words.phrases.first {
      timers.entries[words.source]?.toldLeft.insert(left.nanoseconds)
    } else if !isOfOrder {
      for source in those(words) {
        let isOver = timers.entries[source]!.words.map {
          $0.isGiven || $0.latest <= moment.elapsed + rules.lead + Self.tolerance
        }
        // Alarms that began together have the same words.
        let isTogether = timers.entries[source]!.rings == timers.entries[words.source]?.rings
        if isTogether || isOver == true { timers.entries[source]!.words = nil }
      }
    }
    let isTrue =
      switch reason {
      case .stopped, .failed: ledger.pay(.unsaid)
      case .muted, .switchLost: isTrueOfSilence(reason)
      case .softwareMuted:
        (isMutedForTimers(moment) || happened([.mute], since: ledger.rested))
          && words.phrases != [.time]
      case .untrusted:
        (trust == .untrusted || happened([.trust], since: ledger.rested))
          && words.phrases == [.time]
      // The words waited too long for other words, which were said or about to be. The service may
      // learn only now that those are over.
      case .busy: isBusy || happened([.busy], since: min(due.elapsed, ledger.rested))
      case .occasionIsNear: isNearOccasion(moment) || isNearOccasion(due)
      case .late:
        happened([.sleep, .service], since: due.elapsed)
          || wasHeld(time - 2 * millisecond, since: due.elapsed)
      default: false
      }
    if !isTrue {
      violated(.complete, "\(words.subject) is not said for no true reason: \(reason)", moment)
    }
  }
}

extension Oracle {
  /// True if a person may have muted the time left of timers. A mute of the next occasion does not.
  private func isMutedForTimers(_ moment: Moment) -> Bool {
    switch mute.covers(moment.shown, moment) {
    // Another mute may have been lost, or come back, with the power.
    case nil: true
    case let isMuted?: isMuted && mute.state != .next
    }
  }
}

extension TimerWords {
  fileprivate var isOfTimeLeft: Bool { if case .left? = phrases.first { true } else { false } }
}
