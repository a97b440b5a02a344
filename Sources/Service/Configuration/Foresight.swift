import Horology
import Sound

extension Configuration {
  /// How long each announcement with a chime sounds after its anchor, by its minute of the day. It
  /// reads sound files.
  public func lengths(_ composer: Composer) -> [Int: Duration] {
    var lengths: [Int: Duration] = [:]
    for time in announcer.interval.timesOfDay {
      let programme = announcer.programme(at: time, trust: .synchronised)
      if programme.blows.isEmpty { continue }
      // A fault in composing is reported when the announcement is to be played.
      lengths[time.minuteOfDay] = try? composer.length(of: time, programme)
    }
    return lengths
  }

  /// The tunes that can never sound, and why: a sentence each.
  public var neverSounding: [String] {
    let minutes = Array(stride(from: 0, to: 60, by: announcer.interval.minutes))
    return [
      announcer.chime.flatMap { flaw("chime", $0, at: [0], "the hour") },
      announcer.chimeQuarters.flatMap {
        flaw("chime_quarters", $0, at: minutes.filter { $0 != 0 }, "the other quarters")
      },
    ].compactMap { $0 }
  }

  /// That the clock has no zone, and what to do; nil if it has one.
  public var flawOfZone: String? {
    announcer.hasZone
      ? nil
      : "the clock has no zone, so no time is said and no alarm rings; set it, as in "
        + "'clocksmith set clock.zone Europe/London'"
  }

  /// Why a tune never sounds; nil if it does.
  private func flaw(
    _ key: String, _ tune: Tune, at minutes: [Int], _ times: String
  ) -> String? {
    if minutes.contains(where: { $0 % 15 == 0 && tune.movements[$0 / 15] != nil }) { return nil }
    let why =
      minutes.contains { $0 % 15 == 0 }
      ? "the tune has nothing for \(times)"
      : "at interval = \(announcer.interval.minutes) no occasion is a quarter"
    return "\(key) = \(tune.name) never sounds: \(why); set it to none"
  }
}

extension Agenda {
  /// - Parameter lengths: as `Configuration.lengths` gives them. Without one, the longest phrase
  ///   follows the last blow.
  init(
    _ settings: AnnouncerSettings, zone: any Zone, from start: Instant,
    mute: (SoftwareMute, at: Instant)? = nil, _ lengths: [Int: Duration]
  ) {
    self.init(settings, zone: zone, from: start, mute: mute) { announcement in
      // Words alone never last until the next occasion, which is at least a minute away.
      guard let last = announcement.programme.blows.last else { return settings.longestPhrase }
      return lengths[announcement.time.minuteOfDay] ?? last.offset + settings.longestPhrase
    }
  }
}
