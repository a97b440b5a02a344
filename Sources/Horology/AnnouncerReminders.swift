/// How the Announcer handles timers and alarms.
extension Announcer {
  /// What is more than this late came due while the machine slept or was off, or its clock was set
  /// past it.
  static let unnoticed = Duration.seconds(2)

  var reminderRules: ReminderRules {
    ReminderRules(
      zone: zone, trust: trust, alarmsGoByClock: rules.alarmsGoByClock(trust),
      ringLimit: settings.ringLimit, lead: rules.lead, refusal: rules.refusalOfTimers)
  }

  /// Carries out a person's order.
  mutating func handle(_ order: ReminderOrder, at now: Now) -> Response {
    do throws(ReminderRefusal) {
      if case .tell(let which) = order {
        return try tellLeft(of: try reminders.timer(which, at: now), at: now)
      }
      let changes = try reminders.handle(order, at: now, reminderRules)
      let answer: Answer =
        switch order {
        case .start, .set, .skip: .number(changes[0].reminder.number)
        case .add, .pause, .resume, .tell, .snooze, .stop, .cancel: .done
        }
      return (report(changes, at: now), answer)
    } catch {
      return Self.refuse(.reminder(error))
    }
  }

  /// Replaces the tunes of alarms by these of the same name.
  public mutating func replace(_ tunes: [Tune]) { reminders.replace(tunes) }

  // MARK: Silence

  /// The button: ringing alarms snooze, ringing timers stop.
  mutating func endRingsByButton(at now: Now) -> [Effect] {
    let snoozed =
      reminders.alarmRings ? handle(ReminderOrder.snooze(nil), at: now).effects : []
    return snoozed + endRings(.byHand, of: .timer, at: now.uptime, now)
  }

  /// Ends the rings, and what is said about them.
  /// - Parameters:
  ///   - kind: nil for both.
  ///   - moment: when the event that ends them came.
  mutating func endRings(
    _ reason: StopReason, of kind: Reminder.Kind? = nil, at moment: Uptime, _ now: Now
  ) -> [Effect] {
    report(reminders.silence(kind, reason, at: now, reminderRules), at: now, reason, moment)
  }

  /// Ends all rings, and the interval.
  mutating func silenceCues(_ reason: StopReason, at moment: Uptime, _ now: Now) -> [Effect] {
    let effects = endRings(reason, at: moment, now) + stopInterval(reason, at: moment)
    return reason == .switchOff ? effects + stopCues(reason) : effects
  }

  /// Stops the cues that the player has; those still to come are given again.
  mutating func stopCues(_ reason: StopReason, finishesHeard: Bool = false) -> [Effect] {
    // The words of an interval come again with their cues.
    words.drop(of: .interval)
    return cues.stopAll(reason, finishesHeard: finishesHeard)
  }

  /// By hand: stops the rings or, if nothing rings or is said, the interval. When the service ends:
  /// stops the cues; the rings go on after the next start.
  mutating func stopCues(by stop: Stop, at now: Now) -> [Effect] {
    switch stop {
    case .byHand:
      return reminders.isRinging || isSaying
        ? endRings(.byHand, at: now.uptime, now) : stopInterval(.byHand, at: now.uptime)
    case .serviceEnds:
      return stopCues(.serviceEnds, finishesHeard: settings.atStop == .finish)
    }
  }

  /// True if an announcement is heard, or one that is no occasion is about to be. Words about the
  /// interval do not count: they are part of it.
  private var isSaying: Bool {
    if case .timer(let words)? = playing?.cause, words.source == .interval { return false }
    return stage.isHeard || playing.map { !$0.cause.isOccasion } ?? false
  }

  /// True if the switch, as it is, silences the announcement that has the turn.
  var ruledOutBySwitch: Bool {
    guard let turn = stage.turn, case .timer = turn.announcement.cause else {
      return rules.isSilencedBySwitch
    }
    return rules.refusalOfTimers != nil
  }

  // MARK: The clock and the rules

  /// The clock was set, or the machine slept.
  mutating func noteReminders(wasSet: Bool, slept: Duration, at now: Now) -> [Effect] {
    var effects: [Effect] = []
    if wasSet {
      var moved = reminders.noteClockSet(at: now, reminderRules)
      if interval?.start.followsClock == true { moved.insert(.interval) }
      interval?.start.noteClockSet(at: now)
      if moved.contains(.interval) { words.drop(of: .interval) }
      if !moved.isEmpty { replanWords(at: now, isClockSet: true) }
      effects += cues.stop(moved, .clockSet)
    }
    // The player times its cues by uptime, which stood still.
    if slept >= Self.stepThreshold { effects += stopCues(.slept) }
    return effects
  }

  /// Finds again when alarms ring: the trust, the zone or the configuration has changed. The cues
  /// that the player has for alarms that wait may be wrong.
  mutating func planAlarms(_ settings: AnnouncerSettings? = nil, at now: Now) -> [Effect] {
    let waiting = Set(reminders.alarms.filter(\.waitsByClock).map(\.source))
    reminders.planAlarms(at: now, reminderRules)
    let stops = cues.stop(waiting, .rulesChanged)
    guard let settings else { return stops }
    let changes = reminders.configure(settings.alarms, at: now, reminderRules)
    return stops + report(changes, at: now, .rulesChanged)
  }

  // MARK: What time brings

  /// Rings what is due, and hands due cues and words to the player.
  mutating func settleReminders(at now: Now) -> [Effect] {
    if trust != .untrusted { interval?.start.noteTrusted() }
    guard !isEnding else { return [] }
    var effects = ringDue(at: now) + endInterval(at: now)
    while let cue = nextCues(at: now).first(where: { due($0) <= now.sinceBoot }) {
      effects.append(.play(.cue(cue)))
      stage.countCue()
      cues.give(cue, at: now)
      effects += planWords(after: cue)
    }
    let rings = rings(at: now)
    if rings.heard(from: now.sinceBoot).isEmpty { cues.forgetComplaint(ofRings: true) }
    return effects + cues.stopReplaced(by: rings, at: now) + settleWords(at: now)
  }

  /// Rings the timers and alarms whose time has come, and ends those that have rung out.
  mutating func ringDue(at now: Now) -> [Effect] {
    guard !isEnding else { return [] }
    reminders.followClock(at: now) { cues.last(of: $0) != nil }
    return report(reminders.due(at: now, reminderRules).map { asHeard($0, at: now) }, at: now)
  }

  /// When timers, alarms or the interval next need something, since the machine started.
  func dueOfReminders(at now: Now) -> Duration? {
    guard !isEnding else { return nil }
    // A ring is prepared ahead.
    let prepared = reminders.all.lazy.compactMap { reminder in
      reminder.isRinging ? nil : reminder.moment.map { $0.sinceBoot - rules.preparation }
    }.filter { $0 > now.sinceBoot }
    // Words whose moment has come wait until other speech ends, which is an event.
    let spoken = words.all.map {
      $0.from > now.sinceBoot ? $0.from : $0.until + .nanoseconds(1)
    }
    let due = [
      prepared.min(), reminders.nextDue(reminderRules), interval?.end,
      nextCues(at: now).map(due).min(), spoken.min(),
    ]
    return due.compactMap { $0 }.min()
  }

  /// Adds to a change why nobody hears the ring, or why nobody has heard it.
  private func asHeard(_ change: ReminderChange, at now: Now) -> ReminderChange {
    switch change.event {
    case .rings(let how, _):
      return ReminderChange(change.reminder, .rings(how, unheard: hindranceOfRings))
    case .missed:
      return ReminderChange(change.reminder, .missed(neverHeard(change.reminder, at: now)))
    default: return change
    }
  }

  /// Reports what has become of timers and alarms. Stops the rings of those that end, and plans the
  /// words of those that begin to ring.
  /// - Parameters:
  ///   - reason: why they stop ringing.
  ///   - moment: when the event that ends them came; nil for now.
  private mutating func report(
    _ changes: [ReminderChange], at now: Now, _ reason: StopReason = .byHand,
    _ moment: Uptime? = nil
  ) -> [Effect] {
    var effects: [Effect] = []
    for change in changes {
      let reminder = change.reminder
      var wordsEnd: StopReason?
      switch change.event {
      case .set, .changed(.resumed): planWordsOfLeft(of: reminder, at: now)
      case .rings(.due, _), .rings(.again, _): planWords(ofRing: reminder, at: now)
      case .rings(.on, _), .changed(.nameLost), .changed(.told), .unheard: break
      case .changed(.lengthened):
        wordsEnd = .timerChanged
        effects += endCues(of: reminder, .byHand)
        planWordsOfLeft(of: reminder, at: now)
      case .changed(.paused), .changed(.skipped), .expired:
        effects += endCues(of: reminder, reason)
      // At the ring limit nobody has stopped the ring, and what is being said is true.
      case .missed: effects += endCues(of: reminder, reason)
      case .changed(.snoozed), .cancelled, .silenced, .stopped:
        wordsEnd = reason
        effects += endCues(of: reminder, reason)
      }
      effects.append(.report(.reminder(reminder, change.event)))
      if let wordsEnd {
        effects += stopWords(of: reminder.source, wordsEnd, at: moment ?? now.uptime)
      }
    }
    return effects
  }

  private mutating func endCues(of reminder: Reminder, _ reason: StopReason) -> [Effect] {
    words.drop(of: reminder.source)
    return cues.stop([reminder.source], reason)
  }

  /// Why an alarm will be silent at its next time or after its snooze, as things are now; nil if it
  /// will ring.
  public func refusal(of alarm: Reminder) -> SkipReason? {
    switch alarm.state {
    case .waiting where !rules.alarmsGoByClock(trust): .untrusted
    case .waiting(nil): nil
    case .waiting, .snoozing: rules.refusalOfTimers
    case .ringing, .paused: rules.timersAreHeldBack ? .switchLost : nil
    }
  }

  /// Why rings are not heard now, as far as that is known; nil if they are.
  private var hindranceOfRings: SkipReason? {
    rules.timersAreHeldBack ? .switchLost : cues.complaintOfRing.map { .failed($0) }
  }

  /// Why nothing of a ring has been heard; nil if something was, or nothing failed, or it does not
  /// ring.
  public func neverHeard(_ reminder: Reminder, at now: Now) -> SkipReason? {
    guard case .ringing(let since) = reminder.state,
      !cues.hasRung(since: since.sinceBoot)
    else { return nil }
    if rules.timersAreHeldBack { return .switchLost }
    return cues.failure(since: since.sinceBoot).map { .failed($0) }
  }

  // MARK: Cues

  /// All that rings, or will before a cue that is prepared now is heard.
  private func rings(at now: Now) -> Rings {
    Rings(
      reminders.all.compactMap { reminder in
        guard let since = reminder.moment?.sinceBoot, isToRing(reminder, since, at: now) else {
          return nil
        }
        return Ringing(
          source: reminder.source, since: since,
          decibels: reminder.alarm?.rise?.decibels(after: now.sinceBoot - since) ?? 0,
          hasTune: reminder.alarm?.tune.map { !$0.isMissing } ?? false)
      })
  }

  private func isToRing(_ reminder: Reminder, _ since: Duration, at now: Now) -> Bool {
    if reminder.isRinging { return true }
    return now.sinceBoot < since && since - rules.preparation <= now.sinceBoot
      && (!reminder.waitsByClock || rules.alarmsGoByClock(trust))
  }

  /// The next cue of the ring that is heard, of each that replaces it soon, and of the interval;
  /// none while the switch silences them.
  private func nextCues(at now: Now) -> [Cue] {
    guard rules.refusalOfTimers == nil else { return [] }
    let rings = rings(at: now)
    return rings.heard(from: now.sinceBoot).compactMap { nextCue(of: $0, rings, at: now) }
      + [nextCueOfInterval(at: now)].compactMap { $0 }
  }

  private func nextCue(of ringing: Ringing, _ rings: Rings, at now: Now) -> Cue? {
    let (source, since) = (ringing.source, ringing.since)
    guard let reminder = reminders.all.first(where: { $0.source == source }) else { return nil }
    let earliest = cues.earliestRing(of: source, since, rules.lead, now)
    let blows = blows(of: reminder, at: now)
    // A tune follows the last cue. It begins at once if that is over or there was none.
    let anchor =
      blows.isEmpty
      ? Cue.ring(since: since, from: earliest) : max(cues.over(of: source) ?? since, earliest)
    // A ring that began at the ring limit would be heard as a click.
    guard rings.heard(at: max(anchor, now.sinceBoot)) == source,
      anchor < since + settings.ringLimit
    else { return nil }
    let rise = reminder.alarm?.rise?.decibels(after: anchor - since) ?? 0
    let late = anchor == since ? Cue.ringPeriod : Cue.latest
    return Cue(
      stage.nextID, of: source, .ring, blows: blows, at: anchor,
      mayBeLateBy: blows.isEmpty ? late : Self.chimePreparation,
      decibels: decibels(at: anchor, now) + rise)
  }

  /// The level at a moment since the machine started, by the rules.
  func decibels(at moment: Duration, _ now: Now) -> Double {
    rules.decibels(at: zone.civil(at: now.instant + (moment - now.sinceBoot)))
  }

  /// When to give a cue to the player, since the machine started.
  private func due(_ cue: Cue) -> Duration {
    max(cue.anchor - rules.preparation, cues.restsUntil)
  }

  /// The blows that ring for an alarm, counted from the first; empty if the signal rings.
  private func blows(of reminder: Reminder, at now: Now) -> [Blow] {
    guard let tune = reminder.alarm?.tune else { return [] }
    let shown = zone.civil(at: reminder.due ?? now.instant)
    let movement = tune.movement(at: shown) ?? tune.movements.min { $0.key < $1.key }?.value
    let blows = movement?.blows(at: shown) ?? []
    guard let first = blows.first else { return [] }
    return blows.map { Blow(bell: $0.bell, offset: $0.offset - first.offset) }
  }

  /// The level of the loudest of the alarms that ring now, at an instant to come: in dB relative to
  /// its full level, at most 0.
  func riseOfRing(at instant: Instant) -> Double {
    let anchor = previous.sinceBoot + (instant - previous.instant)
    let levels = reminders.alarms.compactMap { alarm -> Double? in
      guard case .ringing(let since) = alarm.state else { return nil }
      return alarm.alarm?.rise?.decibels(after: anchor - since.sinceBoot) ?? 0
    }
    return levels.max() ?? 0
  }

  /// Handles a cue that the player has ended.
  mutating func endCue(
    _ sounding: SoundingID, with outcome: Outcome, at now: Now
  ) -> [Effect] {
    guard let (source, complaint) = cues.end(sounding, with: outcome, at: now), let complaint else {
      return []
    }
    if source != .interval {
      return reminders.all.filter { $0.source == source }
        .map { .report(.reminder($0, .unheard(complaint))) }
    }
    guard let interval else { return [] }
    // Opening the device may take this long at the start of an interval.
    if case .tooLate = outcome, interval.passed(at: now) < rules.chimePreparation {
      cues.forgetComplaint(ofRings: false)
      return []
    }
    return [.report(.interval(interval, .unheard(complaint)))]
  }

  // MARK: Words

  /// Fades out the words that are being said about this timer, alarm or the interval. The time that
  /// is said for one alarm is said for all that ring.
  private mutating func stopWords(
    of source: Cue.Source, _ reason: StopReason, at moment: Uptime
  ) -> [Effect] {
    guard case .timer(let words)? = stage.playing?.cause else { return [] }
    if words.isOfTime, case .alarm = source {
      return reminders.alarmRings ? [] : stage.stop(reason, at: moment)
    }
    return words.source == source ? stage.stop(reason, at: moment) : []
  }

  /// Plans again the words about how much of the timers is left. Words that already wait for
  /// something else to end go on waiting, if they are still wanted.
  /// - Parameter isClockSet: true if the clock was set, and timers with it. Words that are due
  ///   since then are said unless it is too late for them.
  mutating func replanWords(at now: Now, isClockSet: Bool = false) {
    let planned = reminders.timers.flatMap(wordsOfLeft(of:))
    let open = words.all.filter { $0.isOfLeft && (isClockSet || $0.from <= now.sinceBoot) }
    words.drop { $0.isOfLeft && !planned.contains($0) }
    for left in planned {
      let isOpen = open.contains { $0.source == left.source && $0.phrases == left.phrases }
      let isTooLate = isClockSet && left.until < now.sinceBoot
      if left.from > now.sinceBoot || isOpen && !isTooLate { words.plan(left) }
    }
  }

  private mutating func planWordsOfLeft(of timer: Reminder, at now: Now) {
    for left in wordsOfLeft(of: timer) where left.from > now.sinceBoot { words.plan(left) }
  }

  /// The words about how much of a running timer is left (`tell_left`).
  private func wordsOfLeft(of timer: Reminder) -> [TimerWords] {
    guard settings.saysTimers, let length = timer.length, case .waiting(let zero?) = timer.state
    else { return [] }
    var lefts: Set<Duration> = []
    // Half of less than two minutes is over too soon.
    if settings.tellsLeft.contains(.half), length / 2 >= .seconds(60),
      case .left(let rounded)? = TimerPhrase.left(roughly: length / 2)
    {
      // The words name the rounded time, so they come when that is left.
      lefts.insert(rounded)
    }
    if settings.tellsLeft.contains(.minute) { lefts.insert(.seconds(60)) }
    return lefts.map { left in
      words(about: timer, [.left(left)], from: zero.sinceBoot - left - rules.lead)
    }
  }

  private func words(
    about reminder: Reminder, _ phrases: [TimerPhrase], from: Duration
  ) -> TimerWords {
    TimerWords(
      reminder.source, title: reminder.title, phrases, from: from,
      until: from + rules.latestWords)
  }

  /// Plans the words after the first ring: the name of a timer, the time for an alarm.
  private mutating func planWords(ofRing reminder: Reminder, at now: Now) {
    guard let moment = reminder.moment, reminder.kind == .alarm || settings.saysTimers else {
      return
    }
    // Another that began at the same moment may be heard instead.
    let heard = rings(at: now).heard(at: moment.sinceBoot)
    let sounding = reminders.all.first { $0.source == heard && $0.moment == moment }
    let tune = blows(of: sounding ?? reminder, at: now).last.map { $0.offset + Cue.afterTune }
    // A long lead-in may need more time than the ring leaves.
    let from = max(
      moment.sinceBoot + (tune ?? TimerWords.afterRing) - rules.lead, now.sinceBoot)
    let phrases = reminder.kind == .alarm ? [TimerPhrase.time] : reminder.phrases
    words.plan(words(about: reminder, phrases, from: from))
  }

  /// Says how much of a timer is left or, if it rings, which one it is.
  private mutating func tellLeft(
    of timer: Reminder, at now: Now
  ) throws(ReminderRefusal) -> Response {
    if isEnding { throw .speech(.stopped(.serviceEnds)) }
    if let refusal = rules.refusalOfTimers { throw .speech(refusal) }
    guard settings.saysTimers else { throw .noWords }
    let left = timer.left(at: now)
    let phrases = TimerPhrase.left(roughly: left).map { [$0] } ?? timer.phrases
    guard stage.turn == nil else { throw .speech(.busy) }
    guard
      let announcement = announcement(
        of: words(about: timer, phrases, from: now.sinceBoot), at: now)
    else { throw .speech(.occasionIsNear) }
    let (effects, answer) = say(announcement)
    return (effects + [.report(.reminder(timer, .changed(.told(left: left))))], answer)
  }

  /// Begins the words that are due, unless something else is being said.
  private mutating func settleWords(at now: Now) -> [Effect] {
    var effects: [Effect] = []
    for words in self.words.all where words.from <= now.sinceBoot {
      // The time is said once for all ringing alarms.
      if words.isOfTime && !self.words.all.contains(words) { continue }
      let refusal = refusal(of: words, at: now)
      if words.until < now.sinceBoot {
        // An announcement that a sleep has ended had the speaker only before the sleep.
        let isBusy = stage.turn.map { $0.stopped?.reason != .slept } ?? false
        let hindrance = isBusy ? .busy : self.words.hindrance(of: words)
        let reason = refusal ?? hindrance ?? .late(now.sinceBoot - words.from)
        self.words.drop {
          $0 == words || (words.isOfTime && $0.isOfTime && $0.until < now.sinceBoot)
        }
        effects += unsaid(words, reason)
      } else if let refusal {
        self.words.hinder(words, refusal)
      } else if stage.turn != nil {
        self.words.hinder(words, .busy)
      } else if let announcement = announcement(of: words, at: now) {
        self.words.drop { $0 == words || ($0.isOfTime && words.isOfTime) }
        effects.append(.play(.announcement(begin(announcement))))
      } else {
        self.words.hinder(words, .occasionIsNear)
      }
    }
    return effects
  }

  /// Reports that words were not said; of an interval, once for each kind of phrase and each
  /// reason.
  mutating func unsaid(_ words: TimerWords, _ reason: SkipReason) -> [Effect] {
    guard words.source != .interval || self.words.isNew(words, reason) else { return [] }
    return [.report(.unsaid(words, reason))]
  }

  /// Why words must not be said. During a mute a timer rings, but the time left is not said.
  private func refusal(of words: TimerWords, at now: Now) -> SkipReason? {
    if let refusal = rules.refusalOfTimers { return refusal }
    if words.isOfTime, !rules.alarmsGoByClock(trust) { return .untrusted }
    guard words.isOfLeft, mute != .next, mute.silences(now.instant) else { return nil }
    return .muted
  }

  /// Nil if there is no room for words before the next occasion.
  private func announcement(of words: TimerWords, at now: Now) -> Announcement? {
    let anchor = now.instant + rules.lead
    var latest = anchor + (words.until - now.sinceBoot)
    // An occasion that has passed meanwhile is in nobody's way.
    let hasPassed = now.instant >= rules.passing(of: next)
    let coming = hasPassed ? quarters.schedule.next(after: rules.lastToPass(at: now)) : next
    if refusal(of: coming) == nil {
      let longest = words.isOfTime ? settings.longestPhrase : settings.longestTimerPhrase
      latest = min(latest, rules.needsSpeaker(for: coming) - longest)
    }
    let time = zone.civil(at: anchor)
    if words.isOfTime { latest = min(latest, anchor.endOfMinute(of: time)) }
    guard anchor <= latest else { return nil }
    return Announcement(
      stage.nextID, cause: .timer(words), time: time, anchor: anchor, latest: latest,
      room: words.endsBy.map { $0 - now.sinceBoot - (latest - now.instant) })
  }
}

/// How the Announcer handles the interval.
extension Announcer {
  /// The first cue of an interval may come this late: a device may take that long to open.
  private static let latestStart = Duration.seconds(3)
  /// Words later than this are dropped: the phase is obvious by then.
  private static let latestWords = Duration.milliseconds(250)

  /// Carries out a person's order.
  mutating func handle(_ order: IntervalOrder, at now: Now) -> Response {
    switch order {
    case .start(let plan, let replaces): return start(plan, replaces: replaces, at: now)
    case .stop:
      guard hasInterval else { return Self.refuse(.interval(.noInterval)) }
      return (stopInterval(.byHand, at: now.uptime), .done)
    }
  }

  private mutating func start(_ plan: IntervalPlan, replaces: Bool, at now: Now) -> Response {
    if let refusal = rules.refusalOfTimers { return Self.refuse(.interval(.silenced(refusal))) }
    if let flaw = plan.flaw { return Self.refuse(.interval(.plan(flaw))) }
    var effects = endInterval(byAnyClock: true, at: now)
    if let interval, !replaces {
      guard interval.plan == plan else { return Self.refuse(.interval(.runs(interval.title))) }
      return (effects + [.report(.interval(interval, .wentOn))], .interval(isNew: false))
    }
    effects += stopInterval(.replaced, at: now.uptime)
    let started = IntervalTimer(plan, start: TimedMoment(rules.lead, after: now))
    interval = started
    words.forgetTold()
    return (effects + [.report(.interval(started, .started))], .interval(isNew: true))
  }

  /// True if one runs, or the signal at its end still sounds.
  var hasInterval: Bool { interval != nil || cues.holds(.interval) }

  /// Ends the interval that runs, or its last signal, and what is said of it.
  mutating func stopInterval(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    words.drop(of: .interval)
    var effects = cues.stop([.interval], reason)
    if let interval { effects.append(.report(.interval(interval, .stopped(reason)))) }
    interval = nil
    return effects + stopWords(of: .interval, reason, at: moment)
  }

  /// Removes an interval whose rounds are all over; its last signal sounds on.
  /// - Parameter byAnyClock: true if a person wants another, however wrong the clock may be.
  private mutating func endInterval(byAnyClock: Bool = false, at now: Now) -> [Effect] {
    guard let interval, let length = interval.plan.length else { return [] }
    let late = interval.passed(at: now) - length
    guard late >= .zero else { return [] }
    // A clock that may be wrong cannot end it, unless its last signal was given.
    let wasSignalled = cues.last(of: .interval) == interval.start.sinceBoot + length
    guard !interval.start.followsClock || wasSignalled || byAnyClock else { return [] }
    self.interval = nil
    let isLate = late > Self.unnoticed
    // With the switch lost, nobody has heard the end.
    let unheard: [Effect] =
      rules.timersAreHeldBack && !isLate && !byAnyClock
      ? [.report(.interval(interval, .unheard("\(SkipReason.switchLost)")))] : []
    return unheard + [.report(.interval(interval, .over(late: isLate ? late : nil)))]
  }

  private func nextCueOfInterval(at now: Now) -> Cue? {
    guard let interval else { return nil }
    let start = interval.start.sinceBoot
    let earliest = cues.earliest(of: .interval, rules.lead, now)
    guard let cue = interval.plan.cue(atOrAfter: earliest - start) else { return nil }
    let latest = cue.offset == .zero ? Self.latestStart : Cue.latest
    // Half-way to the next cue, it would be taken for that one.
    let gap = interval.plan.gap(after: cue.offset)
    return Cue(
      stage.nextID, of: .interval, cue.signal, at: start + cue.offset,
      mayBeLateBy: min(latest, gap.map { $0 / 2 } ?? latest),
      decibels: decibels(at: start + cue.offset, now))
  }

  /// Plans the words after the signal of a cue of the interval.
  private mutating func planWords(after cue: Cue) -> [Effect] {
    guard cue.source == .interval, let interval,
      settings.saysPhases || interval.plan.saysWords
    else { return [] }
    let offset = cue.anchor - interval.start.sinceBoot
    let phrases = interval.plan.phrases(after: .init(offset: offset, signal: cue.signal))
    guard !phrases.isEmpty else { return [] }
    let begins = cue.anchor + cue.signal.length + Ducking.returnTakes
    let from = begins - rules.lead
    let words = TimerWords(
      .interval, title: interval.title, phrases, from: from, until: from + Self.latestWords,
      endsBy: interval.plan.gap(after: offset).map { cue.anchor + $0 })
    guard settings.saysTimers else {
      return unsaid(words, .failed("the voice has no words for intervals"))
    }
    if let end = words.endsBy, end <= begins + Self.latestWords {
      return unsaid(words, .failed("the next signal comes too soon for words"))
    }
    self.words.plan(words)
    return []
  }
}

extension IntervalTimer {
  /// When it is over, since the machine started; nil if it has no end, or if it follows a clock that
  /// may be wrong.
  var end: Duration? {
    start.followsClock ? nil : plan.length.map { start.sinceBoot + $0 }
  }
}

extension IntervalPlan {
  /// The phrases after the signal of a cue, the best first; empty if nothing is said.
  func phrases(after cue: Cue) -> [TimerPhrase] {
    guard case .rounds(let rounds) = self else { return [] }
    switch cue.signal {
    case .work, .last:
      let round = phase(at: cue.offset)?.round ?? 1
      if round == 1 { return [.go, .work] }
      // The word tells work from rest. Without rest, the round is all there is to tell.
      let work = TimerPhrase.both(.work, .round(round))
      return rounds.rest > .zero ? [work, .work] : [.round(round), .work]
    case .rest: return [.rest]
    case .half: return [.half]
    case .end: return [.done]
    case .prepare, .count, .cue, .ring: return []
    }
  }
}
