/// Decides what sounds and when; nothing else does.
///
/// A pure state machine: it takes events and the time, and returns effects. It decides each
/// occasion exactly once, whatever the clock does.
public struct Announcer {
  /// The player gets an announcement this long before it begins. It opens the device and runs it on
  /// silence first. A sound server may take two seconds to start its stream, and some devices take
  /// three to open.
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
  /// Minimum change of level that counts, in dB. Smaller changes are inaudible: they come from
  /// computing the rise of a ring again.
  static let leastDecibels = 0.1
  /// A sounding melody goes on through a step of at most this. Its remaining blows move with the
  /// clock. Notes are about this far apart, so no note overtakes another.
  public static let longestFollowedStep = Duration.milliseconds(500)

  /// The rules by which something may sound now.
  public internal(set) var rules: Rules
  /// The occasions.
  var quarters: Quarters
  var stage = Stage()
  /// The timers and alarms.
  public internal(set) var reminders: Reminders
  /// Nil if none runs.
  public internal(set) var interval: IntervalTimer?
  var cues = CueBook()
  /// What is to be said about timers, alarms and the interval.
  var words = PendingWords()
  /// The service is ending: no further occasion is decided.
  var isEnding = false
  /// When a mute for a duration ends, since the machine started, sleep included. Nil if the mute
  /// has no such end, or if the machine has started again since: then it ends at an instant of the
  /// clock.
  public internal(set) var muteEndsSinceBoot: Duration?
  /// When the last event came.
  var previous: Now
  /// What the clock would show now without the step or the sleep that was just noticed.
  var showed: Instant
  /// Nothing is to be decided after the last event.
  private var isSettled = true
  /// The clock was set or the machine slept, and the clock has not been judged since.
  private var owesJudging = false

  /// Occasions before `now` are past: after a start only later ones sound.
  /// - Parameters:
  ///   - mute: as it was before the start. The clock may have been set since.
  ///   - muteEndsSinceBoot: when the mute ends, if it is for a duration and the machine has not
  ///     started since.
  ///   - sounded: `lastSounded` as it was before the start. If the clock was set back since, that
  ///     occasion does not sound again.
  ///   - reminders: as they were before the start, like the interval.
  public init(
    settings: AnnouncerSettings, zone: any Zone, trust: ClockTrust, ringer: Ringer = .absent,
    mute: SoftwareMute = .off, muteEndsSinceBoot: Duration? = nil, sounded: Instant? = nil,
    reminders: Reminders = Reminders(), interval: IntervalTimer? = nil, at now: Now
  ) {
    self.reminders = reminders
    self.interval = interval
    rules = Rules(settings, trust: trust, ringer: ringer, mute: mute)
    quarters = Quarters(
      Schedule(interval: settings.interval, zone: zone), at: now.instant, sounded: sounded)
    self.muteEndsSinceBoot = muteEndsSinceBoot
    previous = now
    showed = now.instant
    keepEndOfMute(at: now)
    replanWords(at: now)
    self.reminders.configureAtStart(settings.alarms, at: now, reminderRules)
  }

  /// Handles one event. The last effect is the next wake-up.
  ///
  /// The end of an announcement that was asked for and not heard has an answer, too: it takes the
  /// place of the one that promised the announcement.
  public mutating func handle(_ event: Event, at now: Now) -> Response {
    let (effects, answer) = react(to: event, at: now)
    return (effects + settle(at: now), answer)
  }

  /// The first half of `handle`: what the event itself asks for. It is carried out before `settle`
  /// decides anything else, so a silence waits for nothing.
  public mutating func react(to event: Event, at now: Now) -> Response {
    isSettled = false
    var effects = noticeStep(at: now)
    var answer: Answer?
    func respond(_ response: Response) {
      effects += response.effects
      answer = response.answer
    }
    let hasJumped = !effects.isEmpty
    if case .ringer = event { owesJudging = owesJudging || hasJumped } else { owesJudging = false }
    switch event {
    // A ring that the player has begun already is silenced too, though the wake-up for it is late.
    case .mute, .pressed, .held, .stop(.byHand): effects += ringDue(at: now)
    default: break
    }
    switch event {
    case .woke, .clockSet:
      break
    case .zoneChanged(let zone):
      effects += change(settings, zone, .none, at: now)
    case .reloaded(let settings, let sound, let ringer):
      effects += change(settings, zone, sound, ringer, at: now)
    case .trust(let trust):
      if trust != self.trust { effects += change(trust, at: now) + [.report(.trust(trust))] }
    case .ringer(let ringer, let moment):
      effects += change(ringer, at: moment, now)
      // Silence does not wait for the clock to be judged. The consequences of a step or a sleep do.
      if owesJudging {
        isSettled = true
        return (Effect.silenceFirst(effects) + [.wake(at: now.instant)], nil)
      }
    case .mute(let mute):
      effects += change(mute, at: now)
    case .asked(let time, let instant, let speakerIsAwake):
      let lead = rules.lead(speakerIsAwake: speakerIsAwake)
      // Occasions that have passed meanwhile must not block the answer.
      effects += decide(at: now)
      respond(self.answer(time, from: instant, within: lead, at: now))
    case .pressed(let speakerIsAwake):
      if reminders.isRinging {
        effects += endRingsByButton(at: now)
      } else if hasInterval {
        effects += stopInterval(.byHand, at: now.uptime)
      } else {
        effects += decide(at: now)
        let lead = rules.lead(speakerIsAwake: speakerIsAwake)
        respond(self.answer(nil, within: lead, at: now))
      }
    case .held:
      if reminders.alarms.contains(where: \.isUp) {
        effects += handle(ReminderOrder.stop(nil), at: now).effects
      }
      effects += endRings(.byHand, of: .timer, at: now.uptime, now)
      if let playing, isEnded(playing, by: .byHand, at: now) {
        effects += stage.stop(.byHand, at: now.uptime)
      }
    case .reminder(let order):
      respond(handle(order, at: now))
    case .interval(let order):
      respond(handle(order, at: now))
    case .stop(let stop):
      if stop == .serviceEnds { isEnding = true }
      effects += stopCues(by: stop, at: now)
      if let playing, isEnded(playing, by: stop, at: now) {
        effects += stage.stop(stop.reason, at: now.uptime)
      }
    case .heard(let sounding, let heard):
      stage.heard(heard, of: sounding)
      cues.heard(sounding)
    case .ended(let sounding, let outcome):
      if let turn = stage.end(sounding) {
        respond(end(turn, with: outcome, at: now))
      } else {
        effects += endCue(sounding, with: outcome, at: now)
      }
    }
    return (Effect.silenceFirst(effects), answer)
  }

  /// The second half of `handle`: what has become due by now. The last effect is the next wake-up.
  public mutating func settle(at now: Now) -> [Effect] {
    guard !isSettled else { return [] }
    isSettled = true
    return Effect.silenceFirst(decide(at: now))
  }

  // MARK: An announcement is taken back

  /// Cancels an announcement that has not reached its anchor and reopens its occasion.
  mutating func takeBack(_ reason: StopReason, at now: Now) -> [Effect] {
    guard let turn = stage.turn, turn.heard != .anchor, !turn.isTakenBack else { return [] }
    // A service that is ending reopens no occasions.
    if case .occasion(let occasion) = turn.announcement.cause, !isEnding {
      quarters.reopen(occasion)
      stage.takeBack()
    }
    return stage.stop(reason, at: now.uptime)
  }

  /// True if there is time to stop an announcement and prepare it again. With less time, a chime
  /// would come back as words alone.
  func canBeginAnew(_ announcement: Announcement, at now: Now) -> Bool {
    let preparation = announcement.programme.blows.isEmpty ? .zero : rules.chimePreparation
    return now.instant + preparation <= announcement.begins
  }

  // MARK: The rules are changed

  /// Applies new settings or a new zone.
  ///
  /// A prepared announcement is made again if the change affects it and there is time. One that
  /// already sounds goes on as it began, unless its occasion now has another programme, or none.
  /// - Parameter ringer: the switch as read with the new settings of its line; nil if those are
  ///   unchanged.
  private mutating func change(
    _ settings: AnnouncerSettings, _ zone: any Zone, _ sound: SoundChange, _ ringer: Ringer? = nil,
    at now: Now
  ) -> [Effect] {
    let before = stage.turn.map(rulingSoFar)
    let wasSilenced = ruledOutBySwitch
    rules.settings = settings
    var report: [Effect] = []
    if let ringer, ringer != rules.ringer {
      rules.ringer = ringer
      report = [.report(.ringer(ringer))]
    }
    quarters.change(Schedule(interval: settings.interval, zone: zone), at: now.instant)
    replanWords(at: now)
    var silenced = report + planAlarms(settings, at: now)
    if rules.refusalOfTimers != nil {
      if !rules.timersAreHeldBack { silenced += silenceCues(.rulesChanged, at: now.uptime, now) }
      silenced += stopCues(.rulesChanged)
    }
    guard let playing else { return silenced }
    let isMadeAnew =
      canBeginAnew(playing, at: now)
      && (sound != .none
        || (decibels(of: playing) - playing.decibels).magnitude > Self.leastDecibels)
    let effects =
      isMadeAnew || ruling(on: playing) != before ? takeBack(.rulesChanged, at: now) : []
    // The switch counts from now on, even for an announcement that cannot be taken back any more.
    return effects.isEmpty && ruledOutBySwitch && !wasSilenced
      ? silenced + stage.stop(.rulesChanged, at: now.uptime) : silenced + effects
  }

  /// Applies a new trust in the clock. An announcement that is only prepared is taken back if it
  /// would now be different, or refused.
  private mutating func change(_ trust: ClockTrust, at now: Now) -> [Effect] {
    let before = stage.turn.map(rulingSoFar)
    rules.trust = trust
    let recalled = planAlarms(at: now)
    guard let turn = stage.turn, !stage.isHeard, let before else { return recalled }
    let ruling = rulingSoFar(on: turn)
    let isAnother = ruling.refusal == nil && canBeginAnew(turn.announcement, at: now)
    guard ruling != before, ruling.refusal != nil || isAnother else { return recalled }
    return recalled + takeBack(.rulesChanged, at: now)
  }

  // MARK: It begins

  /// - Returns: the announcement at its level, to be played.
  mutating func begin(_ announcement: Announcement) -> Announcement {
    var announcement = announcement
    announcement.decibels = decibels(of: announcement)
    stage.begin(announcement, showing: zone.civil(at: announcement.anchor))
    return announcement
  }

  /// The level of an announcement, in dB at most 0. The time spoken for an alarm is as loud as the
  /// ring has become by then.
  private func decibels(of announcement: Announcement) -> Double {
    let level = rules.decibels(at: zone.civil(at: announcement.anchor))
    guard case .timer(let words) = announcement.cause, words.isOfTime else { return level }
    return level + riseOfRing(at: announcement.anchor)
  }

  mutating func skip(
    _ first: Occasion, through last: Occasion? = nil, _ reason: SkipReason
  ) -> [Effect] {
    let isTold = first == quarters.cutOff && (last ?? first) == first
    let report: [Effect] =
      isTold ? [] : [.report(.skipped(from: first, through: last ?? first, reason))]
    // A mute of the next occasion ends with this skip.
    return reason == .muted && mute == .next ? report + unmute() : report
  }

  /// True if this stops the announcement that is playing now.
  private func isEnded(_ playing: Announcement, by stop: Stop, at now: Now) -> Bool {
    switch stop {
    // An announcement that is not heard yet is the next occasion, which still sounds.
    case .byHand: return stage.isHeard || !playing.cause.isOccasion
    case .serviceEnds: return !stage.isHeard || settings.atStop == .fade
    }
  }

  // MARK: Occasions

  /// Decides every occasion that is due, and says when to wake next.
  private mutating func decide(at now: Now) -> [Effect] {
    var effects = endMute(at: now) + settleReminders(at: now)
    while true {
      let occasion = next
      let due = Quarters.due(occasion, rules)
      guard now.instant >= due, !isEnding else { return effects + [wake(at: due, now)] }
      if stage.isTakingBack(occasion) {
        // Wait for its end. If some of it was heard, the end is reported instead of a skip.
        return effects + [wake(at: now.instant + .seconds(1), now)]
      }

      if now.instant >= rules.passing(of: occasion) {
        // An occasion that was cut off was already reported: skip it alone.
        let last =
          occasion == quarters.cutOff
          ? occasion : quarters.schedule.last(atOrBefore: rules.lastToPass(at: now))
        let reason = reasonForMissing(occasion, through: last, at: now)
        effects += skip(occasion, through: last, reason)
        quarters.decide(through: last)
        continue
      }
      if let refusal = refusal(of: occasion) {
        // Before its instant, the switch may still be turned on, or a mute lifted.
        if refusal.mayEndInTime && now.instant < occasion.instant {
          return effects + [wake(at: occasion.instant, now)]
        }
        effects += skip(occasion, refusal)
        quarters.decide(through: occasion)
        continue
      }
      if playing != nil {
        return effects + [wake(at: rules.passing(of: occasion) + .milliseconds(1), now)]
      }
      if let retry = quarters.retry(of: occasion, after: now) {
        return effects + [wake(at: retry, now)]
      }
      quarters.decide(through: occasion)
      guard let made = Quarters.announcement(stage.nextID, of: occasion, rules, at: now) else {
        effects += skip(occasion, quarters.failureReason(of: occasion) ?? .tooLateForChime)
        continue
      }
      effects.append(.play(.announcement(begin(made))))
    }
  }

  /// The next wake-up: at the next decision, at the end of a mute, or when a timer or an alarm is
  /// due.
  private func wake(at decision: Instant, _ now: Now) -> Effect {
    var instant = decision
    if case .until(let end) = mute { instant = min(instant, end) }
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
      if stage.turn != nil, showed >= rules.passing(of: first) { return .busy }
    }
    return .late(now.instant - first.instant)
  }
}

/// Notices that the clock was set, or that the machine slept.
extension Announcer {
  mutating func noticeStep(at now: Now) -> [Effect] {
    defer { previous = now }
    let jump = now.jump(since: previous)
    let step = now.step(since: previous)
    let sleep = now.sleep(since: previous)
    showed = now.instant - jump
    quarters.clockShows(now.instant, before: showed)
    var effects: [Effect] = []
    if step.magnitude >= Self.stepThreshold { effects.append(.report(.clockSet(by: step))) }
    if sleep >= Self.stepThreshold { effects.append(.report(.slept(for: sleep))) }
    // Small steps add up.
    keepEndOfMute(at: now)
    guard jump.magnitude >= Self.stepThreshold || !effects.isEmpty else { return [] }
    effects += noteReminders(
      wasSet: step.magnitude >= Self.stepThreshold, slept: sleep, at: now)
    // The player times by uptime. Only the sum of step and sleep matters to it.
    guard jump.magnitude >= Self.stepThreshold else { return effects }
    let reason: StopReason = step.magnitude >= Self.stepThreshold ? .clockSet : .slept
    if let playing, !isFollowed(jump, by: playing, at: now),
      stage.isHeard || now.instant >= playing.begins || canBeginAnew(playing, at: now)
    {
      effects += takeBack(reason, at: now)
    }
    // Any other chime is about to begin: the player still moves it with the clock.
    stage.shift(by: jump)
    if let turn = stage.turn, turn.heard == .anchor,
      jump.magnitude > settings.lateLimit || saysWrongTime(at: now)
    {
      // Already speaking: cut it only if the time is wrong now.
      effects += stage.stop(reason, at: now.uptime)
    }
    return effects
  }
}

/// Announcements that go on although the clock was set.
extension Announcer {
  /// True if a sounding melody can follow this step: the player moves it with the clock, and there
  /// is time to move the blow of the hour too.
  func isFollowed(_ step: Duration, by announcement: Announcement, at now: Now) -> Bool {
    !announcement.programme.blows.isEmpty && stage.isHeard
      && step.magnitude <= Self.longestFollowedStep
      && now.instant + rules.shortestLead <= announcement.anchor
  }
}

/// Words that are still to come.
extension Announcer {
  /// True if the clock was set after the anchor of an occasion so that the words after its blows
  /// will be wrong when they come.
  func saysWrongTime(at now: Now) -> Bool {
    guard let turn = stage.turn, case .occasion = turn.announcement.cause,
      case .at(let offset) = turn.announcement.programme.words
    else { return false }
    let begins = turn.announcement.anchor + offset + turn.shift
    return now.instant < begins
      && zone.civil(at: begins).minuteOfDay != turn.announcement.time.minuteOfDay
  }
}

/// Silence by the switch or by a mute.
extension Announcer {
  /// Takes the switch as it is at the start, before the first event. If it silences, rings from
  /// before the start end; nothing else is decided yet.
  public mutating func start(with ringer: Ringer) -> [Effect] {
    change(ringer, at: previous.uptime, previous)
  }

  mutating func change(_ ringer: Ringer, at moment: Uptime, _ now: Now) -> [Effect] {
    guard ringer != self.ringer else { return [] }
    rules.ringer = ringer
    let reason: StopReason = if case .lost = ringer { .switchLost } else { .switchOff }
    var effects: [Effect] = []
    if rules.timersAreHeldBack {
      effects = stopCues(reason)
    } else if rules.refusalOfTimers != nil {
      effects = silenceCues(reason, at: moment, now)
    }
    if ruledOutBySwitch, let turn = stage.turn {
      // Silence comes first, the report after it. An announcement that has not begun is reopened,
      // in case the switch is put back before its instant.
      let takenBack = stage.isHeard ? [] : takeBack(reason, at: now)
      effects += takenBack
      if takenBack.isEmpty && !turn.isTakenBack { effects += stage.stop(reason, at: moment) }
    }
    return effects + [.report(.ringer(ringer))]
  }

  mutating func change(_ mute: SoftwareMute, at now: Now) -> [Effect] {
    // A repeated mute still silences an answer.
    guard
      mute != self.mute
        || (mute == .on && (playing != nil || reminders.isRinging || hasInterval))
    else {
      return []
    }
    rules.mute = mute
    if case .until(let end) = mute {
      muteEndsSinceBoot = now.sinceBoot + (end - now.instant)
    } else {
      muteEndsSinceBoot = nil
    }
    var silenced: [Effect] = []
    if mute != .off && mute != .next {
      silenced = silenceCues(.muted, at: now.uptime, now)
    }
    let report = Effect.report(reportOfMute)
    guard mute != .off, let turn = stage.turn, !turn.isTakenBack else { return silenced + [report] }
    // A sounding or requested announcement is not the next occasion.
    let isNext = !stage.isHeard && turn.announcement.cause.isOccasion
    if mute == .next && !isNext { return [report] }
    silenced +=
      isNext ? takeBack(.muted, at: now) : stage.stop(.muted, at: now.uptime)
    return silenced + [report]
  }

  mutating func endMute(at now: Now) -> [Effect] {
    guard case .until(let end) = mute, now.instant >= end else { return [] }
    return unmute()
  }

  /// Moves the end of a mute for a duration when the clock is set: it ends when the duration is
  /// over.
  mutating func keepEndOfMute(at now: Now) {
    guard case .until(let named) = mute, let muteEndsSinceBoot else { return }
    let end = now.instant + (muteEndsSinceBoot - now.sinceBoot)
    if (end - named).magnitude >= Self.stepThreshold { rules.mute = .until(end) }
  }

  mutating func unmute() -> [Effect] {
    rules.mute = .off
    muteEndsSinceBoot = nil
    return [.report(reportOfMute)]
  }
}

/// How the Announcer handles the end of an announcement, played or not.
extension Announcer {
  /// - Returns: also the answer to the person who asked for it, if nothing of it was heard.
  mutating func end(_ turn: Stage.Turn, with outcome: Outcome, at now: Now) -> Response {
    let announcement = turn.announcement
    var heard = turn.heard
    if case .failed(_, heard: let told) = outcome { heard = told }
    if case .occasion(let occasion) = announcement.cause, heard == .anchor {
      // It sounded before it could be taken back.
      if turn.isTakenBack && occasion == next { quarters.decide(through: occasion) }
      quarters.mark(sounded: occasion)
    }
    let reason: SkipReason
    switch outcome {
    case .finished(let timing): return ([.report(.announced(announcement, timing))], nil)
    case .stopped(let reason, let silentAt?):
      if case .occasion(let occasion) = announcement.cause { quarters.mark(cutOff: occasion) }
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
    case .request:
      guard case .tooLate(let delay) = outcome else { return Self.refuse(.request(reason)) }
      return isEnding
        ? Self.refuse(.request(.stopped(.serviceEnds))) : answerAnew(turn, after: delay, at: now)
    case .timer(let words): return (unsaid(words, reason), .refused(.reminder(.speech(reason))))
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
  /// Answers a person who asks for this time, or for the time now.
  /// - Parameters:
  ///   - instant: when it is to begin; nil for as soon as it can.
  ///   - lead: the time from now until it can begin.
  /// - Returns: no effect if the occasion that is about to sound gives the same answer at that
  ///   instant.
  mutating func answer(
    _ time: CivilTime?, from instant: Instant? = nil, within lead: Duration, at now: Now
  ) -> Response {
    // An ending service may let a sounding announcement finish, but begins nothing else.
    if isEnding { return Self.refuse(.request(.stopped(.serviceEnds))) }
    // To begin at an instant needs a clock that is right, even if the time is given.
    if let refusal = rules.refusalOfRequest(isGiven: time != nil && instant == nil) {
      return Self.refuse(.request(refusal))
    }
    if let turn = stage.turn {
      if turn.stopped == nil, turn.announcement.says(time, at: instant) {
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
    var latest =
      refusal(of: next) == nil ? rules.needsSpeaker(for: next) - settings.longestPhrase : nil
    if let latest, anchor > latest { return Self.refuse(.request(.occasionIsNear)) }
    let said = time ?? zone.civil(at: anchor)
    if time == nil {
      let end = anchor.endOfMinute(of: said)
      latest = min(latest ?? end, end)
    }
    // Other clocks begin at that instant too: a late answer is as wrong as another time.
    if instant != nil { latest = anchor + Self.latestBlow }
    var announcement = Announcement(
      stage.nextID, cause: .request, time: said, anchor: anchor, latest: latest)
    announcement.isAtItsInstant = instant != nil
    return say(announcement)
  }

  /// Answers once more after the speaker was too late: the words would have been wrong by then, or
  /// in the way of the next occasion. The lead now includes the delay.
  mutating func answerAnew(
    _ turn: Stage.Turn, after delay: Duration, at now: Now
  ) -> Response {
    // A speaker that needs longer than the preparation would be too late each time.
    guard delay < Self.preparation, !turn.announcement.isAtItsInstant else {
      return Self.refuse(.request(.failed(Self.tooLate(delay))))
    }
    let wasNow = turn.announcement.time == turn.shown
    return answer(wasNow ? nil : turn.announcement.time, within: delay + rules.lead, at: now)
  }

  /// Begins an announcement that somebody has asked for.
  mutating func say(_ announcement: Announcement) -> Response {
    let announcement = begin(announcement)
    return ([.play(.announcement(announcement))], .announcement(announcement))
  }

  static func tooLate(_ delay: Duration) -> String {
    "the speaker was ready \(delay.roughly) too late for it"
  }
}

extension Announcement {
  /// True if it is an occasion that says this time, or its own, from this instant on.
  fileprivate func says(_ time: CivilTime?, at instant: Instant?) -> Bool {
    guard case .occasion(let occasion) = cause, instant == occasion.instant,
      anchor == occasion.instant, programme.words != .none
    else { return false }
    return time.map { $0.dateTime.timeOfDay == occasion.civil.dateTime.timeOfDay } ?? true
  }
}

/// The state that others may read.
extension Announcer {
  public var settings: AnnouncerSettings { rules.settings }
  public var trust: ClockTrust { rules.trust }
  public var ringer: Ringer { rules.ringer }
  public var mute: SoftwareMute { rules.mute }

  /// The announcement that the player has: prepared, sounding, or being stopped.
  public var playing: Announcement? { stage.playing }

  /// The announcement that is heard; nil if there is none or it is only preparing.
  public var sounding: Announcement? { stage.isHeard ? stage.playing : nil }

  /// The occasion that sounds next: the prepared one, or else the first undecided one.
  public var outlook: Outlook {
    if let turn = stage.turn, sounding == nil, turn.stopped == nil,
      case .occasion(let occasion) = turn.announcement.cause
    {
      return rules.outlook(of: occasion, turn.announcement.programme, nil)
    }
    return rules.outlook(of: next)
  }

  /// The first occasion that has not been decided yet.
  public var next: Occasion { quarters.next }

  /// The latest occasion that has sounded, to be kept for the next start; nil if there was none, or
  /// the clock was wrong then.
  public var lastSounded: Instant? { quarters.sounded }

  /// The zone whose civil time is announced.
  public var zone: any Zone { quarters.schedule.zone }

  /// Why an occasion would not sound now; nil if it would.
  public func refusal(of occasion: Occasion) -> SkipReason? { rules.refusal(of: occasion) }

  /// True if the switch, as it is, silences everything.
  public var isSilencedBySwitch: Bool { rules.isSilencedBySwitch }

  /// The report of the mute as it is now.
  public var reportOfMute: Report {
    guard case .until(let end) = mute else { return .mute(mute, until: nil) }
    return .mute(mute, until: zone.civil(at: end))
  }

  /// True if something is still to be said about a timer, an alarm or the interval.
  public var hasWords: Bool { !words.all.isEmpty }

  /// What the lamp shows.
  public var lamp: Lamp {
    if isSilencedBySwitch { return .off }
    if trust == .untrusted { return .blinking }
    return outlook.refusal == nil ? .on : .off
  }
}
