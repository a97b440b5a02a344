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
  /// London in spring, 01:30 rings at 02:30. A repeated time rings once, the first time. Only
  /// `AlarmDays.next` can ring the second time, if it is set between the two.
  public func nextRing(after instant: Instant, in zone: some Zone) -> Instant? {
    // From just before the range on, so that its first instant is found, too.
    let after = max(instant, Self.beforeAll)
    guard after < Self.reckoned.upperBound else { return nil }
    let ring = candidates(after: after, in: zone).first { $0 > after }
    return ring.flatMap { Self.reckoned.contains($0) ? $0 : nil }
  }

  /// The next ring of an alarm that waits from `instant` on. For a date it is the ring on that
  /// date, even if that is over.
  func next(from instant: Instant, in zone: some Zone) -> Instant? {
    if case .date = days { return nextRing(after: Self.beforeAll, in: zone) }
    return nextRing(after: instant, in: zone)
  }

  /// The instant of a ring in another zone: the same time on the same local day.
  /// - Parameter offset: how far local time was ahead of UTC in the old zone, within hours of the
  ///   offset at `ring`.
  func moved(_ ring: Instant, reckonedAt offset: Duration, to zone: some Zone) -> Instant? {
    let seconds = ring.seconds + offset.nanoseconds / 1_000_000_000 - Int64(time.minutes) * 60
    // Rounded to the nearest day: with daylight saving, the offset at `ring` may have been another.
    let day = (seconds + 43_200).flooredQuotient(by: 86_400)
    let instants = instants(on: CivilDate(dayNumber: Int(day)), in: zone)
    return instants.contains(ring) ? ring : instants.first
  }

  /// The rings on the date, or around the day of `instant`, in order. If any ring is after
  /// `instant`, at least one of them is.
  private func candidates(
    after instant: Instant, in zone: some Zone
  ) -> some Sequence<Instant> {
    let today = CivilDate(of: zone.civil(at: instant).dateTime).dayNumber
    let dates: ClosedRange<Int> =
      switch days {
      case .date(let date): date.dayNumber...date.dayNumber
      // Two days back, because a zone can repeat a whole day. A week ahead, plus two days that can
      // be skipped.
      case .weekly, .next: (today - 2)...(today + 9)
      }
    return dates.lazy.map { CivilDate(dayNumber: $0) }.filter { rings(on: $0) }
      .flatMap { instants(on: $0, in: zone) }
  }

  private func rings(on date: CivilDate) -> Bool {
    switch days {
    case .weekly(let days): days.contains(date.weekday)
    case .date, .next: true
    }
  }

  /// The rings on a day: one. `AlarmDays.next` has one each time that the clock shows the time.
  private func instants(on date: CivilDate, in zone: some Zone) -> [Instant] {
    let shown = CivilDateTime(
      shownYear: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute,
      second: 0)
    let instants = zone.instants(of: shown)
    if instants.isEmpty { return [skipped(on: date, in: zone)] }
    return days == .next ? instants : [instants[0]]
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
