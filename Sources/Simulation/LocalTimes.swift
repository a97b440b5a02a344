import Basics
import Devices
import Horology

/// Compares when an alarm rings next with when the judge has it due.
public enum LocalTimes {
  /// Looks at each day on which the zone's clocks are set, and at those beside it.
  /// - Parameters:
  ///   - seconds: the range of instants to look at, in seconds of UTC since 1970.
  /// - Returns: the first time of day that rings at a wrong instant; nil if all are right.
  public static func flaw(in zone: String, over seconds: Range<Int64>) throws(Fault) -> String? {
    let system = try SystemZone(name: zone)
    // Zones set their clocks at full half hours of UTC.
    let changes = stride(from: seconds.lowerBound / 1800 * 1800, to: seconds.upperBound, by: 1800)
      .filter { WallClock.offset(at: $0) != WallClock.offset(at: $0 - 1) }
    for change in changes {
      let today = WallClock.day(change * second)
      for (day, minute) in (today - 1...today + 1).flatMap({ day in (0..<1440).map { (day, $0) } })
      {
        let time = TimeOfDay(minutes: minute)
        let times = AlarmTimes(time: time, days: .date(CivilDate(dayNumber: Int(day))))
        let found = times.nextRing(after: Instant(seconds: 0), in: system)?.nanoseconds ?? 0
        let wanted = WallClock.instant(day: day, minute: Int64(minute))
        if found != wanted {
          return "\(zone): \(times) rings at \(found.utcText), not at \(wanted.utcText)"
        }
      }
    }
    return nil
  }
}
