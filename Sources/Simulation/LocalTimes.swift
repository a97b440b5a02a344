import Basics
import Devices
import Glibc
import Horology

/// Compares when an alarm rings next with a plain list of the minutes that a zone's clocks show.
public enum LocalTimes {
  /// A minute that a clock on the wall shows: the day since 1 January 1970, and the minute of the day.
  private struct Shown: Hashable {
    let day: Int64
    let minute: Int64
  }

  /// Looks at each day on which the zone's clocks are set, and at those beside it.
  /// - Parameters:
  ///   - zone: a name from the tz database.
  ///   - seconds: the range of instants to look at, in seconds of UTC since 1970.
  /// - Returns: the first time of day that rings at a wrong instant; nil if all are right.
  /// - Throws: `Fault` if there is no such zone.
  public static func flaw(in zone: String, over seconds: Range<Int64>) throws(Fault) -> String? {
    let system = try SystemZone(name: zone)
    let face = WallClock(zone, over: seconds)
    for change in face.changes {
      let minutes = list(from: change / 60 * 60 - 3 * 86_400, to: change + 3 * 86_400)
      let first = Dictionary(minutes.map { ($0.shown, $0.instant) }) { earlier, _ in earlier }
      let today = minutes.first { $0.instant >= change }!.shown.day
      for day in today - 1...today + 1 {
        for minute in Int64(0)..<1440 {
          let shown = Shown(day: day, minute: minute)
          let wanted = first[shown] ?? skipped(shown, minutes)
          let found = product(day: day, minute: minute, system)
          if found != wanted {
            return "\(zone): \(minute / 60):\(minute % 60) on day \(day) rings at "
              + "\((found * second).utcText), not at \((wanted * second).utcText)"
          }
        }
      }
    }
    return nil
  }

  /// The minutes from one instant to another, as glibc's clock shows them.
  private static func list(from: Int64, to: Int64) -> [(instant: Int64, shown: Shown)] {
    stride(from: from, to: to, by: 60).map { instant in
      var time = time_t(instant)
      var broken = tm()
      localtime_r(&time, &broken)
      let local = instant + Int64(broken.tm_gmtoff)
      return (instant, Shown(day: local / 86_400, minute: local % 86_400 / 60))
    }
  }

  /// The instant of a time over which the clocks are set forward: when they would show it, if they
  /// were not set.
  private static func skipped(
    _ wanted: Shown, _ minutes: [(instant: Int64, shown: Shown)]
  ) -> Int64 {
    func number(_ shown: Shown) -> Int64 { shown.day * 1440 + shown.minute }
    let last = minutes.prefix { number($0.shown) < number(wanted) }.last!
    return last.instant + (number(wanted) - number(last.shown)) * 60
  }

  /// The ring of an alarm for that weekday, from the day before on.
  private static func product(day: Int64, minute: Int64, _ zone: SystemZone) -> Int64 {
    let time = TimeOfDay(hour: Int(minute / 60), minute: Int(minute % 60))!
    let date = CivilDate(text: String((day * 24 * hour).utcText.prefix(10)))!
    let times = AlarmTimes(time: time, days: .date(date))
    return times.nextRing(after: Instant(seconds: 0), in: zone)?.seconds ?? 0
  }
}
