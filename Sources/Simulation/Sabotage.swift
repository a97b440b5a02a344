import Devices
import Horology
import Service

/// A fault that is made on purpose and that a person could hear, to see whether the judge finds it. It
/// is made around the Announcer: in its events, its settings, its saved state and its effects.
enum Sabotage: CaseIterable {
  // MARK: In the speaker, the clock and the wake-up

  /// The time that is said is an hour off.
  case wrongHour
  /// An announcement that has sounded sounds once more.
  case playedTwice
  /// Every blow comes 20 ms later.
  case lateBlows
  /// Blows follow the converter's own pace.
  case driftUncorrected
  /// Words are said however late they are.
  case wordsTooLate
  /// Every tenth chime is words alone.
  case chimesDropped
  /// Every tenth occasion is not played.
  case occasionsDropped
  /// No stop reaches the speaker; or none reaches a ring.
  case stopsUnheard, ringsUnstopped
  /// A failure to play is not told to the Announcer.
  case failuresSwallowed
  /// The signal of the start is not heard, or is heard at every start of the service.
  case startDropped, startsAgain
  /// The button is not told that the clock is not trusted.
  case untrustedDropped
  /// Whatever the kernel and the RTC say, the clock is trusted.
  case clockAlwaysTrusted
  /// The wake-up is armed for hours later.
  case wakeUpTooFar

  // MARK: In timers, alarms and intervals

  /// Every cue of an interval comes later by a thousandth of its distance from the first.
  case cuesDrift
  /// Every tenth cue is not heard.
  case cuesDropped
  /// A ring comes 100 ms late.
  case ringsLate
  /// Only the first ring of a source is heard; or only that is not heard, or comes two seconds late.
  case ringsDropped, firstRingDropped, firstRingLate
  /// Every ring of a tune but the first comes five seconds late.
  case tunesLate
  /// A ring that gives way to another sounds to its end.
  case ringsTogether
  /// Nothing is said of timers and alarms.
  case wordsDropped
  /// Rings go on long past `ring_limit`.
  case ringsForEver
  /// Alarms ring an hour late, or the instants for which they have rung are lost at a start.
  case alarmsLate, alarmsTwice
  /// The last timer, or the interval, or the alarms, are lost when the service starts.
  case timersLost, intervalLost, alarmsLost

  // MARK: In what the Announcer is told

  /// A stop by hand, a software mute or a reload does nothing.
  case handIgnored, muteIgnored, reloadIgnored
  /// A mute for a duration ends a minute early.
  case muteEndsEarly
  /// A mute by the switch waits for the debounce time, or an unmute does not.
  case muteWaits, unmuteAtOnce
  /// A request that was promised, and that fails or is stopped, is not refused.
  case refusalsUntold
  /// A ring that has rung out is not told.
  case missedUntold

  // MARK: In its settings

  /// Quiet hours are not read, or begin and end a minute late.
  case quietHoursUnread, quietMinuteLate
  /// The volume is that of an hour ago.
  case volumeHourLate
  /// at_stop is read as its opposite.
  case atStopExchanged
  /// The setting for a lost switch, or for a clock that is not trusted, is not read.
  case lostSwitchSounds, untrustedSpeaks
}

extension World {
  /// - Returns: the event that the Announcer gets; nil if it gets none.
  func sabotaged(_ event: Event) -> Event? {
    guard let sabotage else { return event }
    return switch (sabotage, event) {
    case (.handIgnored, .stop(.byHand)), (.muteIgnored, .mute), (.reloadIgnored, .reloaded): nil
    case (.muteEndsEarly, .mute(.until(let end))): .mute(.until(end - .seconds(60)))
    case (.alarmsLate, .reminder(.set(let plan))): .reminder(.set(plan.later))
    default: event
    }
  }

  /// - Returns: the report that takes the place of this one; nil for none.
  func sabotaged(_ report: Report) -> Report? {
    guard let sabotage else { return report }
    return switch (sabotage, report) {
    case (.refusalsUntold, .refused(.request(.stopped))),
      (.refusalsUntold, .refused(.request(.failed))):
      nil
    case (.missedUntold, .reminder(_, .missed)): nil
    default: report
    }
  }

  /// True if it is not heard, but is taken for heard.
  func isDropped(_ announcement: Announcement) -> Bool {
    switch announcement.cause {
    case .timer: sabotage == .wordsDropped
    case .start: sabotage == .startDropped
    case .untrusted: sabotage == .untrustedDropped
    case .occasion, .request: false
    }
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
  func stopReaches(_ track: Track) -> Bool {
    switch sabotage {
    case .stopsUnheard: false
    case .ringsUnstopped: track.sounding.ring == nil
    case .ringsTogether:
      !(track.hasBegun && track.sounding.ring != nil
        && tracks.contains { $0.sounding.ring != nil && $0.sounding.id != track.sounding.id })
    default: true
    }
  }

  /// - Returns: what is heard in its place.
  func sabotaged(_ announcement: Announcement) -> Announcement {
    var (time, anchor) = (announcement.time, announcement.anchor)
    var programme = announcement.programme
    var late = Duration.milliseconds(20)
    switch sabotage {
    case .wrongHour where time.hour < 23:
      time = CivilTime(hour: time.hour + 1, minute: time.minute) ?? time
    case .lateBlows: anchor = anchor + .milliseconds(20)
    case .wordsTooLate where programme.blows.isEmpty: late = .seconds(60)
    case .chimesDropped where anchor.nanoseconds / minute % 10 == 0:
      programme = programme.words == .none ? programme : .wordsAlone
    default: return announcement
    }
    return Announcement(
      announcement.id, cause: announcement.cause, time: time, anchor: anchor,
      latest: announcement.latest.map { $0 + late }, programme: programme,
      isShortened: announcement.isShortened)
  }

  /// - Returns: what is heard in its place.
  func sabotaged(_ cue: Cue) -> Cue {
    var late = Int64(0)
    let rang = lastCue[cue.source].map { cue.anchor - $0 < .seconds(200) } ?? false
    lastCue[cue.source] = cue.anchor
    if firstCue.map({ cue.anchor < $0 }) ?? true, cue.source == .interval { firstCue = cue.anchor }
    switch sabotage {
    case .ringsLate where cue.signal == .ring: late = 100 * millisecond
    case .firstRingLate where cue.isFirst: late = 2 * second
    case .tunesLate where !cue.blows.isEmpty && rang: late = 5 * second
    case .cuesDrift where cue.source == .interval:
      late = firstCue.map { (cue.anchor - $0).nanoseconds / 1000 } ?? 0
    case .cuesDropped where cue.id.number % 10 == 0: late = 30 * day
    default: return cue
    }
    return Cue(
      cue.id, of: cue.source, cue.signal, blows: cue.blows, at: cue.anchor + .nanoseconds(late),
      mayBeLateBy: cue.mayBeLateBy, decibels: cue.decibels)
  }

  /// The saved state as the service reads it.
  func sabotaged(_ saved: Machine.Saved) -> Machine.Saved {
    var saved = saved
    switch sabotage {
    case .timersLost: saved.timers = saved.timers.dropLast()
    case .intervalLost: saved.interval = nil
    case .alarmsLost: saved.alarms = []
    case .alarmsTwice:
      saved.alarms = saved.alarms.map {
        Reminder(number: $0.number, $0.plan, from: $0.origin, state: $0.state)
      }
    default: break
    }
    return saved
  }

  /// The settings that the Announcer gets.
  var settings: AnnouncerSettings {
    var settings = machine.settings
    switch sabotage {
    case .quietHoursUnread: settings.quiet = .none
    case .quietMinuteLate:
      settings.quiet = try! QuietHours(
        text: settings.quiet.windows.map { $0.later(by: 1) }.joined(separator: ","))
    case .volumeHourLate:
      settings.quieter = try! VolumeRules(
        text: settings.quieter.rules.flatMap { rule in
          rule.times.windows.map { "\($0.later(by: 60)) \(Int(rule.decibels))dB" }
        }.joined(separator: ","))
    case .lostSwitchSounds: settings.whenLost = .sound
    case .untrustedSpeaks: settings.untrusted = .speak
    case .ringsForEver: settings.ringLimit = .seconds(1800)
    case .atStopExchanged: settings.atStop = settings.atStop == .fade ? .finish : .fade
    case .alarmsLate: settings.alarms = settings.alarms.map(\.later)
    default: break
    }
    return settings
  }

  /// True while an edge that mutes is held back for the debounce time, as one that unmutes is.
  func waitsToMute() -> Bool {
    guard machine.contact?.isActive == true, machine.switchState != .off else {
      lateMute = nil
      return false
    }
    let due = lateMute ?? machine.uptime + Contact.debounce.nanoseconds
    lateMute = machine.uptime < due ? due : nil
    return lateMute != nil
  }
}

extension Cue {
  /// True for the first of a repeated signal, which may be later than the others.
  fileprivate var isFirst: Bool { signal == .ring && blows.isEmpty && mayBeLateBy > .seconds(1) }
}

extension AlarmPlan {
  /// An hour later.
  fileprivate var later: AlarmPlan {
    var plan = self
    let time = TimeOfDay(minutes: (times.time.minutes + 60) % 1440)
    plan.times = AlarmTimes(time: time, days: times.days)
    return plan
  }
}

extension QuietHours.Window {
  /// As configuration files write it. A window of the whole day does not move.
  fileprivate func later(by minutes: Int) -> String {
    let minutes = to - from == 1440 ? 0 : minutes
    let first = days.first { !days.contains($0.previous) } ?? .sunday
    let last = sequence(first: first.previous) { $0.previous }.first { days.contains($0) }!
    let range = "\(first.abbreviation)-\(last.abbreviation)"
    let end = (to + minutes) % 1440
    return "\(range) \(TimeOfDay(minutes: (from + minutes) % 1440))-"
      + (end == 0 ? "24:00" : "\(TimeOfDay(minutes: end))")
  }
}
