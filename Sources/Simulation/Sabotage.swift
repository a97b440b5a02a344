import Horology

/// A fault that is made on purpose and that a person could hear, to see whether the judge finds it.
/// There is one for each thing that a property forbids or demands. It is made around the Announcer: in
/// its settings, its saved state and its effects.
enum Sabotage: CaseIterable {
  /// The time that is said is an hour off.
  case wrongHour
  /// An announcement that has sounded sounds once more.
  case playedTwice
  /// A ring that gives way to another sounds to its end.
  case ringsTogether
  /// Every blow comes 20 ms later.
  case lateBlows
  /// No stop reaches the speaker.
  case stopsUnheard
  /// A software mute does nothing.
  case muteIgnored
  /// The setting for a lost switch is not read.
  case lostSwitchSounds
  /// Whatever the kernel and the RTC say, the clock is trusted.
  case clockAlwaysTrusted
  /// A clock that is not trusted speaks.
  case untrustedSpeaks
  case volumeUnread
  /// Every tenth occasion is not heard, or is words alone.
  case occasionsDropped, chimesDropped
  case quietHoursUnread
  /// A request that was promised, and that fails or is stopped, is not refused.
  case refusalsUntold
  /// Every cue of an interval comes later by a thousandth of the time since the machine started.
  case cuesDrift
  /// Every tenth cue is not heard.
  case cuesDropped
  /// A ring comes 100 ms late.
  case ringsLate
  /// Only the first ring of a source is heard.
  case ringsDropped
  /// Nothing is said of timers and alarms.
  case wordsDropped
  /// Rings go on long past `ring_limit`.
  case ringsForEver
  /// Alarms ring an hour late.
  case alarmsLate
  /// Timers and alarms are lost when the service starts.
  case remindersLost

  /// The property that it violates.
  var property: String {
    switch self {
    case .wrongHour: "truth"
    case .playedTwice: "once"
    case .ringsTogether: "overlap"
    case .lateBlows: "ontime"
    case .stopsUnheard, .muteIgnored, .lostSwitchSounds: "silence"
    case .clockAlwaysTrusted, .untrustedSpeaks: "trust"
    case .volumeUnread: "level"
    case .chimesDropped, .occasionsDropped, .quietHoursUnread: "occasions"
    case .refusalsUntold: "requests"
    case .cuesDrift, .cuesDropped: "intervals"
    case .ringsLate, .ringsDropped, .wordsDropped, .ringsForEver, .alarmsLate, .remindersLost:
      "rings"
    }
  }
}

extension World {
  /// True if it is not heard, but is taken for heard.
  func isDropped(_ sounding: Sounding) -> Bool {
    switch (sabotage, sounding) {
    case (.occasionsDropped, .announcement(let said)): said.occasion.map { $0.isTenth } ?? false
    case (.wordsDropped, .announcement): sounding.words != nil
    case (.ringsDropped, .cue(let cue)): cue.signal == .ring && cue.mayBeLateBy <= .seconds(1)
    case (.cuesDropped, .cue(let cue)): cue.source == .interval && cue.id.number % 10 == 0
    default: false
    }
  }

  /// False if no stop reaches it.
  func stopReaches(_ track: Track) -> Bool {
    switch sabotage {
    case .stopsUnheard: false
    case .ringsTogether:
      !(track.hasBegun && track.sounding.ring != nil
        && tracks.contains { $0.sounding.ring != nil && $0.sounding.id != track.sounding.id })
    default: true
    }
  }

  /// - Returns: what is heard in its place.
  func sabotaged(_ sounding: Sounding) -> Sounding {
    switch sounding {
    case .announcement(let announcement): .announcement(sabotaged(announcement))
    case .cue(let cue): .cue(sabotaged(cue))
    }
  }

  private func sabotaged(_ said: Announcement) -> Announcement {
    var (time, anchor, programme, latest) = (said.time, said.anchor, said.programme, said.latest)
    switch sabotage {
    case .wrongHour where time.hour < 23:
      time = CivilTime(hour: time.hour + 1, minute: time.minute) ?? time
    case .lateBlows:
      anchor = anchor + .milliseconds(20)
      latest = latest.map { $0 + .milliseconds(20) }
    case .chimesDropped where anchor.nanoseconds.isTenth && programme.words != .none:
      programme = .wordsAlone
    default: return said
    }
    return Announcement(
      said.id, cause: said.cause, time: time, anchor: anchor, latest: latest,
      programme: programme, isShortened: said.isShortened)
  }

  private func sabotaged(_ cue: Cue) -> Cue {
    let late: Duration
    switch sabotage {
    case .ringsLate where cue.signal == .ring: late = .milliseconds(100)
    case .cuesDrift where cue.source == .interval: late = cue.anchor / 1000
    default: return cue
    }
    return Cue(
      cue.id, of: cue.source, cue.signal, blows: cue.blows, at: cue.anchor + late,
      mayBeLateBy: cue.mayBeLateBy, decibels: cue.decibels)
  }

  /// A track that has ended, and that sounds once more.
  func playedAgain(_ track: Track) -> Track? {
    guard sabotage == .playedTwice, case .finished = track.verdict?.outcome,
      let said = track.sounding.announcement, said.anchor.nanoseconds.isTenth
    else { return nil }
    let again = Announcement(
      said.id, cause: said.cause, time: said.time, anchor: now.instant + .seconds(1))
    return Track(.announcement(again), phrase: second, queue: 100 * millisecond, moment)
  }

  /// The settings that the Announcer gets.
  var settings: AnnouncerSettings {
    var settings = machine.settings
    switch sabotage {
    case .quietHoursUnread: settings.quiet = .none
    case .volumeUnread: settings.quieter = AnnouncerSettings().quieter
    case .lostSwitchSounds: settings.whenLost = .sound
    case .untrustedSpeaks: settings.untrusted = .speak
    case .ringsForEver: settings.ringLimit = .seconds(1800)
    case .alarmsLate:
      for index in settings.alarms.indices {
        let times = settings.alarms[index].times
        let time = TimeOfDay(minutes: (times.time.minutes + 60) % 1440)
        settings.alarms[index].times = AlarmTimes(time: time, days: times.days)
      }
    default: break
    }
    return settings
  }
}

extension Int64 {
  /// True for one minute of ten.
  fileprivate var isTenth: Bool { self / minute % 10 == 0 }
}
