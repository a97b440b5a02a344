/// When a time of day on certain days comes.
public struct AlarmTimes: Hashable, Sendable {
  public let time: TimeOfDay
  public let days: AlarmDays

  public init(time: TimeOfDay, days: AlarmDays) {
    self.time = time
    self.days = days
  }

  /// Nothing is reckoned outside of the years 1970 to 2199, so that no sum overflows.
  static let reckoned = Instant(seconds: 0)...Instant(seconds: 7_258_118_399)
  static let beforeAll = reckoned.lowerBound - .nanoseconds(1)

  /// The first instant after `instant` at which an alarm of these times rings; nil if there is none
  /// before 2200.
  ///
  /// A time that daylight saving skips rings by the offset of before the gap (RFC 5545, 3.3.5): 01:30
  /// in London's spring at 02:30. A time that is repeated rings once, the first. Only what is to ring
  /// the next time that the clock shows it may ring the second time, if it is set between the two.
  public func nextRing(after instant: Instant, in zone: some Zone) -> Instant? {
    // So that the first instant of all that is reckoned is found, too.
    let after = max(instant, Self.beforeAll)
    guard after < Self.reckoned.upperBound else { return nil }
    let ring = candidates(after: after, in: zone).first { $0 > after }
    return ring.flatMap { Self.reckoned.contains($0) ? $0 : nil }
  }

  /// When an alarm that waits from `instant` on rings: on its day, even if that is over, or else next.
  func next(from instant: Instant, in zone: some Zone) -> Instant? {
    if case .date = days { return nextRing(after: Self.beforeAll, in: zone) }
    return nextRing(after: instant, in: zone)
  }

  /// When an alarm that was to ring at an instant does by another zone: at its time of the same day.
  /// - Parameter offset: how far the clocks were ahead of UTC, within hours of that instant's offset.
  func moved(_ ring: Instant, reckonedAt offset: Duration, to zone: some Zone) -> Instant? {
    let seconds = ring.seconds + offset.nanoseconds / 1_000_000_000 - Int64(time.minutes) * 60
    // To the nearest day: by daylight saving the offset may have been another at that instant.
    let day = (seconds + 43_200).flooredQuotient(by: 86_400)
    let instants = instants(on: CivilDate(dayNumber: Int(day)), in: zone)
    return instants.contains(ring) ? ring : instants.first
  }

  /// Rings in their order, without end for every week: at least one is after `instant`, if any is.
  private func candidates(
    after instant: Instant, in zone: some Zone
  ) -> some Sequence<Instant> {
    let today = CivilDate(of: zone.civil(at: instant).dateTime).dayNumber
    let dates: ClosedRange<Int> =
      switch days {
      case .date(let date): date.dayNumber...date.dayNumber
      // Two days back: a whole day may be repeated. A week on, and two days that are skipped.
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

  /// The instants on a day, which is one but where it is to ring the next time that the clock shows it.
  private func instants(on date: CivilDate, in zone: some Zone) -> [Instant] {
    let shown = CivilDateTime(
      shownYear: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute,
      second: 0)
    let instants = zone.instants(of: shown)
    if instants.isEmpty { return [skipped(on: date, in: zone)] }
    return days == .next ? instants : [instants[0]]
  }

  /// The instant that a skipped time would have had by the offset of before the gap.
  private func skipped(on date: CivilDate, in zone: some Zone) -> Instant {
    let wanted = Int64(date.dayNumber) * 86_400 + Int64(time.minutes) * 60
    func offset(_ seconds: Int64) -> Int64 {
      Int64(zone.civil(at: Instant(seconds: seconds)).utcOffsetSeconds)
    }
    // No clock is further from UTC than two days: the gap is between these, and is where the clock
    // goes from before the wanted time to after it.
    var (before, after) = (wanted - 2 * 86_400, wanted + 2 * 86_400)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if middle + offset(middle) < wanted { before = middle } else { after = middle }
    }
    return Instant(seconds: wanted - offset(before))
  }
}
