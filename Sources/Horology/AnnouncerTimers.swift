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
        let over = timers.endInterval(byAnyClock: true, at: now)
        let effects = try timers.start(plan, replaces: replaces, in: rules.lead, at: now)
        let isAnother = effects.count > 1
        return over + (isAnother ? stopWords(of: .interval, .byHand, at: now.uptime) : []) + effects
      case .stopInterval:
        guard timers.hasInterval else { throw .noInterval }
        return stopInterval(.byHand, at: now.uptime)
      }
    } catch {
      return [.report(.timerRefused(error))]
    }
  }

  private mutating func stopWords(of countdown: Countdown, at now: Now) -> [Effect] {
    stopWords(of: .timer(countdown.number), .byHand, at: now.uptime)
  }

  /// Fades out what is said of a timer, or of the interval.
  mutating func stopWords(
    of source: Cue.Source, _ reason: StopReason, at moment: Uptime
  ) -> [Effect] {
    guard case .timer(let words)? = stage.playing?.cause, words.source == source else { return [] }
    return stage.stop(reason, at: moment)
  }

  /// Plans anew what is said of the timers before they are at zero. What waits already because
  /// something else is said goes on waiting, if it is still wanted.
  mutating func replanWords(at now: Now) {
    let planned = timers.countdowns.flatMap(wordsOfLeft(of:))
    let waiting = timers.words.filter { $0.isOfLeft && $0.from <= now.sinceBoot }
    timers.dropWords { $0.isOfLeft && !planned.contains($0) }
    for words in planned {
      let waits = waiting.contains { $0.source == words.source && $0.phrases == words.phrases }
      if waits || words.from > now.sinceBoot { timers.say(words) }
    }
  }

  /// Plans what is said of a timer before it is at zero.
  mutating func planWords(of countdown: Countdown, at now: Now) {
    for words in wordsOfLeft(of: countdown) where words.from > now.sinceBoot { timers.say(words) }
  }

  /// What is said of a timer that runs before it is at zero (`tell_left`).
  private func wordsOfLeft(of countdown: Countdown) -> [TimerWords] {
    guard settings.saysTimers, case .running(let zero) = countdown.state else { return [] }
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
    return lefts.map { left in
      let from = zero.sinceBoot - left - rules.lead
      return TimerWords(
        .timer(countdown.number), title: countdown.title, [.left(left)], from: from,
        until: from + rules.latestWords)
    }
  }

  /// Says how much is left of a timer, or which one it is that rings.
  private mutating func tellLeft(
    of countdown: Countdown, at now: Now
  ) throws(TimerRefusal) -> [Effect] {
    if isEnding { throw .speech(.stopped(.serviceEnds)) }
    if let refusal = rules.refusalOfTimers { throw .speech(refusal) }
    guard settings.saysTimers else { throw .noWords }
    let left = countdown.left(at: now)
    let words = TimerWords(
      .timer(countdown.number), title: countdown.title,
      TimerPhrase.left(roughly: left).map { [$0] } ?? countdown.phrases,
      from: now.sinceBoot, until: now.sinceBoot + rules.latestWords)
    guard stage.turn == nil else { throw .speech(.busy) }
    guard let announcement = announcement(of: words, at: now) else {
      throw .speech(.occasionIsNear)
    }
    return [begin(announcement), .report(.timer(countdown, .told(left: left)))]
  }

  /// Ends what rings, what is said of it, and the interval.
  mutating func silenceTimers(
    _ reason: StopReason, at moment: Uptime, _ now: Now
  ) -> [Effect] {
    let rings = silenceAlarms(reason, at: moment, now) + silenceRings(reason, at: moment)
    let effects = rings + stopInterval(reason, at: moment)
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
      timers.isRinging || alarms.isRinging || isSaying(at: now)
        ? silenceAlarms(reason, at: now.uptime, now) + timers.silenceRings(reason)
        : timers.stopInterval(reason)
    case .serviceEnds: timers.recallCues(reason, from: settings.atStop == .fade ? nil : now)
    default: []
    }
  }

  /// True if something is said, or was asked for and is about to be. What is said of an interval is a
  /// part of it.
  private func isSaying(at now: Now) -> Bool {
    if case .timer(let words)? = playing?.cause, words.source == .interval { return false }
    return stage.isHeard(at: now) || playing.map { !$0.cause.isOccasion } ?? false
  }

  /// True if the switch, as it is, silences what has the turn.
  var ruledOutBySwitch: Bool {
    guard let turn = stage.turn, case .timer = turn.announcement.cause else {
      return rules.isSilencedBySwitch
    }
    return rules.refusalOfTimers != nil
  }

  /// The clock was set, or the machine slept.
  mutating func noteTimers(
    wasSet: Bool, slept: Duration, at now: Now
  ) -> [Effect] {
    var effects: [Effect] = []
    if wasSet {
      let moved = timers.noteClockSet(at: now)
      if !moved.isEmpty {
        effects += timers.book.recall(moved, .clockSet)
        if moved.contains(.interval) { timers.dropWords(of: .interval) }
        // What waits was for another moment.
        timers.forgetWordsOfLeft()
        replanWords(at: now)
      }
      owesAlarmsClock = true
      effects += timers.book.recall(alarmsByClock, .clockSet)
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
      var end = TimerEvent.missed
      // Before what sounds is taken back.
      if case .ringing(let since) = countdown.state,
        let why = neverHeard(since: since.sinceBoot, at: now)
      {
        end = .neverHeard(why)
      }
      effects += timers.remove(countdown)
      effects.append(.report(.timer(countdown, end)))
    }
    effects += endInterval(at: now)
    effects += settleAlarms(at: now)
    var cues = nextCues(at: now).filter { $0.due(timers.book, rules) <= now.sinceBoot }
    while !cues.isEmpty {
      for cue in cues { effects += give(cue, at: now) }
      cues = nextCues(at: now).filter { $0.due(timers.book, rules) <= now.sinceBoot }
    }
    return effects + handOver(at: now) + settleWords(at: now)
  }

  /// All rounds may be over. With the switch lost nobody has heard their end, and that is told.
  private mutating func endInterval(at now: Now) -> [Effect] {
    let over = timers.endInterval(at: now)
    guard rules.timersAreHeldBack,
      case .report(.interval(let interval, .over(late: nil)))? = over.first
    else { return over }
    return [.report(.interval(interval, .unheard("\(SkipReason.switchLost)")))] + over
  }

  /// One ring at a time: what another has taken the place of is faded out.
  private mutating func handOver(at now: Now) -> [Effect] {
    let rings = rings(at: now)
    guard let heard = rings.heard(at: now.sinceBoot) else { return [] }
    return timers.book.handOver(to: heard, of: rings.sources(at: now.sinceBoot), at: now)
  }

  /// The next cue of all that has one; none while the switch silences them.
  private func nextCues(at now: Now) -> [DueCue] {
    guard rules.refusalOfTimers == nil else { return [] }
    let rings = rings(at: now)
    return timers.nextCues(rings, ringLimit: settings.ringLimit, lead: rules.lead, at: now)
      + nextCuesOfAlarms(rings, at: now)
  }

  /// What rings, or is about to.
  func rings(at now: Now) -> Rings { Rings(timers.ringing + ringingAlarms(at: now)) }

  /// Hands a cue to the player, unless another is heard for it.
  private mutating func give(_ due: DueCue, at now: Now) -> [Effect] {
    let shown = zone.civil(at: now.instant + (due.anchor - now.sinceBoot))
    let decibels = rules.decibels(at: shown) + due.decibels
    if timers.book.share(due, at: decibels) { return [] }
    let cue = Cue(
      stage.takeID(), of: due.source, due.signal, blows: due.blows, at: due.anchor,
      mayBeLateBy: due.mayBeLateBy, decibels: decibels)
    timers.book.give(cue, at: now)
    return [.play(.cue(cue))] + planWords(after: due)
  }

  /// A cue that the player has ended.
  mutating func endCue(
    _ sounding: SoundingID, with outcome: Outcome, at now: Now
  ) -> [Effect] {
    guard let (source, complaint) = timers.book.end(sounding, with: outcome, at: now),
      let complaint
    else { return [] }
    switch source {
    case .timer(let number):
      return timers.countdowns.filter { $0.number == number }
        .map { .report(.timer($0, .unheard(complaint))) }
    case .interval:
      guard let interval = timers.interval else { return [] }
      // The device was opened for it, and needed so long.
      if case .tooLate = outcome, interval.passed(at: now) < rules.chimePreparation {
        timers.book.forgetComplaint(of: .interval)
        return []
      }
      return [.report(.interval(interval, .unheard(complaint)))]
    case .alarm(let number):
      return alarms.alarms.filter { $0.number == number }
        .map { .report(.alarm($0, .unheard(complaint))) }
    }
  }

  /// A timer is at zero, or was `late` ago.
  private mutating func ring(_ countdown: Countdown, late: Duration, at now: Now) -> [Effect] {
    guard case .running(let zero) = countdown.state else { return [] }
    if let refusal = rules.refusalOfTimers, !rules.timersAreHeldBack {
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
      // With a long lead-in they may need more time than the ring leaves.
      let from = max(since.sinceBoot + Timers.wordsAfterRing - rules.lead, now.sinceBoot)
      timers.say(
        TimerWords(
          .timer(countdown.number), title: countdown.title, countdown.phrases, from: from,
          until: from + rules.latestWords))
    }
    let unheard = hindrance(of: .timer(countdown.number))
    return [.report(.timer(countdown, .elapsed(late: isLate ? late : nil, unheard: unheard)))]
  }

  /// Why what rings now is not heard, as far as that is known; nil if it is.
  func hindrance(of source: Cue.Source) -> SkipReason? {
    if rules.timersAreHeldBack { return .switchLost }
    // What failed has been given anew.
    if timers.book.isRinging(for: source) { return nil }
    return timers.book.complaint(of: source).map { .failed($0) }
  }

  /// Why nothing that rings was heard since then; nil if something was, or nothing failed.
  func neverHeard(since: Duration, at now: Now) -> SkipReason? {
    if timers.book.hasRung(since: since, at: now) { return nil }
    if rules.timersAreHeldBack { return .switchLost }
    return timers.book.failure(since: since).map { .failed($0) }
  }

  /// Says what is to be said of the timers, unless something else is said.
  private mutating func settleWords(at now: Now) -> [Effect] {
    var effects: [Effect] = []
    for words in timers.words where words.from <= now.sinceBoot {
      // The time is said once for all that ring.
      if words.isOfTime && !timers.words.contains(words) { continue }
      let refusal = refusal(of: words, at: now)
      if words.until < now.sinceBoot {
        let hindrance = stage.turn == nil ? timers.hindrance(of: words) : .busy
        let reason = refusal ?? hindrance ?? .late(now.sinceBoot - words.from)
        timers.dropWords { $0 == words || ($0.isOfTime && $0.until < now.sinceBoot) }
        effects += unsaid(words, reason)
      } else if stage.turn != nil {
        timers.hinder(words, .busy)
      } else if refusal == nil {
        guard let announcement = announcement(of: words, at: now) else {
          timers.hinder(words, .occasionIsNear)
          continue
        }
        timers.dropWords { $0 == words || ($0.isOfTime && words.isOfTime) }
        effects.append(begin(announcement))
      }
    }
    return effects
  }

  /// Why words must not be said: in a mute a timer rings, but nothing is said of it before.
  private func refusal(of words: TimerWords, at now: Now) -> SkipReason? {
    if let refusal = rules.refusalOfTimers { return refusal }
    if words.isOfTime, !rules.alarmsGoByClock(trust) { return .untrusted }
    guard words.isOfLeft, mute != .next, mute.silences(now.instant) else { return nil }
    return .softwareMuted
  }

  /// Nil if there is no room for words before the next occasion.
  private func announcement(of words: TimerWords, at now: Now) -> Announcement? {
    let anchor = now.instant + rules.lead
    var latest = anchor + (words.until - now.sinceBoot)
    // One that has passed meanwhile is in nobody's way.
    let hasPassed = now.instant >= rules.passing(of: next)
    let coming = hasPassed ? quarters.schedule.next(after: rules.lastToPass(at: now)) : next
    if refusal(of: coming) == nil {
      latest = min(latest, rules.needsSpeaker(for: coming) - Programme.longestPhrase)
    }
    let time = zone.civil(at: anchor)
    if words.isOfTime { latest = min(latest, anchor.endOfMinute(of: time)) }
    guard anchor <= latest else { return nil }
    return Announcement(
      stage.nextID, cause: .timer(words), time: time, anchor: anchor, latest: latest,
      room: words.endsBy.map { $0 - now.sinceBoot - (latest - now.instant) })
  }

  /// When something is to be done for the timers next, since the machine started.
  func dueOfTimers(at now: Now) -> Duration? {
    guard !isEnding else { return nil }
    let cues = nextCues(at: now).map { $0.due(timers.book, rules) }
    let due = [
      timers.due(ringLimit: settings.ringLimit, at: now), dueOfAlarms(at: now),
      timers.book.nextHandOver(after: now),
    ]
    return (cues + due.compactMap { $0 }).min()
  }
}

extension Countdown {
  /// What it is called, the best first.
  public var phrases: [TimerPhrase] { [name.map { .name($0) }, .timer(length)].compactMap { $0 } }
}
