import Horology

/// A fault that is made on purpose and that a person could hear, to see whether the judge finds it.
/// Each property finds at least one. It is made around the Announcer: in its settings, its saved state
/// and its effects.
public enum Sabotage: CaseIterable, Sendable {
  case wrongHour, playedTwice, lateBlows
  /// A ring that gives way to another sounds to its end.
  case ringsTogether
  case stopsUnheard
  case muteIgnored
  /// The setting for a lost switch is not read.
  case lostSwitchSounds
  case clockAlwaysTrusted, untrustedSpeaks
  case volumeUnread, quietHoursUnread
  /// Every tenth occasion is not heard, or is words alone.
  case occasionsDropped, chimesDropped
  /// A request that was promised, and that fails or is stopped, is not refused.
  case refusalsUntold
  /// Every cue of an interval comes later by a thousandth of the time since the machine started.
  case cuesDrift
  /// Every tenth cue is not heard.
  case cuesDropped
  case ringsLate
  /// Only the first ring of a source is heard.
  case ringsDropped
  case wordsDropped
  case ringsForEver
  case alarmsLate
  /// What was set is lost when the service starts.
  case remindersLost

  /// What the judge finds with it; nil if nothing.
  public var found: String? {
    // Two timers seldom ring together by chance.
    if self == .ringsTogether { return World.twoTimers(self).judge.violation?.text }
    // Not every history can show the fault.
    return (1...6 as ClosedRange<UInt64>).lazy.compactMap { seed in
      var simulation = Simulation(seed: seed, years: 0.3, zone: "Europe/London", faults: .high)
      (simulation.sabotage, simulation.patience) = (self, 0)
      return simulation.run().violation?.first
    }.first
  }
}

extension World {
  /// A scene in London, from that second of UTC on.
  convenience init(
    _ settings: AnnouncerSettings = .usual, from seconds: Int64 = 1_811_808_000,
    _ sabotage: Sabotage? = nil
  ) {
    self.init(
      shown: seconds * second, settings: settings, zone: "Europe/London", sabotage: sabotage)
  }

  /// A timer is at zero while another rings.
  static func twoTimers(_ sabotage: Sabotage? = nil) -> World {
    let world = World(.usual, sabotage)
    world.run(
      until: 420 * second,
      [(at: 330, length: 60_000), (at: 395, length: 2200)].map {
        Incident(
          at: $0.at * second,
          kind: .order(.reminder(.start(TimerPlan(.milliseconds($0.length))))))
      })
    return world
  }

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

  func stopReaches(_ playback: Playback) -> Bool {
    switch sabotage {
    case .stopsUnheard: false
    case .ringsTogether:
      !(playback.hasBegun && playback.sounding.ring != nil
        && playbacks.contains { $0.sounding.ring != nil && $0.sounding.id != playback.sounding.id })
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

  /// A playback that has ended, and that sounds once more.
  func playedAgain(_ playback: Playback) -> Playback? {
    guard sabotage == .playedTwice, case .finished = playback.verdict?.outcome,
      let said = playback.sounding.announcement, said.anchor.nanoseconds.isTenth
    else { return nil }
    let again = Announcement(
      said.id, cause: said.cause, time: said.time, anchor: now.instant + .seconds(1))
    return Playback(.announcement(again), phrase: second, queue: 100 * millisecond, late: 0, moment)
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
  fileprivate var isTenth: Bool { self / minute % 10 == 0 }
}
