import Devices
import Horology
import Sound

extension Configuration {
  /// The fate of every occasion from `start` on.
  /// - Parameter mute: the mute, and the instant at which it is in force.
  public func agenda(
    _ composer: Composer, zone: any Zone, from start: Instant,
    mute: (SoftwareMute, at: Instant)? = nil
  ) -> Agenda {
    var lengths: [Heard: Duration] = [:]
    return Agenda(announcer, zone: zone, from: start, mute: mute) { announcement in
      let programme = announcement.programme
      // Words alone never last until the next occasion, which is at least a minute away.
      guard !programme.blows.isEmpty else { return Programme.longestPhrase }
      let time = announcement.time
      let heard = Heard(programme: programme, hour: time.hour, minute: time.minute)
      if let known = lengths[heard] { return known }
      // A fault in composing is reported when the announcement is to be played.
      let length = (try? composer.length(of: time, programme)) ?? .zero
      lengths[heard] = length
      return length
    }
  }

  /// The settings that can never sound, and why: a sentence each.
  public func vanities(_ composer: Composer) -> [String] {
    let minutes = Array(stride(from: 0, to: 60, by: announcer.interval.minutes))
    var vanities = [
      announcer.chime.flatMap { vanity("chime", $0, at: [0], "the hour") },
      announcer.chimeQuarters.flatMap {
        vanity("chime_quarters", $0, at: minutes.filter { $0 != 0 }, "the other quarters")
      },
      alarmSections.outdated,
    ].compactMap { $0 }
    let day = (0..<1440).compactMap { CivilTime(hour: $0 / 60, minute: $0 % 60) }
      .filter { $0.minute % announcer.interval.minutes == 0 }
    if day.allSatisfy({ !announcer.speaks(at: $0) && announcer.chime(at: $0) == nil }) {
      vanities.append(
        "nothing ever sounds by itself: at interval = \(announcer.interval.minutes) every "
          + "occasion is an hour, which has neither a chime nor, by 'voice_at_hour = none', words")
    }
    if announcer.quiet.swallowEverything(interval: announcer.interval) {
      vanities.append(
        "no occasion ever sounds: the quiet hours cover the whole week; shorten 'quiet'")
    }
    return vanities + overlaps(composer)
  }

  private func vanity(
    _ key: String, _ tune: Tune, at minutes: [Int], _ times: String
  ) -> String? {
    if minutes.contains(where: { $0 % 15 == 0 && tune.movements[$0 / 15] != nil }) { return nil }
    let why =
      minutes.contains { $0 % 15 == 0 }
      ? "the tune has nothing for \(times)"
      : "at interval = \(announcer.interval.minutes) no occasion is a quarter"
    return "\(key) = \(tune.name) never sounds: \(why); set it to none"
  }

  /// Occasions of a day that come while the one before still sounds, in one sentence.
  private func overlaps(_ composer: Composer) -> [String] {
    var always = self
    always.announcer.quiet = .none
    let midnight = Instant(seconds: 0)
    var sounding: Announcement?
    var found: [String] = []
    for entry in always.agenda(composer, zone: UTC(), from: midnight) {
      guard entry.occasion.instant < midnight + .seconds(86_400) else { break }
      let time = entry.occasion.civil
      let what: String?
      switch entry.fate {
      case .skipped(.busy), .skipped(.tooLateForChime): what = "never sounds"
      case .sounds(let announcement) where announcement.isShortened: what = "never chimes"
      default: what = nil
      }
      if let what, let before = sounding?.time, areBothHeard(before, time) {
        found.append(
          "\(time.dateTime.shortTime) \(what), for what sounds at \(before.dateTime.shortTime) is "
            + "not over by then")
      }
      if case .sounds(let announcement) = entry.fate { sounding = announcement }
    }
    guard let first = found.first else { return [] }
    let others = found.count == 1 ? "" : ", and \(found.count - 1) more a day like it"
    return ["\(first)\(others): take a longer interval or a shorter chime"]
  }

  /// True if there is a day on which neither is within the quiet hours.
  private func areBothHeard(_ first: CivilTime, _ second: CivilTime) -> Bool {
    Weekday.allCases.contains { day in
      [first, second].allSatisfy {
        !announcer.quiet.contains(
          CivilTime(dateTime: $0.dateTime, weekday: day, utcOffsetSeconds: 0))
      }
    }
  }
}

/// Everything that decides the length of an announcement: the words depend on the time.
private struct Heard: Hashable {
  let programme: Programme
  let hour: Int
  let minute: Int
}

extension CivilDateTime {
  /// As in `12:01`.
  fileprivate var shortTime: String { String(timeOfDay.prefix(5)) }
}

/// A zone whose clocks are never changed.
private struct UTC: Zone {
  let name = "UTC"

  func civil(at instant: Instant) -> CivilTime { SystemZone.utc(at: instant) }

  func instants(of time: CivilDateTime) -> [Instant] { [] }
}
