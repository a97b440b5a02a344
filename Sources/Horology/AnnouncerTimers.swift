/// How the Announcer handles timers and the interval.
extension Announcer {
  /// What is later than this was due unnoticed: in a sleep, with the power off, or when the clock
  /// was set past it.
  static let unnoticed = Duration.seconds(2)

  /// Carries out a person's order about the timers.
  mutating func take(_ order: TimerOrder, at now: Now) -> Response {
    do throws(TimerRefusal) {
      switch order {
      case .start(let length, let name):
        let countdown = try timers.start(length, name: name, at: now)
        planWords(of: countdown, at: now)
        return ([.report(.timer(countdown, .started))], .number(countdown.number))
      case .add(let span, let which):
        let (countdown, stops) = try timers.add(span, to: which, at: now)
        planWords(of: countdown, at: now)
        let said = stopWords(of: .timer(countdown.number), .timerChanged, at: now.uptime)
        return (stops + said + [.report(.timer(countdown, .lengthened(by: span)))], .done)
      case .pause(let which):
        let (countdown, stops) = try timers.pause(which, at: now)
        return (stops + [.report(.timer(countdown, .paused))], .done)
      case .resume(let which):
        let countdown = try timers.resume(which, at: now)
        planWords(of: countdown, at: now)
        return ([.report(.timer(countdown, .resumed))], .done)
      case .cancel(let which):
        let (countdown, stops) = try timers.cancel(which)
        let said = stopWords(of: .timer(countdown.number), .byHand, at: now.uptime)
        return (stops + said + [.report(.timer(countdown, .cancelled))], .done)
      case .tell(let which):
        return try tellLeft(of: try timers.find(which, at: now), at: now)
      case .startInterval(let plan, let replaces):
        if let refusal = rules.refusalOfTimers { throw .speech(refusal) }
        if let flaw = plan.flaw { throw .interval(flaw) }
        var effects = timers.endInterval(byAnyClock: true, at: now)
        let (started, isNew) = try timers.start(
          plan, replaces: replaces, in: rules.lead, at: now)
        if started.count > 1 { effects += stopWords(of: .interval, .replaced, at: now.uptime) }
        return (effects + started, .interval(isNew: isNew))
      case .stopInterval:
        guard timers.hasInterval else { throw .noInterval }
        return (stopInterval(.byHand, at: now.uptime), .done)
      }
    } catch {
      return Self.refuse(.timer(error))
    }
  }

  /// Fades out the words that are being said about this timer or the interval.
  mutating func stopWords(
    of source: Cue.Source, _ reason: StopReason, at moment: Uptime
  ) -> [Effect] {
    guard case .timer(let words)? = stage.playing?.cause, words.source == source else { return [] }
    return stage.stop(reason, at: moment)
  }

  /// Plans again the words about how much of the timers is left. Words that already wait for
  /// something else to end go on waiting, if they are still wanted.
  /// - Parameter isClockSet: true if the clock was set, and timers with it. Words that are due
  ///   since then are said unless it is too late for them.
  mutating func replanWords(at now: Now, isClockSet: Bool = false) {
    let planned = timers.countdowns.flatMap(wordsOfLeft(of:))
    let open = timers.words.filter { $0.isOfLeft && (isClockSet || $0.from <= now.sinceBoot) }
    timers.dropWords { $0.isOfLeft && !planned.contains($0) }
    for words in planned {
      let isOpen = open.contains { $0.source == words.source && $0.phrases == words.phrases }
      let isTooLate = isClockSet && words.until < now.sinceBoot
      if words.from > now.sinceBoot || isOpen && !isTooLate { timers.plan(words) }
    }
  }

  /// Plans the words about how much of a timer is left.
  mutating func planWords(of countdown: Countdown, at now: Now) {
    for words in wordsOfLeft(of: countdown) where words.from > now.sinceBoot { timers.plan(words) }
  }

  /// The words about how much of a running timer is left (`tell_left`).
  private func wordsOfLeft(of countdown: Countdown) -> [TimerWords] {
    guard settings.saysTimers, case .running(let zero) = countdown.state else { return [] }
    let half = countdown.length / 2
    var lefts: Set<Duration> = []
    // Half of less than two minutes is over too soon.
    if settings.tellsLeft.contains(.half), half >= .seconds(60),
      case .left(let rounded)? = TimerPhrase.left(roughly: half)
    {
      // The words name the rounded time, so they come when that is left.
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

  /// Says how much of a timer is left or, if it rings, which one it is.
  private mutating func tellLeft(
    of countdown: Countdown, at now: Now
  ) throws(TimerRefusal) -> Response {
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
    let (effects, answer) = say(announcement)
    return (effects + [.report(.timer(countdown, .told(left: left)))], answer)
  }

  /// Ends all rings, the words about them, and the interval.
  mutating func silenceTimers(
    _ reason: StopReason, at moment: Uptime, _ now: Now
  ) -> [Effect] {
    let rings = silenceAlarms(reason, at: moment, now) + silenceRings(reason, at: moment)
    let effects = rings + stopInterval(reason, at: moment)
    return reason == .muted ? effects + timers.recallCues(reason) : effects
  }

  /// Ends ringing timers, and the words of any timer that are being said.
  mutating func silenceRings(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    let effects = timers.silenceRings(reason)
    guard !effects.isEmpty, let turn = stage.turn, case .timer = turn.announcement.cause else {
      return effects
    }
    return effects + stage.stop(reason, at: moment)
  }

  /// By hand: stops the rings or, if nothing rings or is said, the interval. When the service ends:
  /// takes back the cues; the rings go on after the next start.
  mutating func stopTimers(_ stop: Stop, at now: Now) -> [Effect] {
    let reason = stop.reason
    switch stop {
    case .byHand:
      return timers.isRinging || alarms.isRinging || isSaying(at: now)
        ? silenceAlarms(reason, at: now.uptime, now) + timers.silenceRings(reason)
        : timers.stopInterval(reason)
    case .serviceEnds:
      return timers.recallCues(reason, from: settings.atStop == .fade ? nil : now)
    }
  }

  /// True if an announcement is heard, or one that is no occasion is about to be. Words about the
  /// interval do not count: they are part of it.
  private func isSaying(at now: Now) -> Bool {
    if case .timer(let words)? = playing?.cause, words.source == .interval { return false }
    return stage.isHeard(at: now) || playing.map { !$0.cause.isOccasion } ?? false
  }

  /// True if the switch, as it is, silences the announcement that has the turn.
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
        replanWords(at: now, isClockSet: true)
      }
      owesAlarmsClock = true
      effects += timers.book.recall(alarmsByClock, .clockSet)
    }
    // The player times its cues by uptime, which stood still.
    if slept >= Self.stepThreshold { effects += timers.recallCues(.slept) }
    return effects
  }

  /// Rings the timers that have reached zero, and hands due cues to the player.
  mutating func settleTimers(at now: Now) -> [Effect] {
    if trust != .untrusted { timers.noteTrusted() }
    guard !isEnding else { return [] }
    var effects: [Effect] = []
    for (countdown, late) in timers.elapsed(at: now) {
      effects += ring(countdown, late: late, at: now)
    }
    for countdown in timers.rungOut(after: settings.ringLimit, at: now) {
      var end = TimerEvent.missed
      // Ask before `remove` takes the ring back.
      if let why = neverHeard(countdown, at: now) { end = .neverHeard(why) }
      effects += timers.remove(countdown)
      effects.append(.report(.timer(countdown, end)))
    }
    for countdown in timers.takeRingsOn() {
      let unheard = hindrance(of: .timer(countdown.number))
      effects.append(.report(.timer(countdown, .ringsOn(unheard: unheard))))
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

  /// Ends an interval whose rounds are all over. With the switch lost, nobody has heard the end,
  /// and that is reported too.
  private mutating func endInterval(at now: Now) -> [Effect] {
    let over = timers.endInterval(at: now)
    guard rules.timersAreHeldBack,
      case .report(.interval(let interval, .over(late: nil)))? = over.first
    else { return over }
    return [.report(.interval(interval, .unheard("\(SkipReason.switchLost)")))] + over
  }

  /// One ring at a time: fades out rings that another has replaced.
  private mutating func handOver(at now: Now) -> [Effect] {
    let rings = rings(at: now)
    guard let heard = rings.heard(at: now.sinceBoot) else { return [] }
    return timers.book.handOver(to: heard, of: rings.sources(at: now.sinceBoot), at: now)
  }

  /// The next cue of every timer, interval and alarm that has one; none while the switch silences
  /// them.
  private func nextCues(at now: Now) -> [DueCue] {
    guard rules.refusalOfTimers == nil else { return [] }
    let rings = rings(at: now)
    return timers.nextCues(rings, ringLimit: settings.ringLimit, lead: rules.lead, at: now)
      + nextCuesOfAlarms(rings, at: now)
  }

  /// Everything that rings, or is about to.
  func rings(at now: Now) -> Rings { Rings(timers.ringing + ringingAlarms(at: now)) }

  /// Hands a cue to the player, unless a ring that it already has is heard for both.
  private mutating func give(_ due: DueCue, at now: Now) -> [Effect] {
    let shown = zone.civil(at: now.instant + (due.anchor - now.sinceBoot))
    let decibels = rules.decibels(at: shown) + due.decibels
    let ending = rings(at: now).sources(endingBefore: due.anchor, after: settings.ringLimit)
    if timers.book.share(due, at: decibels, except: ending) { return [] }
    let cue = Cue(
      stage.takeID(), of: due.source, due.signal, blows: due.blows, at: due.anchor,
      mayBeLateBy: due.mayBeLateBy, decibels: decibels)
    timers.book.give(cue, at: now)
    return [.play(.cue(cue))] + planWords(after: due)
  }

  /// Handles a cue that the player has ended.
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
      // Opening the device may take this long at the start of an interval.
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

  /// Rings a timer that was at zero `late` ago.
  private mutating func ring(_ countdown: Countdown, late: Duration, at now: Now) -> [Effect] {
    guard case .running(let zero) = countdown.state else { return [] }
    if let refusal = rules.refusalOfTimers, !rules.timersAreHeldBack {
      return timers.remove(countdown) + [.report(.timer(countdown, .silenced(refusal)))]
    }
    // A timer that follows a clock that may be wrong does not expire.
    if late > settings.ringLimit, !zero.followsClock || trust != .untrusted {
      return timers.remove(countdown) + [.report(.timer(countdown, .expired(late: late)))]
    }
    let isLate = late > Self.unnoticed
    let since = isLate ? TimedMoment(rules.lead, after: now) : zero
    timers.ring(countdown, since: since)
    if settings.saysTimers {
      // A long lead-in may need more time than the ring leaves.
      let from = max(since.sinceBoot + Timers.wordsAfterRing - rules.lead, now.sinceBoot)
      timers.plan(
        TimerWords(
          .timer(countdown.number), title: countdown.title, countdown.phrases, from: from,
          until: from + rules.latestWords))
    }
    let unheard = hindrance(of: .timer(countdown.number))
    return [.report(.timer(countdown, .elapsed(late: isLate ? late : nil, unheard: unheard)))]
  }

  /// Why a ring is not heard now, as far as that is known; nil if it is heard.
  func hindrance(of source: Cue.Source) -> SkipReason? {
    if rules.timersAreHeldBack { return .switchLost }
    // A cue that failed has been given again.
    if timers.book.isRinging(for: source) { return nil }
    return timers.book.complaint(of: source).map { .failed($0) }
  }

  /// Why nothing of a ringing timer has been heard; nil if something was, or nothing failed, or it
  /// does not ring.
  public func neverHeard(_ countdown: Countdown, at now: Now) -> SkipReason? {
    guard case .ringing(let since) = countdown.state else { return nil }
    return neverHeard(since: since.sinceBoot, at: now)
  }

  /// Why no ring has been heard since then; nil if one was, or none failed.
  func neverHeard(since: Duration, at now: Now) -> SkipReason? {
    if timers.book.hasRung(since: since, at: now) { return nil }
    if rules.timersAreHeldBack { return .switchLost }
    return timers.book.failure(since: since).map { .failed($0) }
  }

  /// Begins the words that are due, unless something else is being said.
  private mutating func settleWords(at now: Now) -> [Effect] {
    var effects: [Effect] = []
    for words in timers.words where words.from <= now.sinceBoot {
      // The time is said once for all ringing alarms.
      if words.isOfTime && !timers.words.contains(words) { continue }
      let refusal = refusal(of: words, at: now)
      if words.until < now.sinceBoot {
        // An announcement that a sleep has ended had the speaker only before the sleep.
        let isBusy = stage.turn.map { $0.stopped?.reason != .slept } ?? false
        let hindrance = isBusy ? .busy : timers.hindrance(of: words)
        let reason = refusal ?? hindrance ?? .late(now.sinceBoot - words.from)
        timers.dropWords {
          $0 == words || (words.isOfTime && $0.isOfTime && $0.until < now.sinceBoot)
        }
        effects += unsaid(words, reason)
      } else if let refusal {
        timers.hinder(words, refusal)
      } else if stage.turn != nil {
        timers.hinder(words, .busy)
      } else {
        guard let announcement = announcement(of: words, at: now) else {
          timers.hinder(words, .occasionIsNear)
          continue
        }
        timers.dropWords { $0 == words || ($0.isOfTime && words.isOfTime) }
        effects.append(.play(.announcement(begin(announcement))))
      }
    }
    return effects
  }

  /// Why words must not be said. During a mute a timer rings, but the time left is not said.
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
    // An occasion that has passed meanwhile is in nobody's way.
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

  /// When the timers, the interval or the alarms next need something, since the machine started.
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
