import Horology

/// What the owner's settings ask for, as the judge reckons it.
extension AnnouncerSettings {
  func isOccasion(_ time: WallClock.Reading) -> Bool {
    time.second == 0 && time.minuteOfDay % interval.minutes == 0
  }

  func isQuiet(_ time: WallClock.Reading) -> Bool { quiet.windows.contains { $0.covers(time) } }

  /// In dB, at most 0.
  func level(_ time: WallClock.Reading) -> Double {
    let rules = quieter.rules.filter { $0.times.windows.contains { $0.covers(time) } }
    return rules.map(\.decibels).min() ?? 0
  }

  /// What is to be heard at an occasion. It is empty if nothing is.
  func piece(_ time: WallClock.Reading, isTrusted: Bool) -> Programme {
    let isHour = time.minuteOfDay % 60 == 0
    let speaks = (!isHour || voiceAtHour != .none) && (isTrusted || untrusted != .chime)
    guard let part = part(time) else {
      return speaks ? .wordsAlone : Programme(blows: [], words: .none)
    }
    let blows = part.blows(time)
    let isBefore = isHour && voiceAtHour == .before
    let end = blows.last!.offset + part.rest
    return Programme(
      blows: blows,
      words: !speaks ? .none : isBefore ? .before(.seconds(1), longest: .seconds(5)) : .at(end))
  }

  private func part(_ time: WallClock.Reading) -> Tune.Movement? {
    let tune = time.minuteOfDay % 60 == 0 ? chime : chimeQuarters
    return time.minuteOfDay % 15 == 0 ? tune?.movements[time.minuteOfDay % 60 / 15] : nil
  }

  /// True if the clock may sound by itself with this trust.
  func allows(_ trust: ClockTrust, at time: WallClock.Reading) -> Bool {
    if trust != .untrusted { return true }
    return untrusted == .speak || (untrusted == .chime && part(time) != nil)
  }

  /// A sound can begin this long from now at the earliest.
  var lead: Int64 {
    max(leadIn.nanoseconds, 400 * millisecond) + max(latencyOffset.nanoseconds, 0)
  }
}

extension QuietHours.Window {
  /// A night belongs to the day on which it begins.
  func covers(_ time: WallClock.Reading) -> Bool {
    let minuteOfWeek = time.weekday * 1440 + time.minuteOfDay
    let length = from < to ? to - from : to + 1440 - from
    return days.contains { day in
      (minuteOfWeek - day.rawValue * 1440 - from + 7 * 1440) % (7 * 1440) < length
    }
  }
}

extension Tune.Movement {
  /// The melody, and the strikes, all of them as far apart. From the anchor.
  fileprivate func blows(_ time: WallClock.Reading) -> [Blow] {
    let melody = melody.map { Blow(bell: $0.bell, offset: $0.offset - lead) }
    guard let strikes else { return melody }
    let hour = (time.minuteOfDay / 60 + 11) % 12 + 1
    let bells = (time.minuteOfDay % 240 / 30 + 7) % 8 + 1
    let count = strikes.count == .hour ? hour : bells
    return melody
      + (0..<count).map { Blow(bell: strikes.bell, offset: strikes.gaps[0] * $0) }
  }
}
