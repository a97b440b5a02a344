/// Decides what sounds and when; nothing else does.
///
/// A pure state machine: it is given events and the time, and answers with effects. Each
/// occasion is decided exactly once, whatever the clock does.
public struct Announcer {
  /// How long before its beginning an announcement is handed to the player, which opens the device
  /// and runs it on silence first. A sound server may take two seconds to start its stream, and
  /// some devices take three to open.
  public static let preparation = Duration.seconds(5)
  /// The least time that a chime needs to be prepared: some devices take as long to open.
  public static let chimePreparation = Duration.seconds(3)
  /// The least time to prepare what is to sound at once.
  public static let requestLead = Duration.milliseconds(400)
  /// How late a blow may be: more than clock readings jitter, less than is heard.
  public static let latestBlow = Duration.milliseconds(10)
  /// How long after a failure the device is tried again.
  public static let retryDelay = Duration.seconds(1)
  /// A smaller difference between the clocks comes from reading them, not from a step.
  public static let stepThreshold = Duration.milliseconds(50)
  /// A smaller difference in level is not heard: it comes from how far a rise is reckoned anew.
  static let leastDecibels = 0.1
  /// A melody that sounds goes on through a step up to this, and its remaining blows are moved with
  /// the clock. Notes are about as far apart, so no note overtakes another.
  public static let longestFollowedStep = Duration.milliseconds(500)

  /// The rules by which something may sound now.
  public internal(set) var rules: Rules
  /// The occasions. Requests are in AnnouncerRequests.swift.
  var quarters: Quarters
  var stage = Stage()
  /// What a person has set to sound. What becomes of it is in AnnouncerTimers.swift.
  public internal(set) var timers: Timers
  /// What becomes of them is in AnnouncerAlarms.swift.
  public internal(set) var alarms: Alarms
  /// The service is ending: no further occasion is decided.
  var isEnding = false
  /// When a mute for a duration ends, counted since the machine started, sleep included. Nil if the
  /// mute has no such end, or ends at an instant of the clock.
  public internal(set) var muteEndsSinceBoot: Duration?
  /// When the last event came.
  private(set) var previous: Now
  /// What the clock would show now without the step or the sleep that was just noticed.
  private var showed: Instant
  /// The clock was set, and the alarms are still to be told.
  var owesAlarmsClock = false
  /// The clock was set, or the machine slept, and nobody has judged the clock since.
  private var owesJudging = false

  /// Occasions before `now` are past: after a start only later ones sound.
  /// - Parameters:
  ///   - mute: as it was before the start. The clock may have been set since.
  ///   - muteEndsSinceBoot: when it ends, if it is for a span of time and the machine has not
  ///     started since.
  ///   - sounded: `lastSounded` as it was before the start. If the clock was set back since, that
  ///     occasion does not sound again.
  ///   - timers: as they were before the start.
  public init(
    settings: AnnouncerSettings, zone: any Zone, trust: ClockTrust, ringer: Ringer = .absent,
    mute: SoftwareMute = .off, muteEndsSinceBoot: Duration? = nil, sounded: Instant? = nil,
    timers: Timers = Timers(), alarms: Alarms = Alarms(),
    at now: Now
  ) {
    self.timers = timers
    self.alarms = alarms
    rules = Rules(settings, trust: trust, ringer: ringer, mute: mute)
    quarters = Quarters(
      Schedule(interval: settings.interval, zone: zone), at: now.instant, sounded: sounded)
    self.muteEndsSinceBoot = muteEndsSinceBoot
    previous = now
    showed = now.instant
    keepEndOfMute(at: now)
    replanWords(at: now)
    self.alarms.configureAtStart(settings.alarms, at: now, alarmConditions)
  }

  /// Takes one event in. The last effect is the next wake-up; after `.unheard` alone there is
  /// none if that changes nothing.
  public mutating func handle(_ event: Event, at now: Now) -> [Effect] {
    var effects = noticeStep(with: event, at: now)
    let hasJumped = !effects.isEmpty
    tellAlarmsOfClock(with: event, at: now)
    switch event {
    case .unheard, .ringer: owesJudging = owesJudging || hasJumped
    default: owesJudging = false
    }
    switch event {
    case .woke, .clockSet:
      break
    case .unheard:
      // Whatever comes of a step is decided once the clock has been judged again.
      return effects.isEmpty ? [] : Effect.silenceFirst(effects) + [.wake(at: now.instant)]
    case .zoneChanged(let zone):
      effects += change(settings, zone, .none, at: now)
    case .reloaded(let settings, let sound, let ringer):
      effects += change(settings, zone, sound, ringer, at: now)
    case .trust(let trust):
      if trust != self.trust { effects += take(trust, at: now) + [.report(.trust(trust))] }
    case .ringer(let ringer, let moment):
      effects += turn(ringer, at: moment, now)
      // Silence does not wait for the clock to be judged; what comes of a step, or of a sleep, does.
      if owesJudging { return Effect.silenceFirst(effects) + [.wake(at: now.instant)] }
    case .mute(let mute):
      effects += turn(mute, at: now)
    case .asked(let time, let instant, let speakerIsAwake):
      let lead = rules.lead(speakerIsAwake: speakerIsAwake)
      // Occasions that have passed meanwhile are in nobody's way.
      effects += settle(at: now)
      effects += [answer(time, from: instant, within: lead, at: now)].compactMap { $0 }
    case .pressed(let speakerIsAwake):
      if timers.isRinging || alarms.isRinging {
        effects += snoozeAlarms(at: now)
        effects += silenceRings(.byHand, at: now.uptime)
      } else if timers.hasInterval {
        effects += stopInterval(.byHand, at: now.uptime)
      } else {
        effects += settle(at: now)
        let lead = rules.lead(speakerIsAwake: speakerIsAwake)
        effects += [answer(nil, within: lead, at: now)].compactMap { $0 }
      }
    case .held:
      effects += endAlarms(at: now) + silenceRings(.byHand, at: now.uptime)
      if let playing, isEnded(playing, by: .byHand, at: now) {
        effects += stage.stop(.byHand, at: now.uptime)
      }
    case .timer(let order):
      effects += take(order, at: now)
    case .alarm(let order):
      effects += take(order, at: now)
    case .stop(let reason):
      if reason == .serviceEnds { isEnding = true }
      effects += stopTimers(reason, at: now)
      if let playing, isEnded(playing, by: reason, at: now) {
        effects += stage.stop(reason, at: now.uptime)
      }
    case .ended(let sounding, let outcome):
      if let turn = stage.end(sounding) {
        effects += end(turn, with: outcome, at: now)
      } else {
        effects += endCue(sounding, with: outcome, at: now)
      }
    }
    return Effect.silenceFirst(effects + settle(at: now))
  }

  // MARK: The clock was set, or the machine slept

  private mutating func noticeStep(with event: Event, at now: Now) -> [Effect] {
    defer { previous = now }
    let jump = now.jump(since: previous)
    let step = now.step(since: previous)
    let sleep = now.sleep(since: previous)
    showed = now.instant - jump
    // A clock that was set just before this event is not judged yet.
    // How far a clock is set back does not depend on a sleep before it, or after.
    if alarmConditions.isTrusted, !owesAlarmsClock { alarms.note(now.instant - step) }
    quarters.note(now.instant, before: showed)
    // The clock may have shown the anchor of what was not heard yet.
    let showing = isUnheard(event) ? previous.instant : showed
    stage.note(showing)
    var effects: [Effect] = []
    if step.magnitude >= Self.stepThreshold { effects.append(.report(.clockSet(by: step))) }
    if sleep >= Self.stepThreshold { effects.append(.report(.slept(for: sleep))) }
    // Small steps add up.
    keepEndOfMute(at: now)
    guard jump.magnitude >= Self.stepThreshold || !effects.isEmpty else { return [] }
    effects += noteTimers(
      wasSet: step.magnitude >= Self.stepThreshold, slept: sleep, at: now)
    // What plays is timed by a clock that knows of neither.
    guard jump.magnitude >= Self.stepThreshold else { return effects }
    let reason: StopReason = step.magnitude >= Self.stepThreshold ? .clockSet : .slept
    if let playing, isFollowed(jump, by: playing, at: now) {
      stage.follow(by: jump)
    } else if let playing,
      showing >= playing.begins || now.instant >= playing.begins || canBeginAnew(playing, at: now)
    {
      effects += takeBack(reason, at: now, showing: showing)
    }
    // Any other chime is about to begin: the player still moves it with the clock.
    stage.shift(by: jump)
    if let playing,
      (showing >= playing.anchor && jump.magnitude > settings.lateLimit) || saysWrongTime(at: now)
    {
      // Already speaking: cut it only if the time is wrong now.
      effects += stage.stop(reason, at: now.uptime)
    }
    return effects
  }

  /// Cancels an announcement that has not reached its anchor and reopens its occasion.
  /// - Parameter showing: what the clock shows by the reckoning in which the anchor was set.
  mutating func takeBack(
    _ reason: StopReason, at now: Now, showing: Instant? = nil
  ) -> [Effect] {
    let shown = showing ?? now.instant
    guard let turn = stage.turn, shown < turn.announcement.anchor, !turn.hasReachedAnchor,
      !turn.isTakenBack
    else { return [] }
    // A service that ends decides nothing anew.
    if case .occasion(let occasion) = turn.announcement.cause, !isEnding {
      quarters.reopen(occasion)
      stage.takeBack(at: shown)
    }
    return stage.stop(reason, at: now.uptime)
  }

  /// True if there is time to stop an announcement and prepare it again. With less time, a chime
  /// would come back as words alone.
  private func canBeginAnew(_ announcement: Announcement, at now: Now) -> Bool {
    let preparation = announcement.programme.blows.isEmpty ? .zero : rules.chimePreparation
    return now.instant + preparation <= announcement.begins
  }

  // MARK: The rules are changed

  /// Takes other settings or another zone.
  ///
  /// What is prepared is made anew if they change it and there is time for that. What sounds
  /// already goes on as it began, unless its occasion now has another programme, or none.
  /// - Parameter ringer: what the switch says by other settings of its line; nil if it is as it was.
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
    var silenced = report + reckonAlarms(at: now)
    if rules.refusalOfTimers != nil {
      if !rules.timersAreHeldBack { silenced += silenceTimers(.rulesChanged, at: now.uptime, now) }
      silenced += timers.recallCues(.rulesChanged)
    }
    guard let playing else { return silenced }
    let isMadeAnew =
      canBeginAnew(playing, at: now)
      && (sound != .none
        || (decibels(of: playing) - playing.decibels).magnitude > Self.leastDecibels)
    let effects =
      isMadeAnew || ruling(on: playing) != before ? takeBack(.rulesChanged, at: now) : []
    // The switch counts from now on, also for what can no longer be taken back.
    return effects.isEmpty && ruledOutBySwitch && !wasSilenced
      ? silenced + stage.stop(.rulesChanged, at: now.uptime) : silenced + effects
  }

  /// Takes another trust in the clock. What is only prepared is made anew if it would now be
  /// something else, or nothing.
  private mutating func take(_ trust: ClockTrust, at now: Now) -> [Effect] {
    let before = stage.turn.map(rulingSoFar)
    rules.trust = trust
    alarms.reckon(at: now, alarmConditions)
    // A service that ends decides nothing more, and what it saves counts.
    if alarmConditions.isTrusted { alarms.noteTrusted(at: now, alarmConditions) }
    // By a clock that may be wrong no alarm rings.
    let recalled =
      alarmConditions.isTrusted ? [] : timers.book.recall(alarmsByClock, .rulesChanged)
    guard let turn = stage.turn, !stage.isHeard(at: now), let before else { return recalled }
    let ruling = rulingSoFar(on: turn)
    let isAnother = ruling.refusal == nil && canBeginAnew(turn.announcement, at: now)
    guard ruling != before, ruling.refusal != nil || isAnother else { return recalled }
    return recalled + takeBack(.rulesChanged, at: now)
  }

  // MARK: It begins

  mutating func begin(_ announcement: Announcement) -> Effect {
    var announcement = announcement
    announcement.decibels = decibels(of: announcement)
    return stage.begin(announcement, showing: zone.civil(at: announcement.anchor))
  }

  /// How loud an announcement is, in dB at most 0. The time that is said for an alarm is as loud as
  /// the ring has become by then.
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
    // A mute of the next occasion has had its occasion.
    return reason == .softwareMuted && mute == .next ? report + unmute() : report
  }

  /// True if this is a reason to stop now what plays.
  private func isEnded(_ playing: Announcement, by reason: StopReason, at now: Now) -> Bool {
    let isHeard = stage.isHeard(at: now)
    switch reason {
    // What is not heard yet is the next occasion, which sounds.
    case .byHand: return isHeard || !playing.cause.isOccasion
    case .serviceEnds: return !isHeard || settings.atStop == .fade
    default: return true
    }
  }

  // MARK: Occasions

  /// Decides every occasion that is due, and says when to wake next.
  private mutating func settle(at now: Now) -> [Effect] {
    var effects = endMute(at: now) + settleTimers(at: now)
    while true {
      let occasion = next
      let due = Quarters.due(occasion, rules)
      guard now.instant >= due, !isEnding else { return effects + [wake(at: due, now)] }
      if stage.isCuttingOff(occasion) {
        // If some of it was heard, its end is reported in place of a skip.
        return effects + [wake(at: now.instant + .seconds(1), now)]
      }

      if now.instant >= rules.passing(of: occasion) {
        // One that was cut off has been told by itself.
        let last =
          occasion == quarters.cutOff
          ? occasion : quarters.schedule.last(atOrBefore: rules.lastToPass(at: now))
        let reason = reasonForMissing(occasion, through: last, at: now)
        effects += skip(occasion, through: last, reason)
        quarters.decide(through: last)
        continue
      }
      if let refusal = refusal(of: occasion) {
        // Until its instant the switch may still be put on, and a mute be taken back.
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
      effects.append(begin(made))
    }
  }

  /// The next wake-up: at the next decision, at the end of a mute, or when what is prepared begins
  /// to be heard, so that others are told then.
  private func wake(at decision: Instant, _ now: Now) -> Effect {
    var instant = decision
    if case .until(let end) = mute { instant = min(instant, end) }
    if let playing, !stage.isHeard(at: now) { instant = min(instant, playing.begins) }
    if let due = dueOfTimers(at: now) {
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
      if let turn = stage.turn, showed >= rules.passing(of: first) {
        // What still stops is its own announcement, or another one.
        if turn.isTakenBack, turn.announcement.cause == .occasion(first), let stopped = turn.stopped
        {
          return .stopped(stopped.reason)
        }
        return .busy
      }
    }
    return .late(now.instant - first.instant)
  }
}
