import Glibc
import Horology

/// What a clock on the wall shows in the zone that the process uses.
///
/// The offsets come from glibc, as the product's do, but by a call of the judge's own. So a fault
/// of glibc or of the tz database is not seen here.
enum WallClock {
  /// Sunday is weekday 0.
  typealias Reading = (minuteOfDay: Int, second: Int, weekday: Int)

  /// - Parameter shown: nanoseconds of UTC since 1970, as all here.
  static func reading(_ shown: Int64) -> Reading {
    let local = broken(shown / second)
    return (Int(local.tm_hour * 60 + local.tm_min), Int(local.tm_sec), Int(local.tm_wday))
  }

  private static func broken(_ seconds: Int64) -> tm {
    var (time, broken) = (time_t(seconds), tm())
    localtime_r(&time, &broken)
    return broken
  }

  /// Seconds from UTC to the zone's time.
  static func offset(at seconds: Int64) -> Int64 { Int64(broken(seconds).tm_gmtoff) }

  /// Days since 1 January 1970 by the zone's calendar.
  static func day(_ shown: Int64) -> Int64 {
    let seconds = shown / second
    return (seconds + offset(at: seconds)) / 86_400
  }

  /// The first instant at which the zone shows a minute of a day. A minute that is skipped gets the
  /// instant that it would have by the offset before the gap.
  static func instant(day: Int64, minute: Int64) -> Int64 {
    let wanted = day * 86_400 + minute * 60
    // No zone sets its clocks twice in two days.
    let offsets = [wanted - 86_400, wanted + 86_400].map { offset(at: $0) }
    let right = offsets.first { offset(at: wanted - $0) == $0 }
    return (wanted - (right ?? offsets[0])) * second
  }

  /// The occasions from one instant to another. All offsets are whole minutes.
  static func occasions(
    from: Int64, through: Int64, _ settings: AnnouncerSettings
  ) -> some Sequence<Int64> {
    stride(from: (from + minute - 1) / minute * minute, through: through, by: Int(minute)).lazy
      .filter { settings.isOccasion(reading($0)) }
  }

  static func nextOccasion(after shown: Int64, _ settings: AnnouncerSettings) -> Int64? {
    occasions(from: shown + 1, through: shown + 3 * hour, settings).first { _ in true }
  }
}
