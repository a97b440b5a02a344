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

  /// How many blows are heard at an occasion, and whether the time is said.
  func piece(_ time: WallClock.Reading, _ trust: ClockTrust) -> (blows: Int, speaks: Bool) {
    let isHour = time.minuteOfDay % 60 == 0
    let speaks = (!isHour || voiceAtHour != .none) && (trust != .untrusted || untrusted != .chime)
    let hour = (time.minuteOfDay / 60 + 11) % 12 + 1
    let part = part(time)
    return ((part?.melody.count ?? 0) + (part?.strikes == nil ? 0 : hour), speaks)
  }

  private func part(_ time: WallClock.Reading) -> Tune.Movement? {
    let tune = time.minuteOfDay % 60 == 0 ? chime : chimeQuarters
    return time.minuteOfDay % 15 == 0 ? tune?.movements[time.minuteOfDay % 60 / 15] : nil
  }

  /// True if a clock that is not trusted may sound by itself.
  func soundsUntrusted(_ time: WallClock.Reading) -> Bool {
    untrusted == .speak || (untrusted == .chime && part(time) != nil)
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
