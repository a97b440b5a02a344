/// Decides what sounds and when; nothing else does. It is a pure state machine, and decides each
/// occasion exactly once, whatever the clock does.
public struct Announcer {
  /// The player gets an announcement this long before it begins: a sound server may take two
  /// seconds to start its stream, and some devices take three to open.
  public static let preparation = Duration.seconds(5)
  /// Minimum time to prepare a chime: some devices take this long to open.
  static let chimePreparation = Duration.seconds(3)
  /// Minimum time to prepare a sounding that begins at once.
  public static let requestLead = Duration.milliseconds(400)
  /// How late a blow may be: more than the jitter of clock readings, less than anyone hears.
  public static let latestBlow = Duration.milliseconds(10)
  /// How long after a failure the device is tried again.
  public static let retryDelay = Duration.seconds(1)
  /// A smaller difference between the clocks comes from reading them, not from a step.
  public static let stepThreshold = Duration.milliseconds(50)

  public private(set) var rules: Rules
  private var quarters: Quarters
  private var speaker = Speaker()
  private var cues = CueBook()
  public private(set) var reminders: Reminders
  private var run: IntervalRun

  /// Occasions before `now` are past. The mute, the reminders and the interval are as they were
  /// before the start; the clock may have been set since.
  /// - Parameter muteEndsSinceBoot: nil also if the machine has started since.
  public init(
    settings: AnnouncerSettings, zone: any Zone, trust: ClockTrust,
    switchState: SwitchState = .absent,
    mute: SoftwareMute = .off, muteEndsSinceBoot: Duration? = nil,
    reminders: Reminders = Reminders(), interval: IntervalTimer? = nil, at now: Now
  ) {
    self.reminders = reminders
    run = IntervalRun(interval)
    rules = Rules(settings, zone: zone, trust: trust, switchState: switchState)
    quarters = Quarters(at: now)
    rules.mute(mute, endsSinceBoot: muteEndsSinceBoot)
    rules.keepEndOfMute(at: now)
    replanWords(at: now)
    _ = self.reminders.configure(at: now, rules)
  }

  /// Handles one event. The last effect is the next wake-up.
  public mutating func handle(_ event: Event, at now: Now) -> Response {
    let (effects, answer) = react(to: event, at: now)
    return (effects + settle(at: now), answer)
  }

  /// What an event itself asks for. It is carried out before `settle` decides anything else, so a
  /// silence waits for nothing. The end of an announcement that was promised and not heard has an
  /// answer, too.
  public mutating func react(to event: Event, at now: Now) -> Response {
    var effects = readClocks(at: now)
    var answer: Answer?
    func respond(_ response: Response) {
      effects += response.effects
      answer = response.answer
    }
    switch event {
    // A ring that the player has begun already is silenced too, though the wake-up for it is late.
    case .mute, .pressed, .held, .stop(.byHand): effects += ringDue(at: now)
    default: break
    }
    switch event {
    case .zoneChanged(let zone):
      // What is prepared may say a time that is wrong now.
      effects += silence(Silence(reason: .rulesChanged, announcement: .takenBack), at: now)
      effects += use(settings, zone, at: now) + silence(stops(by: event, at: now), at: now)
    case .reloaded(let settings):
      effects += use(settings, zone, at: now) + silence(stops(by: event, at: now), at: now)
    case .tuneFound(let tune):
      reminders.use(tune)
    case .trust(let trust) where trust != self.trust:
      let isNews = (trust == .untrusted) != (self.trust == .untrusted)
      rules.trust = trust
      effects += planAlarms(at: now)
      if isNews { effects += silence(stops(by: event, at: now), at: now) }
      effects.append(.report(.trust(trust)))
    case .switched(let switchState, _) where switchState != self.switchState:
      rules.switchState = switchState
      effects += silence(stops(by: event, at: now), at: now) + [.report(.switched(switchState))]
    // A repeated mute still silences an answer.
    case .mute(let mute) where mute != self.mute || mute == .on:
      rules.mute(mute, endsSinceBoot: mute.end.map { now.sinceBoot + ($0 - now.instant) })
      effects += silence(stops(by: event, at: now), at: now) + [.report(reportOfMute)]
    case .woke, .trust, .switched, .mute: break
    case .asked(let time, let instant, let speakerIsAwake):
      let lead = rules.lead(speakerIsAwake: speakerIsAwake)
      // Occasions that have passed meanwhile must not block the answer.
      effects += decide(at: now)
      respond(self.answer(time, from: instant, within: lead, at: now))
    case .machineStarted:
      effects += decide(at: now)
      respond(soundAtStart(at: now))
    case .pressed(let speakerIsAwake):
      if reminders.isRinging || hasInterval {
        let stops = stops(by: event, at: now)
        if reminders.alarmRings { effects += handle(ReminderOrder.snooze(nil), at: now).effects }
        effects += silence(stops, at: now)
      } else {
        effects += decide(at: now)
        respond(answerAloud(within: rules.lead(speakerIsAwake: speakerIsAwake), at: now))
      }
    case .held:
      if reminders.alarms.contains(where: \.isUp) {
        effects += handle(ReminderOrder.stop(.alarm, nil), at: now).effects
      }
      effects += silence(stops(by: event, at: now), at: now)
    case .reminder(let order):
      respond(handle(order, at: now))
    case .interval(let order):
      respond(handle(order, at: now))
    case .stop(let stop):
      if stop == .serviceEnds { rules.serviceEnds() }
      effects += silence(stops(by: event, at: now), at: now)
    case .heard(let sounding, let heard):
      speaker.heard(sounding, heard)
      cues.heard(sounding)
    case .ended(let sounding, let outcome):
      if let turn = speaker.end(sounding) {
        respond(end(turn, with: outcome, at: now))
      } else {
        effects += endCue(sounding, with: outcome, at: now)
      }
    }
    return (Effect.silenceFirst(effects), answer)
  }

  /// What has become due by now, after every event. The last effect is the next wake-up.
  public mutating func settle(at now: Now) -> [Effect] { Effect.silenceFirst(decide(at: now)) }

  // MARK: The rules are changed

  private mutating func use(
    _ settings: AnnouncerSettings, _ zone: any Zone, at now: Now
  ) -> [Effect] {
    quarters.end(rules.schedule, at: now.instant)
    (rules.settings, rules.zone) = (settings, zone)
    // By a shorter interval a step back may be a long one.
    quarters.clocksShow(now, settings.interval)
    replanWords(at: now)
    return planAlarms(at: now)
  }

  // MARK: It begins

  private mutating func begin(_ announcement: Announcement, at now: Now) -> Announcement {
    var announcement = announcement
    announcement.decibels = rules.decibels(at: announcement.anchor)
    if case .timer(let words) = announcement.cause, words.isOfTime {
      // The time is as loud as the loudest alarm has become by then.
      let anchor = now.sinceBoot + (announcement.anchor - now.instant)
      let rises = reminders.alarms.filter(\.isRinging).map { $0.rise(at: anchor) }
      announcement.decibels += rises.max() ?? 0
    }
    speaker.begin(announcement)
    return announcement
  }

  private mutating func skip(
    _ first: Occasion, through last: Occasion? = nil, _ reason: SkipReason
  ) -> [Effect] {
    // A mute of the next occasion ends with this skip.
    [.report(.skipped(from: first, through: last ?? first, reason))]
      + (reason == .muted && mute == .next ? unmute() : [])
  }

  // MARK: Occasions

  private mutating func decide(at now: Now) -> [Effect] {
    var effects: [Effect] = []
    if let end = mute.end, end <= now.instant { effects += unmute() }
    effects += settleReminders(at: now)
    let decision = decideOccasions(at: now, &effects)
    // Words find the occasions that have passed decided: those are in nobody's way.
    if !rules.isEnding { effects += settleWords(at: now) }
    return effects + [wake(at: decision, now)]
  }

  /// - Returns: when the next is to be decided.
  private mutating func decideOccasions(at now: Now, _ effects: inout [Effect]) -> Instant {
    while true {
      let occasion = next
      let due = Quarters.due(occasion, rules)
      guard now.instant >= due, !rules.isEnding else { return due }
      // What is taken back is decided again once it has ended.
      if speaker.turn?.isTakenBack == true { return now.instant + .seconds(1) }
      if now.instant >= rules.passing(of: occasion) {
        let last = rules.schedule.last(atOrBefore: rules.lastToPass(at: now))
        effects += skip(occasion, through: last, reasonForMissing(occasion, through: last, at: now))
        quarters.decide(through: last)
        continue
      }
      if let refusal = refusal(of: occasion) {
        // Before its instant, the switch may still be turned on, or a mute lifted.
        let mayEnd = [.switchOff, .switchLost, .muted].contains(refusal)
        if mayEnd, now.instant < occasion.instant { return occasion.instant }
        effects += skip(occasion, refusal)
        quarters.decide(through: occasion)
        continue
      }
      if playing != nil { return rules.passing(of: occasion) + .milliseconds(1) }
      if let retry = quarters.retry(of: occasion, after: now) { return retry }
      quarters.decide(through: occasion)
      guard let made = Quarters.announcement(nextID, of: occasion, rules, at: now) else {
        effects += skip(occasion, quarters.failureReason(of: occasion) ?? .tooLateForChime)
        continue
      }
      effects.append(.play(.announcement(begin(made, at: now))))
    }
  }

  private func wake(at decision: Instant, _ now: Now) -> Effect {
    var instant = decision
    if let end = mute.end { instant = min(instant, end) }
    if let due = dueOfReminders(at: now) {
      instant = min(instant, now.instant + (due - now.sinceBoot))
    }
    return .wake(at: instant)
  }

  private func reasonForMissing(
    _ first: Occasion, through last: Occasion, at now: Now
  ) -> SkipReason {
    if first == last {
      if let refusal = refusal(of: first) { return refusal }
      if let reason = quarters.failureReason(of: first) { return reason }
      if let turn = speaker.turn, turn.stopped == nil { return .busy }
    }
    return .late(now.instant - first.instant)
  }
}

/// Silence: which soundings stop, and why.
extension Announcer {
  /// What a step of the clock or a sleep makes wrong is stopped.
  private mutating func readClocks(at now: Now) -> [Effect] {
    let (step, sleep) = quarters.clocksShow(now, settings.interval)
    let isSet = step.magnitude >= Self.stepThreshold
    var effects: [Effect] = []
    if isSet { effects += [.report(.clockSet(by: step))] + noteClockSet(at: now) }
    if sleep >= Self.stepThreshold {
      // The player times its cues by uptime, which stood still.
      effects.append(.report(.slept(for: sleep)))
      effects += silence(Silence(reason: .slept, cues: .all(finishesHeard: false)), at: now)
    }
    // Of an announcement it times, only the sum of step and sleep matters.
    let jump = (step + sleep).magnitude
    guard !effects.isEmpty, jump >= Self.stepThreshold, let turn = speaker.turn else {
      return effects
    }
    var silence = Silence(reason: isSet ? .clockSet : .slept, announcement: .takenBack)
    if turn.heard == .anchor {
      // Words that are being said are true after a small step; those after a chime may not be.
      let isWrong = jump > Rules.latestWords || turn.announcement.saysTimeAfterBlows
      silence.announcement = isWrong ? .stops : .goesOn
    }
    return effects + self.silence(silence, at: now)
  }

  /// Which soundings an event stops, by the rules as they are after it.
  private func stops(by event: Event, at now: Now) -> Silence {
    // An occasion that is not heard yet is still to come.
    let isToCome = !speaker.isHeard && playing?.cause.isOccasion == true
    switch event {
    case .switched(let switchState, let moment):
      let isLost = if case .lost = switchState { true } else { false }
      return stopsBySwitch(isLost ? .switchLost : .switchOff, moment)
    case .zoneChanged, .reloaded:
      var silence = stopsBySwitch(.rulesChanged)
      if silence.announcement == .goesOn { silence.announcement = fateOfPrepared(at: now) }
      return silence
    case .trust:
      return Silence(reason: .rulesChanged, announcement: fateOfPrepared(at: now))
    case .mute(.off):
      return Silence(reason: .muted)
    case .mute(.next):
      // A sounding or requested announcement is not the next occasion.
      return Silence(reason: .muted, announcement: isToCome ? .takenBack : .goesOn)
    case .mute(.until), .mute(.on):
      return Silence(
        reason: .muted, rings: Reminder.Kind.allCases, interval: true,
        announcement: isToCome ? .takenBack : .stops)
    case .pressed:
      return Silence(reason: .byHand, rings: [.timer], interval: !reminders.isRinging)
    case .held:
      return Silence(
        reason: .byHand, rings: [.timer], announcement: isToCome ? .goesOn : .stops)
    case .stop(.byHand):
      let isOfRings = reminders.isRinging || isSaying
      return Silence(
        reason: .byHand, rings: isOfRings ? Reminder.Kind.allCases : [], interval: !isOfRings,
        announcement: isToCome ? .goesOn : .stops)
    case .stop(.serviceEnds):
      // Rings go on after the next start.
      return Silence(
        reason: .serviceEnds, cues: .all(finishesHeard: settings.atStop == .finish),
        announcement: !speaker.isHeard || settings.atStop == .fade ? .stops : .goesOn)
    case .woke, .machineStarted, .tuneFound, .asked, .reminder, .interval, .heard, .ended:
      preconditionFailure("it stops nothing by itself")
    }
  }

  /// What the switch, as it is, silences.
  private func stopsBySwitch(_ reason: StopReason, _ moment: Uptime? = nil) -> Silence {
    var silence = Silence(reason: reason, moment: moment)
    var isRuledOut = rules.isSilencedBySwitch
    if case .timer? = playing?.cause { isRuledOut = rules.refusalOfTimers != nil }
    // What has not begun is decided again, in case the switch is put back before its instant.
    if isRuledOut { silence.announcement = speaker.isHeard ? .stops : .takenBack }
    guard rules.refusalOfTimers != nil else { return silence }
    silence.cues = .all(finishesHeard: false)
    if !rules.timersAreHeldBack {
      (silence.rings, silence.interval) = (Reminder.Kind.allCases, true)
    }
    return silence
  }

  /// The rules have changed. An occasion that is only prepared is stopped if it may not sound any
  /// more, and made again if there is time. With less time, a chime would come back as words alone.
  private func fateOfPrepared(at now: Now) -> Silence.Fate {
    guard let turn = speaker.turn, !speaker.isHeard, turn.stopped == nil,
      case .occasion(let occasion) = turn.announcement.cause
    else { return .goesOn }
    let preparation = turn.announcement.programme.blows.isEmpty ? .zero : rules.chimePreparation
    let isInTime = now.instant + preparation <= turn.announcement.begins
    return isInTime || refusal(of: occasion) != nil ? .takenBack : .goesOn
  }

  /// The only place in which a sounding is stopped.
  private mutating func silence(_ silence: Silence, at now: Now) -> [Effect] {
    var effects: [Effect] = []
    if !silence.rings.isEmpty {
      effects += report(reminders.end(silence, at: now, rules), at: now, silence)
    }
    if silence.interval {
      if let ended = run.stop() {
        effects.append(.report(.interval(ended, .stopped(silence.reason))))
      }
      effects += self.silence(.interval, silence, at: now)
    }
    // The words of the interval come again with its cues.
    if case .all = silence.cues { speaker.dropWords(of: .interval) }
    return effects + cues.silence(silence, at: now)
      + speaker.silence(silence, at: now, reopens: !rules.isEnding)
  }

  /// Stops the cues of a source, and drops its words.
  /// - Parameter isFalse: what is being said of it is not true any more, and stops, too.
  private mutating func silence(
    _ source: Cue.Source, isFalse: Bool = true, _ cause: Silence, at now: Now
  ) -> [Effect] {
    speaker.dropWords(of: source)
    let fate: Silence.Fate = isFalse && isSaid(of: source) ? .stops : .goesOn
    let silence = Silence(
      reason: cause.reason, moment: cause.moment, cues: .of([source]), announcement: fate)
    return self.silence(silence, at: now)
  }

  /// True if what is being said is about this source alone: the time that is said for one alarm is
  /// said for all that ring.
  private func isSaid(of source: Cue.Source) -> Bool {
    guard case .timer(let words)? = playing?.cause else { return false }
    if words.isOfTime, case .alarm = source { return !reminders.alarmRings }
    return words.source == source
  }

  /// True if an announcement is heard, or one that is no occasion is about to be. Words about the
  /// interval do not count: they are part of it.
  private var isSaying: Bool {
    if case .timer(let words)? = playing?.cause, words.source == .interval { return false }
    return speaker.isHeard || playing.map { !$0.cause.isOccasion } ?? false
  }

  private mutating func unmute() -> [Effect] {
    rules.mute(.off)
    return [.report(reportOfMute)]
  }
}

/// How the Announcer handles the end of an announcement, played or not.
extension Announcer {
  /// - Returns: also the answer to the person who asked for it, if nothing of it was heard.
  private mutating func end(_ turn: Speaker.Turn, with outcome: Outcome, at now: Now) -> Response {
    let announcement = turn.announcement
    if turn.isTakenBack, case .occasion(let occasion) = announcement.cause {
      let heard: Heard =
        switch outcome {
        case .finished: .anchor
        case .failed(_, let heard): heard
        case .stopped, .tooLate: turn.heard
        }
      if heard != .anchor { quarters.reopen(occasion) }
    }
    let reason: SkipReason
    switch outcome {
    case .finished(let timing): return ([.report(.announced(announcement, timing))], nil)
    case .stopped(let reason, let silentAt?):
      let after = silentAt - (turn.stopped?.at ?? silentAt)
      return ([.report(.cutOff(announcement, reason, after: after))], nil)
    case .stopped(let stop, nil): reason = .stopped(stop)
    case .failed(let why, _): reason = .failed(why)
    case .tooLate(let delay): reason = .failed(Self.tooLate(delay))
    }
    switch announcement.cause {
    case .occasion(let occasion):
      if case .failed(let why, heard: .anchor) = outcome {
        return ([.report(.brokeOff(announcement, why))], nil)
      }
      if turn.isTakenBack { return ([], nil) }
      if case .failed(let why) = reason { return (retry(occasion, why, at: now), nil) }
      return (skip(occasion, reason), nil)
    case .request, .untrusted: return Self.refuse(.request(reason))
    case .timer(let words): return (unsaid(words, reason), .refused(.order(.speech(reason))))
    case .start: return ([.report(.startUnheard(reason))], nil)
    }
  }

  /// Tries an occasion again: when it is too late for the chime, there may be time for the words.
  private mutating func retry(_ occasion: Occasion, _ why: String, at now: Now) -> [Effect] {
    guard now.instant < rules.passing(of: occasion) else {
      return skip(occasion, .failed(why))
    }
    return quarters.retry(occasion, why, at: now) ? [.report(.retrying(occasion, why))] : []
  }
}

/// Answers to people who ask for the time.
extension Announcer {
  /// - Parameter instant: when it is to begin; nil for `lead` from now.
  private mutating func answer(
    _ time: CivilTime?, from instant: Instant? = nil, within lead: Duration, at now: Now
  ) -> Response {
    // An ending service may let a sounding announcement finish, but begins nothing else.
    if rules.isEnding { return Self.refuse(.request(.stopped(.serviceEnds))) }
    // To begin at an instant needs a clock that is right, even if the time is given.
    if let refusal = rules.refusalOfRequest(isGiven: time != nil && instant == nil) {
      return Self.refuse(.request(refusal))
    }
    if let turn = speaker.turn {
      if turn.stopped == nil, let instant,
        turn.announcement.says(time ?? zone.civil(at: instant), at: instant)
      {
        return ([], .announcement(turn.announcement))
      }
      let isNear =
        turn.announcement.cause.isOccasion && turn.heard != .anchor
        && turn.stopped == nil
      return Self.refuse(.request(isNear ? .occasionIsNear : .busy))
    }
    let anchor = instant ?? now.instant + lead
    guard anchor >= now.instant + lead else {
      return Self.refuse(.request(.tooNear(within: lead)))
    }
    var latest = latestBeforeNext
    if let latest, anchor > latest { return Self.refuse(.request(.occasionIsNear)) }
    let said = time ?? zone.civil(at: anchor)
    if time == nil {
      let end = anchor.endOfMinute(of: said)
      latest = min(latest ?? end, end)
    }
    // Other clocks begin at that instant too: a late answer is as wrong as another time.
    if instant != nil { latest = anchor + Self.latestBlow }
    let answer = Announcement(
      nextID, cause: .request, time: said, anchor: anchor, latest: latest)
    return say(answer, at: now)
  }

  /// Answers a person who has pressed the button, and cannot read why there is no answer.
  private mutating func answerAloud(within lead: Duration, at now: Now) -> Response {
    let (effects, answer) = answer(nil, within: lead, at: now)
    guard case .refused(.request(let reason))? = answer, reason == .untrusted || reason == .noZone,
      !rules.isMuted(at: now)
    else { return (effects, answer) }
    // What is heard already, or is about to be, shows that the clock lives.
    let words = announcement(of: .untrusted, within: lead, at: now)
    return (effects + (words.map { say($0, at: now).effects } ?? []), answer)
  }

  private mutating func soundAtStart(at now: Now) -> Response {
    guard settings.atStart != .none else { return ([], nil) }
    let refusal: SkipReason? =
      settings.quiet.contains(zone.civil(at: now.instant))
      ? .quietHours : rules.isMuted(at: now) ? .muted : rules.refusalOfRequest(isGiven: true)
    if let refusal { return ([.report(.startUnheard(refusal))], nil) }
    guard settings.atStart == .signal else { return answerAloud(within: rules.lead, at: now) }
    guard let signal = announcement(of: .start, within: rules.lead, at: now) else {
      return ([.report(.startUnheard(.occasionIsNear))], nil)
    }
    return say(signal, at: now)
  }

  /// Nil if something else is heard, or if there is no room before the next occasion.
  private func announcement(
    of cause: Announcement.Cause, within lead: Duration, at now: Now
  ) -> Announcement? {
    let anchor = now.instant + lead
    let latest = latestBeforeNext
    guard speaker.turn == nil, latest.map({ anchor <= $0 }) ?? true else { return nil }
    return Announcement(
      nextID, cause: cause, time: zone.civil(at: anchor), anchor: anchor, latest: latest)
  }

  /// Words that begin by then are over before the next occasion; nil if that will not sound.
  private var latestBeforeNext: Instant? {
    guard refusal(of: next) == nil else { return nil }
    return rules.needsSpeaker(for: next) - settings.longestPhrase
  }

  private mutating func say(_ announcement: Announcement, at now: Now) -> Response {
    let announcement = begin(announcement, at: now)
    return ([.play(.announcement(announcement))], .announcement(announcement))
  }

  static func tooLate(_ delay: Duration) -> String {
    "the speaker was ready \(delay.roughly) too late for it"
  }
}

/// How the Announcer handles timers and alarms.
extension Announcer {
  /// What is later came due while the machine slept or was off, or its clock was set past it.
  static let unnoticed = Duration.seconds(2)

  private mutating func handle(_ order: ReminderOrder, at now: Now) -> Response {
    do throws(OrderRefusal) {
      if case .tell(let which) = order {
        return try tellLeft(of: try reminders.timer(which, at: now), at: now)
      }
      let changes = try reminders.handle(order, at: now, rules)
      let answer: Answer =
        switch order {
        case .start, .set, .skip: .number(changes[0].reminder.number)
        case .add, .pause, .resume, .tell, .snooze, .stop, .unskip, .turn, .cancel: .done
        }
      return (report(changes, at: now), answer)
    } catch {
      return Self.refuse(.order(error))
    }
  }

  // MARK: The clock and the rules

  private mutating func noteClockSet(at now: Now) -> [Effect] {
    rules.keepEndOfMute(at: now)
    var moved = reminders.noteClockSet(at: now, rules)
    if run.noteClockSet(at: now) {
      moved.insert(.interval)
      speaker.dropWords(of: .interval)
    }
    replanWords(at: now)
    return silence(Silence(reason: .clockSet, cues: .of(moved)), at: now)
  }

  /// Finds again when alarms ring: the trust, the zone or the configuration has changed.
  private mutating func planAlarms(at now: Now) -> [Effect] {
    let waiting = Set(reminders.alarms.filter(\.waitsByClock).map(\.source))
    return silence(Silence(reason: .rulesChanged, cues: .of(waiting)), at: now)
      + report(reminders.configure(at: now, rules), at: now, Silence(reason: .rulesChanged))
  }

  // MARK: What time brings

  private mutating func settleReminders(at now: Now) -> [Effect] {
    if trust != .untrusted { run.noteTrusted() }
    guard !rules.isEnding else { return [] }
    var effects = ringDue(at: now) + endInterval(at: now)
    while let cue = nextCues(at: now).first(where: { due($0) <= now.sinceBoot }) {
      effects.append(.play(.cue(cue)))
      cues.give(cue, at: now)
      effects += planWords(after: cue)
    }
    return effects
      + silence(Silence(reason: .replaced, cues: .replaced(by: rings(at: now))), at: now)
  }

  private mutating func ringDue(at now: Now) -> [Effect] {
    guard !rules.isEnding else { return [] }
    // The player has what is about to ring.
    let isPrepared = reminders.alarms.contains {
      $0.waitsByClock && cues.next[$0.source] != nil
    }
    if !isPrepared { reminders.followClock(at: now) }
    return report(reminders.due(at: now, rules), at: now)
  }

  /// When timers, alarms or the interval next need something, since the machine started.
  private func dueOfReminders(at now: Now) -> Duration? {
    guard !rules.isEnding else { return nil }
    let ahead = rules.preparation
    let prepared = reminders.all.lazy.compactMap { reminder in
      reminder.isRinging ? nil : reminder.moment.map { $0.sinceBoot - ahead }
    }.filter { $0 > now.sinceBoot }
    let moments = [
      prepared.min(), reminders.nextDue(rules), run.end,
      nextCues(at: now).map { due($0) }.min(), speaker.nextWords(at: now),
    ]
    return moments.compactMap { $0 }.min()
  }

  /// - Parameter cause: why those that are over are silent.
  private mutating func report(
    _ changes: [ReminderChange], at now: Now, _ cause: Silence = Silence(reason: .byHand)
  ) -> [Effect] {
    var effects: [Effect] = []
    for (reminder, event) in changes {
      var isFalse = true
      switch event {
      case .changed(.told), .unheard, .rings(.on, _): break
      case .rings: planWords(ofRing: reminder, at: now)
      case .set, .changed(.paused), .changed(.resumed), .changed(.skipped), .changed(.unskipped),
        .changed(.turned), .missed, .expired:
        // What is being said of a timer that is paused, or of a ring at its limit, is true.
        isFalse = false
        fallthrough
      case .changed(.lengthened), .changed(.snoozed), .cancelled, .silenced, .stopped:
        effects += silence(reminder.source, isFalse: isFalse, cause, at: now)
        if event != .cancelled { planWordsOfLeft(of: reminder, at: now) }
      }
      effects.append(.report(.reminder(reminder, event)))
    }
    return effects
  }

  /// Why an alarm will be silent at its next time or after its snooze; nil if it will ring.
  public func refusal(of alarm: Reminder) -> SkipReason? {
    switch alarm.state {
    case .waiting(nil): alarm.isOff ? nil : rules.refusalOfAlarms
    case .waiting: rules.refusalOfAlarms ?? rules.refusalOfTimers
    case .snoozing: rules.refusalOfTimers
    case .ringing, .paused: rules.timersAreHeldBack ? .switchLost : nil
    }
  }

  /// Why nothing of a ring has been heard; nil if something was, or if it does not ring.
  public func neverHeard(_ reminder: Reminder) -> SkipReason? {
    guard case .ringing(let since) = reminder.state, !cues.hasRung(since: since.sinceBoot) else {
      return nil
    }
    if rules.timersAreHeldBack { return .switchLost }
    return cues.failure(since: since.sinceBoot).map { .failed($0) }
  }

  // MARK: Cues

  /// All that rings, or will before a cue that is prepared now is heard.
  private func rings(at now: Now) -> Rings {
    Rings(
      reminders.all.compactMap { reminder in
        guard let since = reminder.moment?.sinceBoot,
          reminder.isRinging
            || (now.sinceBoot < since && since - rules.preparation <= now.sinceBoot
              && (!reminder.waitsByClock || rules.alarmsGoByClock))
        else { return nil }
        return Ringing(
          source: reminder.source, since: since, decibels: reminder.rise(at: now.sinceBoot),
          hasTune: reminder.alarm?.tune.map { !$0.isMissing } ?? false)
      })
  }

  /// The next cue of the ring that is heard, of each that replaces it soon, and of the interval;
  /// none while the switch silences them.
  private func nextCues(at now: Now) -> [Cue] {
    guard rules.refusalOfTimers == nil else { return [] }
    let rings = rings(at: now)
    return rings.heard(from: now.sinceBoot).compactMap { nextCue(of: $0, rings, at: now) }
      + [run.nextCue(nextID, from: cues.next[.interval], rules, at: now)].compactMap { $0 }
  }

  private func nextCue(of ringing: Ringing, _ rings: Rings, at now: Now) -> Cue? {
    let (source, since) = (ringing.source, ringing.since)
    guard let reminder = reminders.all.first(where: { $0.source == source }) else { return nil }
    let earliest = cues.earliestRing(of: source, since, from: now.sinceBoot + rules.lead)
    let blows = blows(of: reminder, at: now)
    let anchor = blows.isEmpty ? Cue.ring(since: since, from: earliest) : earliest
    // A ring that began at the ring limit would be heard as a click.
    guard rings.heard(at: max(anchor, now.sinceBoot)) == source,
      anchor < since + settings.ringLimit
    else { return nil }
    let late = anchor == since ? Cue.ringPeriod : Cue.latest
    return Cue(
      nextID, of: source, .ring, blows: blows, at: anchor,
      mayBeLateBy: blows.isEmpty ? late : Self.chimePreparation,
      decibels: rules.decibels(at: anchor, now) + reminder.rise(at: anchor))
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

  private mutating func endCue(
    _ sounding: SoundingID, with outcome: Outcome, at now: Now
  ) -> [Effect] {
    guard let (source, why) = cues.end(sounding, with: outcome, at: now) else { return [] }
    if source == .interval, let interval { return [.report(.interval(interval, .unheard(why)))] }
    return reminders.all.filter { $0.source == source }
      .map { .report(.reminder($0, .unheard(why))) }
  }

  // MARK: Words

  /// Words that already wait for something else to end go on waiting.
  private mutating func replanWords(at now: Now) {
    speaker.dropWordsOfLeft(at: now)
    for timer in reminders.timers { planWordsOfLeft(of: timer, at: now) }
  }

  /// Plans the words about how much of a running timer is left (`tell_left`).
  private mutating func planWordsOfLeft(of timer: Reminder, at now: Now) {
    guard settings.saysTimers, let length = timer.length, case .waiting(let zero?) = timer.state
    else { return }
    var lefts: Set<Duration> = []
    // Half of less than two minutes is over too soon.
    if settings.tellsLeft.contains(.half), length / 2 >= .seconds(60),
      case .left(let rounded)? = TimerPhrase.left(roughly: length / 2)
    {
      // The words name the rounded time, so they come when that is left.
      lefts.insert(rounded)
    }
    if settings.tellsLeft.contains(.minute) { lefts.insert(.seconds(60)) }
    for left in lefts {
      let from = zero.sinceBoot - left - rules.lead
      if from > now.sinceBoot { speaker.plan(words(about: timer, [.left(left)], from: from)) }
    }
  }

  private func words(
    about reminder: Reminder, _ phrases: [TimerPhrase], from: Duration
  ) -> TimerWords {
    TimerWords(
      source: reminder.source, title: reminder.title, phrases: phrases, from: from,
      until: from + Rules.latestWords)
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
    speaker.plan(words(about: reminder, phrases, from: from))
  }

  /// Says how much of a timer is left or, if it rings, which one it is.
  private mutating func tellLeft(
    of timer: Reminder, at now: Now
  ) throws(OrderRefusal) -> Response {
    if rules.isEnding { throw .speech(.stopped(.serviceEnds)) }
    if let refusal = rules.refusalOfTimers { throw .speech(refusal) }
    guard settings.saysTimers else { throw .noWords }
    let left = timer.left(at: now)
    let phrases = TimerPhrase.left(roughly: left).map { [$0] } ?? timer.phrases
    guard speaker.turn == nil else { throw .speech(.busy) }
    guard
      let announcement = announcement(
        of: words(about: timer, phrases, from: now.sinceBoot), at: now)
    else { throw .speech(.occasionIsNear) }
    let (effects, answer) = say(announcement, at: now)
    return (effects + [.report(.reminder(timer, .changed(.told(left: left))))], answer)
  }

  private mutating func settleWords(at now: Now) -> [Effect] {
    var effects: [Effect] = []
    for words in speaker.words
    where words.from <= now.sinceBoot && speaker.words.contains(words) {
      let refusal = refusal(of: words, at: now)
      if words.until < now.sinceBoot {
        let isBusy = speaker.turn.map { $0.stopped == nil } ?? false
        effects += unsaid(words, refusal ?? (isBusy ? .busy : .late(now.sinceBoot - words.from)))
        speaker.drop(words)
      } else if refusal == nil, speaker.turn == nil,
        let announcement = announcement(of: words, at: now)
      {
        effects.append(.play(.announcement(begin(announcement, at: now))))
      }
    }
    return effects
  }

  /// Reports that words were not said; of an interval, once.
  private mutating func unsaid(_ words: TimerWords, _ reason: SkipReason) -> [Effect] {
    if words.source == .interval, !run.leavesWordsOut() { return [] }
    return [.report(.unsaid(words, reason))]
  }

  /// During a mute a timer rings, but the time left is not said.
  private func refusal(of words: TimerWords, at now: Now) -> SkipReason? {
    if let refusal = rules.refusalOfTimers { return refusal }
    if words.isOfTime, let refusal = rules.refusalOfAlarms { return refusal }
    return words.isOfLeft && rules.isMuted(at: now) ? .muted : nil
  }

  /// Nil if there is no room for words before the next occasion.
  private func announcement(of words: TimerWords, at now: Now) -> Announcement? {
    let anchor = now.instant + rules.lead
    var latest = anchor + (words.until - now.sinceBoot)
    if let latestBeforeNext { latest = min(latest, latestBeforeNext) }
    let time = zone.civil(at: anchor)
    if words.isOfTime { latest = min(latest, anchor.endOfMinute(of: time)) }
    guard anchor <= latest else { return nil }
    return Announcement(
      nextID, cause: .timer(words), time: time, anchor: anchor, latest: latest,
      room: words.endsBy.map { $0 - now.sinceBoot - (latest - now.instant) })
  }
}

/// How the Announcer handles the interval.
extension Announcer {
  private mutating func handle(_ order: IntervalOrder, at now: Now) -> Response {
    switch order {
    case .start(let plan, let replaces): return start(plan, replaces: replaces, at: now)
    case .stop:
      guard hasInterval else { return Self.refuse(.order(.noInterval)) }
      return (silence(Silence(reason: .byHand, interval: true), at: now), .done)
    }
  }

  private mutating func start(_ plan: IntervalPlan, replaces: Bool, at now: Now) -> Response {
    if let refusal = rules.refusalOfTimers { return Self.refuse(.order(.silenced(refusal))) }
    var effects = endInterval(at: now)
    if let interval, !replaces {
      guard interval.plan == plan else { return Self.refuse(.order(.runs(interval))) }
      return (effects + [.report(.interval(interval, .wentOn))], .interval(isNew: false))
    }
    effects += silence(Silence(reason: .replaced, interval: true), at: now)
    let started = IntervalTimer(plan, start: TimedMoment(rules.lead, after: now))
    run.begin(started)
    return (effects + [.report(.interval(started, .started))], .interval(isNew: true))
  }

  /// True if one runs, or the signal at its end still sounds.
  private var hasInterval: Bool { interval != nil || cues.holds(.interval) }

  private mutating func endInterval(at now: Now) -> [Effect] {
    guard let (interval, late) = run.removeOver(at: now) else { return [] }
    return [.report(.interval(interval, .over(late: late > Self.unnoticed ? late : nil)))]
  }

  private mutating func planWords(after cue: Cue) -> [Effect] {
    guard let words = run.words(after: cue, rules) else { return [] }
    guard settings.saysTimers else {
      return unsaid(words, .failed("the voice has no words for intervals"))
    }
    if let end = words.endsBy, end <= words.until + rules.lead {
      return unsaid(words, .failed("the next signal comes too soon for words"))
    }
    speaker.plan(words)
    return []
  }
}

/// The state that others may read.
extension Announcer {
  public var settings: AnnouncerSettings { rules.settings }
  public var trust: ClockTrust { rules.trust }
  public var switchState: SwitchState { rules.switchState }
  public var mute: SoftwareMute { rules.mute }
  public var muteEndsSinceBoot: Duration? { rules.muteEndsSinceBoot }

  /// Nil if none runs.
  public var interval: IntervalTimer? { run.timer }

  /// The announcement that the player has: prepared, sounding, or being stopped.
  public var playing: Announcement? { speaker.turn?.announcement }

  /// The announcement that is heard; nil if there is none or it is only preparing.
  public var sounding: Announcement? { speaker.isHeard ? playing : nil }

  private var nextID: SoundingID { SoundingID(max(speaker.last, cues.last).number + 1) }

  /// The occasion that sounds next: the prepared one, or else the first undecided one.
  public var outlook: Outlook {
    if let turn = speaker.turn, sounding == nil, turn.stopped == nil,
      case .occasion(let occasion) = turn.announcement.cause
    {
      return rules.outlook(of: occasion, turn.announcement.programme, nil)
    }
    return rules.outlook(of: next)
  }

  /// The first occasion that has not been decided yet.
  public var next: Occasion { quarters.next(rules.schedule) }

  public var zone: any Zone { rules.zone }

  /// Why an occasion would not sound now; nil if it would.
  public func refusal(of occasion: Occasion) -> SkipReason? { rules.refusal(of: occasion) }

  /// True if the switch, as it is, silences everything.
  public var isSilencedBySwitch: Bool { rules.isSilencedBySwitch }

  public var reportOfMute: Report { .mute(mute, until: mute.end.map { zone.civil(at: $0) }) }

  /// True if something is still to be said about a timer, an alarm or the interval.
  public var hasWords: Bool { !speaker.words.isEmpty }

  /// The lines that are lit, for an alarm rings.
  public var lights: Set<String> {
    Set(reminders.alarms.filter(\.isRinging).compactMap { $0.alarm?.light })
  }

  public var lamp: Lamp {
    if isSilencedBySwitch { return .off }
    if trust == .untrusted || !settings.hasZone { return .blinking }
    return outlook.refusal == nil ? .on : .off
  }
}

extension Announcement {
  /// True if it says the time after its last blow.
  fileprivate var saysTimeAfterBlows: Bool {
    if case .at = programme.words { !programme.blows.isEmpty } else { false }
  }

  /// True if it says this time from this instant on, as an occasion or for somebody who has asked. A relay
  /// that was killed asks again for what the clock has.
  fileprivate func says(_ said: CivilTime, at instant: Instant) -> Bool {
    guard cause.isOccasion || cause == .request, programme.words != .none else { return false }
    return anchor == instant && time.dateTime.timeOfDay == said.dateTime.timeOfDay
  }
}
