/// A time of day on certain days.
public struct AlarmTimes: Hashable, Sendable {
  public let time: TimeOfDay
  public let days: AlarmDays

  public init(time: TimeOfDay, days: AlarmDays) {
    self.time = time
    self.days = days
  }

  /// Rings are calculated for the years 1970 to 2199 only, so that no sum overflows.
  static let reckoned = Instant(seconds: 0)...Instant(seconds: 7_258_118_399)
  static let beforeAll = reckoned.lowerBound - .nanoseconds(1)

  /// The first instant after `instant` at which an alarm with these times rings; nil if there is
  /// none before 2200.
  ///
  /// A time that daylight saving skips rings by the offset before the gap (RFC 5545, 3.3.5): in
  /// London in spring, 01:30 rings at 02:30. A repeated time rings once, the first time.
  /// - Parameter date: nil, or a date for which it does not ring, nor for any before it.
  public func nextRing(
    after instant: Instant, in zone: some Zone, afterDate date: CivilDate? = nil
  ) -> Instant? {
    // From just before the range on, so that its first instant is found, too.
    let after = max(instant, Self.beforeAll)
    guard after < Self.reckoned.upperBound else { return nil }
    // Two days back, because a zone can repeat a whole day.
    var first = zone.date(at: after).dayNumber - 2
    if let date { first = max(first, date.dayNumber + 1) }
    // A week, two days that can be skipped, and those from before the instant.
    var days: ClosedRange<Int> = first...(first + 13)
    if case .date(let day) = self.days {
      guard day.dayNumber >= first else { return nil }
      days = day.dayNumber...day.dayNumber
    }
    for number in days {
      let date = CivilDate(dayNumber: number)
      guard rings(on: date) else { continue }
      let ring = ring(on: date, in: zone)
      if ring > after { return Self.reckoned.contains(ring) ? ring : nil }
    }
    return nil
  }

  /// The local date for which it rings at an instant. A time that daylight saving skips may ring on
  /// the next date.
  func date(ofRing instant: Instant, in zone: some Zone) -> CivilDate {
    let shown = zone.date(at: instant)
    let before = CivilDate(dayNumber: shown.dayNumber - 1)
    let isOfBefore = ring(on: shown, in: zone) != instant && ring(on: before, in: zone) == instant
    return isOfBefore ? before : shown
  }

  private func rings(on date: CivilDate) -> Bool {
    switch days {
    case .weekly(let days): days.contains(date.weekday)
    case .date(let day): day == date
    case .next: true
    }
  }

  private func ring(on date: CivilDate, in zone: some Zone) -> Instant {
    let shown = CivilDateTime(
      shownYear: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute,
      second: 0)
    return zone.instants(of: shown).first ?? skipped(on: date, in: zone)
  }

  /// The instant of a skipped time by the offset before the gap.
  private func skipped(on date: CivilDate, in zone: some Zone) -> Instant {
    let wanted = Int64(date.dayNumber) * 86_400 + Int64(time.minutes) * 60
    func offset(_ seconds: Int64) -> Int64 {
      Int64(zone.civil(at: Instant(seconds: seconds)).utcOffsetSeconds)
    }
    // No zone is more than two days from UTC, so the gap lies between these. In the gap, local time
    // jumps from before the wanted time to after it.
    var (before, after) = (wanted - 2 * 86_400, wanted + 2 * 86_400)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if middle + offset(middle) < wanted { before = middle } else { after = middle }
    }
    return Instant(seconds: wanted - offset(before))
  }
}

extension Zone {
  func date(at instant: Instant) -> CivilDate { CivilDate(of: civil(at: instant).dateTime) }
}
