/// What becomes of the timers.
extension Announcer {
  /// A timer that is so long past zero has run out unnoticed: in a sleep, or with the power off.
  static let unnoticed = Duration.seconds(2)

  /// Does what a person wants of the timers.
  mutating func take(_ order: TimerOrder, at now: Now) -> [Effect] {
    do throws(TimerRefusal) {
      switch order {
      case .start(let length, let name):
        let countdown = try timers.start(length, name: name, at: now)
        planWords(of: countdown, at: now)
        return [.report(.timer(countdown, .started))]
      case .add(let span, let which):
        let (countdown, stops) = try timers.add(span, to: which, at: now)
        planWords(of: countdown, at: now)
        return stops + stopWords(of: countdown, at: now)
          + [.report(.timer(countdown, .lengthened(by: span)))]
      case .pause(let which):
        let (countdown, stops) = try timers.pause(which, at: now)
        return stops + [.report(.timer(countdown, .paused))]
      case .resume(let which):
        let countdown = try timers.resume(which, at: now)
        planWords(of: countdown, at: now)
        return [.report(.timer(countdown, .resumed))]
      case .cancel(let which):
        let (countdown, stops) = try timers.cancel(which)
        return stops + stopWords(of: countdown, at: now) + [.report(.timer(countdown, .cancelled))]
      case .tell(let which):
        return try tellLeft(of: try timers.find(which, at: now), at: now)
      case .startInterval(let plan, let replaces):
        if let refusal = rules.refusalOfTimers { throw .speech(refusal) }
        return try timers.start(plan, replaces: replaces, in: rules.lead, at: now)
      case .stopInterval:
        guard timers.interval != nil else { throw .noInterval }
        return timers.stopInterval(.byHand)
      }
    } catch {
      return [.report(.timerRefused(error))]
    }
  }

  /// Fades out what is said of a timer.
  private mutating func stopWords(of countdown: Countdown, at now: Now) -> [Effect] {
    guard case .timer(let words)? = stage.playing?.cause, words.source == .timer(countdown.number)
    else { return [] }
    return stage.stop(.byHand, at: now.uptime)
  }

  /// Plans anew what is said of the timers before they are at zero.
  mutating func replanWords(at now: Now) {
    timers.forgetWordsOfLeft()
    for countdown in timers.countdowns { planWords(of: countdown, at: now) }
  }

  /// Plans what is said of a timer before it is at zero (`tell_left`).
  mutating func planWords(of countdown: Countdown, at now: Now) {
    guard settings.saysTimers, case .running(let zero) = countdown.state else { return }
    let half = countdown.length / 2
    var lefts: Set<Duration> = []
    // Of less than two minutes half is soon over.
    if settings.tellsLeft.contains(.half), half >= .seconds(60),
      case .left(let rounded)? = TimerPhrase.left(roughly: half)
    {
      // It is said when it is so.
      lefts.insert(rounded)
    }
    if settings.tellsLeft.contains(.minute) { lefts.insert(.seconds(60)) }
    for left in lefts {
      let from = zero.sinceBoot - left - rules.lead
      guard from > now.sinceBoot else { continue }
      timers.say(
        TimerWords(
          .timer(countdown.number), title: countdown.title, [.left(left)], from: from,
          until: from + settings.lateLimit))
    }
  }

  /// Says how much is left of a timer, or which one it is that rings.
  private mutating func tellLeft(
    of countdown: Countdown, at now: Now
  ) throws(TimerRefusal) -> [Effect] {
    if let refusal = rules.refusalOfTimers { throw .speech(refusal) }
    guard settings.saysTimers else { throw .noWords }
    let left = countdown.left(at: now)
    let words = TimerWords(
      .timer(countdown.number), title: countdown.title,
      TimerPhrase.left(roughly: left).map { [$0] } ?? countdown.phrases,
      from: now.sinceBoot, until: now.sinceBoot + settings.lateLimit)
    guard stage.turn == nil else { throw .speech(.busy) }
    guard let announcement = announcement(of: words, at: now) else {
      throw .speech(.occasionIsNear)
    }
    return [begin(announcement), .report(.timer(countdown, .told(left: left)))]
  }

  /// Ends what rings, what is said of it, and the interval.
  mutating func silenceTimers(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    let rings = silenceRings(reason, at: moment)
    let effects = rings + timers.stopInterval(reason)
    return reason == .muted ? effects + timers.recallCues(reason) : effects
  }

  /// Ends what rings, and what is said of it.
  mutating func silenceRings(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    let effects = timers.silenceRings(reason)
    guard !effects.isEmpty, let turn = stage.turn, case .timer = turn.announcement.cause else {
      return effects
    }
    return effects + stage.stop(reason, at: moment)
  }

  /// What rings is stopped by hand, or else, where nothing is said, the interval. What rings when the
  /// service ends goes on after the next start.
  mutating func stopTimers(_ reason: StopReason, at now: Now) -> [Effect] {
    switch reason {
    case .byHand:
      timers.isRinging || stage.isHeard(at: now)
        ? timers.silenceRings(reason) : timers.stopInterval(reason)
    case .serviceEnds: timers.recallCues(reason, from: settings.atStop == .fade ? nil : now)
    default: []
    }
  }

  /// True if the switch, as it is, silences what has the turn.
  var ruledOutBySwitch: Bool {
    guard let turn = stage.turn, case .timer = turn.announcement.cause else {
      return rules.isSilencedBySwitch
    }
    return rules.refusalOfTimers != nil
  }

  /// The clock was set, or the machine slept.
  mutating func noteTimers(wasSet: Bool, slept: Duration, at now: Now) -> [Effect] {
    var effects: [Effect] = []
    if wasSet, timers.noteClockSet(at: now) {
      effects += timers.recallCues(.clockSet)
      replanWords(at: now)
    }
    // What the player has is timed by a clock that stood still.
    if slept >= Self.stepThreshold { effects += timers.recallCues(.slept) }
    return effects
  }

  /// Rings what has reached zero, and hands the cues to the player whose time has come.
  mutating func settleTimers(at now: Now) -> [Effect] {
    if trust != .untrusted { timers.noteTrusted() }
    guard !isEnding else { return [] }
    var effects: [Effect] = []
    for (countdown, late) in timers.elapsed(at: now) {
      effects += ring(countdown, late: late, at: now)
    }
    for countdown in timers.rungOut(after: settings.ringLimit, at: now) {
      effects += timers.remove(countdown) + [.report(.timer(countdown, .missed))]
    }
    effects += timers.endInterval(at: now)
    if rules.refusalOfTimers == nil {
      var due = timers.dueCues(lead: rules.lead, at: now)
      while !due.isEmpty {
        effects += due.map { give($0, at: now) }
        due = timers.dueCues(lead: rules.lead, at: now)
      }
    }
    return effects + settleWords(at: now)
  }

  /// Hands a cue to the player.
  private mutating func give(_ due: Timers.DueCue, at now: Now) -> Effect {
    let shown = zone.civil(at: now.instant + (due.anchor - now.sinceBoot))
    let cue = Cue(
      stage.takeID(), of: due.source, due.signal, at: due.anchor, mayBeLateBy: due.mayBeLateBy,
      decibels: rules.decibels(at: shown))
    timers.book.give(cue)
    return .cue(cue)
  }

  /// A timer is at zero, or was `late` ago.
  private mutating func ring(_ countdown: Countdown, late: Duration, at now: Now) -> [Effect] {
    guard case .running(let zero) = countdown.state else { return [] }
    if let refusal = rules.refusalOfTimers {
      return timers.remove(countdown) + [.report(.timer(countdown, .silenced(refusal)))]
    }
    // By a clock that may be wrong nothing is over for good.
    if late > settings.ringLimit, !zero.followsClock || trust != .untrusted {
      return timers.remove(countdown) + [.report(.timer(countdown, .expired(late: late)))]
    }
    let isLate = late > Self.unnoticed
    let since = isLate ? TimedMoment(rules.lead, after: now) : zero
    timers.ring(countdown, since: since)
    if settings.saysTimers {
      let from = since.sinceBoot + Timers.wordsAfterRing - rules.lead
      timers.say(
        TimerWords(
          .timer(countdown.number), title: countdown.title, countdown.phrases, from: from,
          until: from + settings.lateLimit))
    }
    return [.report(.timer(countdown, .elapsed(late: isLate ? late : nil)))]
  }

  /// Says what is to be said of the timers, unless something else is said.
  private mutating func settleWords(at now: Now) -> [Effect] {
    var effects: [Effect] = []
    for words in timers.words where words.from <= now.sinceBoot {
      let refusal = refusal(of: words, at: now)
      if words.until < now.sinceBoot {
        timers.dropWords(words)
        effects.append(.report(.unsaid(words, refusal ?? .busy)))
      } else if stage.turn == nil, refusal == nil,
        let announcement = announcement(of: words, at: now)
      {
        timers.dropWords(words)
        effects.append(begin(announcement))
      }
    }
    return effects
  }

  /// Why words must not be said: in a mute a timer rings, but nothing is said of it before.
  private func refusal(of words: TimerWords, at now: Now) -> SkipReason? {
    if let refusal = rules.refusalOfTimers { return refusal }
    guard words.isOfLeft, mute != .next, mute.silences(now.instant) else { return nil }
    return .softwareMuted
  }

  /// Nil if there is no room for words before the next occasion.
  private func announcement(of words: TimerWords, at now: Now) -> Announcement? {
    let anchor = now.instant + rules.lead
    var latest = anchor + (words.until - now.sinceBoot)
    if refusal(of: next) == nil {
      latest = min(latest, rules.needsSpeaker(for: next) - Programme.longestPhrase)
    }
    guard anchor <= latest else { return nil }
    return Announcement(
      stage.nextID, cause: .timer(words), time: zone.civil(at: anchor), anchor: anchor,
      latest: latest)
  }

  /// When something is to be done for the timers next, since the machine started.
  func dueOfTimers(at now: Now) -> Duration? {
    guard !isEnding else { return nil }
    return timers.due(
      ringLimit: settings.ringLimit, lead: rules.lead, areSilenced: rules.refusalOfTimers != nil,
      at: now)
  }
}

extension Countdown {
  /// What it is called, the best first.
  var phrases: [TimerPhrase] { [name.map { .name($0) }, .timer(length)].compactMap { $0 } }
}
