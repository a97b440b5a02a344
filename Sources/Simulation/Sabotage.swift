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

  /// How much later than wanted it is heard, in nanoseconds.
  func lateness(of sounding: Sounding) -> Int64 {
    switch (sabotage, sounding) {
    case (.lateBlows, .announcement): 20 * millisecond
    case (.ringsLate, .cue(let cue)) where cue.signal == .ring: 100 * millisecond
    case (.cuesDrift, .cue(let cue)) where cue.source == .interval: cue.anchor.nanoseconds / 1000
    default: 0
    }
  }

  /// - Returns: what is heard in its place.
  func sabotaged(_ sounding: Sounding) -> Sounding {
    guard let said = sounding.announcement else { return sounding }
    var (time, programme) = (said.time, said.programme)
    switch sabotage {
    case .wrongHour where time.hour < 23:
      time = CivilTime(hour: time.hour + 1, minute: time.minute) ?? time
    case .chimesDropped where said.anchor.nanoseconds.isTenth && programme.words != .none:
      programme = .wordsAlone
    default: return sounding
    }
    return .announcement(
      Announcement(
        said.id, cause: said.cause, time: time, anchor: said.anchor, latest: said.latest,
        programme: programme, isShortened: said.isShortened))
  }

  /// A track that has ended, and that sounds once more.
  func playedAgain(_ track: Track) -> Track? {
    guard sabotage == .playedTwice, case .finished = track.verdict?.outcome,
      let said = track.sounding.announcement, said.anchor.nanoseconds.isTenth
    else { return nil }
    let again = Announcement(
      said.id, cause: said.cause, time: said.time, anchor: now.instant + .seconds(1))
    return Track(.announcement(again), phrase: second, queue: 100 * millisecond, late: 0, moment)
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
