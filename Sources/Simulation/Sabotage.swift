import Devices
import Horology
import Service

/// A fault that is made on purpose, to see whether the oracle finds it. Faults in decisions are
/// made around the Announcer: in its events, its settings and its effects.
enum Sabotage: CaseIterable {
  // MARK: In the speaker, the clock and the wake-up

  /// The time that is said is an hour off.
  case wrongHour
  /// An announcement that has sounded sounds once more.
  case playedTwice
  /// Every blow comes 20 ms later.
  case lateBlows
  /// No stop reaches the speaker.
  case stopsUnheard
  /// The owner's quiet hours are not read.
  case quietHoursUnread
  /// Every tenth occasion is neither played nor explained.
  case occasionsDropped
  /// Whatever the kernel and the RTC say, the clock is trusted.
  case clockAlwaysTrusted
  /// The wake-up is armed for hours later.
  case wakeUpTooFar
  /// Blows follow the converter's own pace.
  case driftUncorrected
  /// Every cue of an interval comes later by a thousandth of its distance from the start.
  case cuesDrift
  /// A ring comes 100 ms late, or no stop ends it.
  case ringsLate, ringsUnstopped
  /// Every tenth cue is not heard; or only the first ring of a source is heard.
  case cuesDropped, ringsDropped
  /// Every ring of a tune but the first comes five seconds late.
  case tunesLate
  /// Every tenth cue is stopped before it is played, and then plays on.
  case stoppedTooEarly
  /// Only the first ring of a source is not heard, or comes two seconds late.
  case firstRingDropped, firstRingLate
  /// A ring that gives way to another sounds to its end; or its next ring still comes.
  case ringsTogether, ringsOutOfTurn
  /// Nothing is said of timers and alarms.
  case wordsDropped
  /// The last timer, or the interval, or the alarms, are lost when the service starts.
  case timersLost, intervalLost, alarmsLost
  /// The zone by which the alarms were reckoned is not known when the service starts.
  case zoneUnsaved
  /// That zone is taken to be the current one; or what a right clock promised is lost.
  case zoneSavedAnew, promisesLost

  // MARK: In the decisions

  /// An accepted request that fails or is stopped is not refused.
  case refusalsUntold
  /// A stop by hand does nothing.
  case handIgnored
  /// at_stop is read as its opposite.
  case atStopExchanged
  /// A mute by the switch waits for the debounce time, or an unmute does not.
  case muteWaits, unmuteAtOnce
  /// A whole sounding, or a cut-off one, is not reported; or a whole one is reported twice.
  case soundedUntold, cutOffUntold, soundedTwice
  /// Every tenth occasion is skipped for a reason that is not true.
  case falselyBusy, falselyFailed, falselyStopped
  /// Every tenth chime is words alone.
  case chimesDropped
  /// Quiet hours begin and end a minute late; or the volume is that of an hour ago.
  case quietMinuteLate, volumeHourLate
  /// Words are said even if they are later than `late_limit`.
  case lateLimitIgnored
  /// An occasion that failed once is not tried again.
  case neverRetried
  /// A step back makes the Announcer forget its decisions.
  case decisionsForgotten
  /// A software mute, or a reload, does nothing.
  case muteIgnored, reloadIgnored
  /// A mute for a duration ends a minute early.
  case muteEndsEarly
  /// The setting for a lost switch, or for a clock that is not trusted, is not read.
  case lostSwitchSounds, untrustedSpeaks
  /// An occasion that was stopped is reported as late.
  case stopToldAsLate
  /// A failure to play is not told to the Announcer.
  case failuresSwallowed
  /// A ring that has rung out is not reported as missed; or rings go on long past `ring_limit`.
  case missedUntold, ringsForEver
  /// A ring that was never heard is reported as missed; or rounds that nobody could hear are not
  /// reported as unheard.
  case neverHeardToldMissed, roundsUnheardUntold
  /// An expired alarm is reported for the day before.
  case expiredDayEarly
  /// A timer at zero is reported twice.
  case elapsedTwice
  /// Alarms ring an hour late, or in both of the hours that autumn repeats.
  case alarmsLate, alarmsTwice
}

extension World {
  /// - Returns: the event that the Announcer gets; nil if it gets none.
  func sabotaged(_ event: Event) -> Event? {
    guard let sabotage else { return event }
    return switch (sabotage, event) {
    case (.handIgnored, .stop(.byHand)), (.muteIgnored, .mute), (.reloadIgnored, .reloaded): nil
    case (.muteEndsEarly, .mute(.until(let end))): .mute(.until(end - .seconds(60)))
    default: event
    }
  }

  /// - Returns: the reports that take the place of this one.
  func sabotaged(_ report: Report) -> [Report] {
    guard let sabotage else { return [report] }
    return switch (sabotage, report) {
    case (.refusalsUntold, .refused(.request(.stopped))),
      (.refusalsUntold, .refused(.request(.failed))):
      []
    case (.soundedUntold, .announced), (.cutOffUntold, .cutOff): []
    case (.wordsDropped, .announced(let announcement, _)) where isDropped(announcement): []
    case (.soundedTwice, .announced): [report, report]
    case (.missedUntold, .timer(_, .missed)), (.missedUntold, .alarm(_, .missed)): []
    case (.neverHeardToldMissed, .timer(let timer, .neverHeard)): [.timer(timer, .missed)]
    case (.neverHeardToldMissed, .alarm(let alarm, .neverHeard)): [.alarm(alarm, .missed)]
    case (.roundsUnheardUntold, .interval(_, .unheard)): []
    case (.elapsedTwice, .timer(_, .elapsed)): [report, report]
    case (.expiredDayEarly, .alarm(let alarm, .expired(let late))):
      [.alarm(alarm, .expired(late: late + .seconds(86_400)))]
    case (.falselyBusy, .skipped(let first, let last, .stopped(.byHand))):
      [.skipped(from: first, through: last, .busy)]
    case (.falselyFailed, .skipped(let first, let last, .stopped(.byHand))),
      (.neverRetried, .skipped(let first, let last, .stopped(.byHand))):
      [.skipped(from: first, through: last, .failed("the speaker: it is busy"))]
    case (.stopToldAsLate, .skipped(let first, let last, .stopped)):
      [.skipped(from: first, through: last, .late(machine.now.instant - first.instant))]
    default: [report]
    }
  }

  /// True if it is not heard, but is taken for heard.
  func isDropped(_ announcement: Announcement) -> Bool {
    guard sabotage == .wordsDropped, case .timer = announcement.cause else { return false }
    return true
  }

  /// True if it is not heard, but is taken for heard.
  func isDropped(_ cue: Cue) -> Bool {
    switch sabotage {
    case .ringsDropped: cue.signal == .ring && cue.mayBeLateBy <= .seconds(1)
    case .firstRingDropped: cue.isFirst
    default: false
    }
  }

  /// False if no stop reaches it.
  func stopReaches(_ turn: Turn) -> Bool {
    guard case .cue(let cue, _) = turn.matter else { return sabotage != .stopsUnheard }
    return switch sabotage {
    case .stopsUnheard, .ringsUnstopped: false
    case .ringsTogether: !(turn.hasBegun && hasGivenWay(cue))
    case .ringsOutOfTurn: turn.hasBegun || !hasGivenWay(cue)
    default: true
    }
  }

  /// True of a cue whose timer rings on, though the cue is stopped.
  private func hasGivenWay(_ cue: Cue) -> Bool {
    let timers = conductor?.announcer.timers.countdowns ?? []
    return timers.contains { $0.isRinging && cue.source == .timer($0.number) }
  }

  /// True if it is not played, but is taken for stopped.
  func isSwallowed(_ announcement: Announcement) -> Bool {
    guard let occasion = announcement.occasion else { return false }
    return switch sabotage {
    case .falselyBusy, .falselyFailed, .falselyStopped: occasion / minute % 10 == 0
    case .neverRetried: occasion == lastFailure
    default: false
    }
  }

  /// - Returns: what is heard in its place.
  func sabotaged(_ announcement: Announcement) -> Announcement {
    var (time, anchor) = (announcement.time, announcement.anchor)
    var programme = announcement.programme
    switch sabotage {
    case .wrongHour where time.hour < 23:
      time = CivilTime(hour: time.hour + 1, minute: time.minute) ?? time
    case .lateBlows: anchor = anchor + .milliseconds(20)
    case .chimesDropped where anchor.nanoseconds / minute % 10 == 0:
      programme = programme.words == .none ? programme : .wordsAlone
    default: return announcement
    }
    return Announcement(
      announcement.id, cause: announcement.cause, time: time, anchor: anchor,
      latest: announcement.latest.map { $0 + .milliseconds(20) }, programme: programme,
      isShortened: announcement.isShortened)
  }

  /// - Returns: what is heard in its place.
  func sabotaged(_ cue: Cue) -> Cue {
    var late = Int64(0)
    switch sabotage {
    case .ringsLate where cue.signal == .ring: late = 100 * millisecond
    case .firstRingLate where cue.isFirst: late = 2 * second
    case .tunesLate where !cue.blows.isEmpty && ringsAlready(cue.source): late = 5 * second
    case .cuesDrift where cue.source == .interval:
      let start = conductor?.announcer.timers.interval?.start.sinceBoot
      late = start.map { (cue.anchor - $0).nanoseconds / 1000 } ?? 0
    case .cuesDropped where cue.id.number % 10 == 0: late = 30 * day
    default: return cue
    }
    return Cue(
      cue.id, of: cue.source, cue.signal, blows: cue.blows, at: cue.anchor + .nanoseconds(late),
      mayBeLateBy: cue.mayBeLateBy, decibels: cue.decibels)
  }

  private func ringsAlready(_ source: Cue.Source) -> Bool {
    let alarms = conductor?.announcer.alarms.alarms ?? []
    return alarms.contains { $0.isRinging && source == .alarm($0.number) }
  }

  /// The service looks at its clocks.
  func sabotageLooks() { ForgetfulZone.shown = machine.now.instant }

  func sabotaged(_ zone: SystemZone) -> any Zone {
    guard sabotage == .alarmsTwice else { return zone }
    return ForgetfulZone(zone: zone)
  }

  /// The saved state as the service reads it.
  func sabotaged(_ saved: Machine.Saved) -> Machine.Saved {
    var saved = saved
    switch sabotage {
    case .timersLost: saved.timers = saved.timers.dropLast()
    case .intervalLost: saved.interval = nil
    case .alarmsLost: saved.alarms = []
    case .zoneUnsaved: saved.zoneOffset = nil
    case .zoneSavedAnew:
      let shown = faces.use(machine.zone).civil(at: machine.now.instant)
      saved.zoneOffset = .seconds(shown.utcOffsetSeconds)
    case .promisesLost:
      saved.alarms = saved.alarms.map {
        Alarm(
          number: $0.number, $0.plan, from: $0.origin, state: $0.state,
          acknowledged: $0.acknowledged, skipped: $0.skipped)
      }
    default: break
    }
    return saved
  }

  /// - Returns: the alarm that is set in its place.
  func sabotaged(_ plan: OracleRules.Alarm) -> OracleRules.Alarm {
    var plan = plan
    if sabotage == .alarmsLate { plan.minuteOfDay = (plan.minuteOfDay + 60) % 1440 }
    return plan
  }

  /// The settings that the Announcer gets.
  var settings: AnnouncerSettings {
    var rules = machine.rules
    switch sabotage {
    case .quietHoursUnread: rules.quiet = []
    case .quietMinuteLate: rules.quiet = rules.quiet.map { $0.later(by: 1) }
    case .volumeHourLate:
      rules.quieter = rules.quieter.map {
        OracleRules.Level(window: $0.window.later(by: 60), decibels: $0.decibels)
      }
    case .lostSwitchSounds: rules.whenLost = .sound
    case .untrustedSpeaks: rules.untrusted = .speak
    case .ringsForEver: rules.ringLimit = 30 * minute
    case .lateLimitIgnored: rules.lateLimit = 59 * second
    case .atStopExchanged: rules.atStop = rules.atStop == .fade ? .finish : .fade
    default: break
    }
    rules.alarms = rules.alarms.map(sabotaged)
    return rules.settings
  }

  /// True while an edge that mutes is held back for the debounce time, as one that unmutes is.
  func waitsToMute() -> Bool {
    guard machine.contact?.isActive == true, machine.ringer != .off else {
      lateMute = nil
      return false
    }
    let due = lateMute ?? machine.uptime + Self.debounce
    lateMute = machine.uptime < due ? due : nil
    return lateMute != nil
  }

  /// Replaces the Announcer as a restart would. The oracle is not told.
  func forgetDecisions() {
    guard sabotage == .decisionsForgotten, !isPlaying, let announcer = conductor?.announcer else {
      return
    }
    forgetsDecisions = false
    let conductor = Conductor(
      Announcer(
        settings: settings, zone: announcer.zone, trust: announcer.trust, ringer: announcer.ringer,
        mute: announcer.mute, muteEndsSinceBoot: announcer.muteEndsSinceBoot, at: machine.now))
    conductor.instruments = self
    self.conductor = conductor
  }
}

extension Cue {
  /// True for the first of a repeated signal, which may be later than the others.
  fileprivate var isFirst: Bool { signal == .ring && blows.isEmpty && mayBeLateBy > .seconds(1) }
}

/// A zone that knows only those instants of a repeated hour that are still to come.
private struct ForgetfulZone: Zone {
  /// What the clock shows.
  nonisolated(unsafe) static var shown = Instant(seconds: 0)

  let zone: SystemZone
  var name: String { zone.name }

  func civil(at instant: Instant) -> CivilTime { zone.civil(at: instant) }

  func instants(of time: CivilDateTime) -> [Instant] {
    let all = zone.instants(of: time)
    let rest = all.filter { $0 > Self.shown }
    return rest.isEmpty ? all : rest
  }
}

extension OracleRules.Window {
  fileprivate func later(by minutes: Int) -> Self {
    // A window of the whole day does not move.
    if to - from == 1440 { return self }
    let end = (to + minutes) % 1440
    return Self(
      firstDay: firstDay, lastDay: lastDay, from: (from + minutes) % 1440, to: end == 0 ? 1440 : end
    )
  }
}
