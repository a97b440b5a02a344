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
  /// The occasions. Requests are in AnnouncerRequests.swift.
  var quarters: Quarters
  var stage = Stage()
  /// The timers and the interval that a person has set. AnnouncerTimers.swift handles them.
  public internal(set) var timers: Timers
  /// AnnouncerAlarms.swift handles them.
  public internal(set) var alarms: Alarms
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
  /// The clock was set, and the alarms have not been told yet.
  var owesAlarmsClock = false
  /// The clock was set or the machine slept, and the clock has not been judged since.
  private var owesJudging = false

  /// Occasions before `now` are past: after a start only later ones sound.
  /// - Parameters:
  ///   - mute: as it was before the start. The clock may have been set since.
  ///   - muteEndsSinceBoot: when the mute ends, if it is for a duration and the machine has not
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

  /// Handles one event. The last effect is the next wake-up. Only an `.unheard` that changes
  /// nothing has no effects.
  ///
  /// The end of an announcement that was asked for and not heard has an answer, too: it takes the
  /// place of the one that promised the announcement.
  public mutating func handle(_ event: Event, at now: Now) -> Response {
    var effects = noticeStep(with: event, at: now)
    var answer: Answer?
    func respond(_ response: Response) {
      effects += response.effects
      answer = response.answer
    }
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
      // The consequences of a step wait until the clock has been judged again.
      if effects.isEmpty { return ([], nil) }
      return (Effect.silenceFirst(effects) + [.wake(at: now.instant)], nil)
    case .zoneChanged(let zone):
      effects += change(settings, zone, .none, at: now)
    case .reloaded(let settings, let sound, let ringer):
      effects += change(settings, zone, sound, ringer, at: now)
    case .trust(let trust):
      if trust != self.trust { effects += take(trust, at: now) + [.report(.trust(trust))] }
    case .ringer(let ringer, let moment):
      effects += take(ringer, at: moment, now)
      // Silence does not wait for the clock to be judged. The consequences of a step or a sleep do.
      if owesJudging { return (Effect.silenceFirst(effects) + [.wake(at: now.instant)], nil) }
    case .mute(let mute):
      effects += take(mute, at: now)
    case .asked(let time, let instant, let speakerIsAwake):
      let lead = rules.lead(speakerIsAwake: speakerIsAwake)
      // Occasions that have passed meanwhile must not block the answer.
      effects += settle(at: now)
      respond(self.answer(time, from: instant, within: lead, at: now))
    case .pressed(let speakerIsAwake):
      if timers.isRinging || alarms.isRinging {
        effects += snoozeAlarms(at: now)
        effects += silenceRings(.byHand, at: now.uptime)
      } else if timers.hasInterval {
        effects += stopInterval(.byHand, at: now.uptime)
      } else {
        effects += settle(at: now)
        let lead = rules.lead(speakerIsAwake: speakerIsAwake)
        respond(self.answer(nil, within: lead, at: now))
      }
    case .held:
      effects += endAlarms(at: now) + silenceRings(.byHand, at: now.uptime)
      if let playing, isEnded(playing, by: .byHand, at: now) {
        effects += stage.stop(.byHand, at: now.uptime)
      }
    case .timer(let order):
      respond(take(order, at: now))
    case .alarm(let order):
      respond(take(order, at: now))
    case .stop(let stop):
      if stop == .serviceEnds { isEnding = true }
      effects += stopTimers(stop, at: now)
      if let playing, isEnded(playing, by: stop, at: now) {
        effects += stage.stop(stop.reason, at: now.uptime)
      }
    case .ended(let sounding, let outcome):
      if let turn = stage.end(sounding) {
        respond(end(turn, with: outcome, at: now))
      } else {
        effects += endCue(sounding, with: outcome, at: now)
      }
    }
    return (Effect.silenceFirst(effects + settle(at: now)), answer)
  }

  // MARK: An announcement is taken back

  /// Cancels an announcement that has not reached its anchor and reopens its occasion.
  /// - Parameter showing: what the clock would show without the jump; nil for what it shows now.
  mutating func takeBack(
    _ reason: StopReason, at now: Now, showing: Instant? = nil
  ) -> [Effect] {
    let shown = showing ?? now.instant
    guard let turn = stage.turn, shown < turn.announcement.anchor, !turn.hasReachedAnchor,
      !turn.isTakenBack
    else { return [] }
    // A service that is ending reopens no occasions.
    if case .occasion(let occasion) = turn.announcement.cause, !isEnding {
      quarters.reopen(occasion)
      stage.takeBack(at: shown)
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
    // The switch counts from now on, even for an announcement that cannot be taken back any more.
    return effects.isEmpty && ruledOutBySwitch && !wasSilenced
      ? silenced + stage.stop(.rulesChanged, at: now.uptime) : silenced + effects
  }

  /// Applies a new trust in the clock. An announcement that is only prepared is taken back if it
  /// would now be different, or refused.
  private mutating func take(_ trust: ClockTrust, at now: Now) -> [Effect] {
    let before = stage.turn.map(rulingSoFar)
    rules.trust = trust
    alarms.reckon(at: now, alarmConditions)
    // `Alarms.due` also does this, but not while the service ends, and its alarms are still saved.
    if alarmConditions.isTrusted { alarms.noteTrusted(at: now, alarmConditions) }
    // No alarm rings by a clock that may be wrong.
    let recalled =
      alarmConditions.isTrusted ? [] : timers.book.recall(alarmsByClock, .rulesChanged)
    guard let turn = stage.turn, !stage.isHeard(at: now), let before else { return recalled }
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
    return reason == .softwareMuted && mute == .next ? report + unmute() : report
  }

  /// True if this stops the announcement that is playing now.
  private func isEnded(_ playing: Announcement, by stop: Stop, at now: Now) -> Bool {
    let isHeard = stage.isHeard(at: now)
    switch stop {
    // An announcement that is not heard yet is the next occasion, which still sounds.
    case .byHand: return isHeard || !playing.cause.isOccasion
    case .serviceEnds: return !isHeard || settings.atStop == .fade
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

  /// The next wake-up: at the next decision, at the end of a mute, when a timer or an alarm is due,
  /// or when a prepared announcement begins to be heard, so that others are told then.
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
        // The turn that is still stopping is the occasion's own announcement, or another one.
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
