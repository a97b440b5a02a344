import Glibc
import Horology

/// What the clocks of a zone show: its offsets from UTC over some years, and arithmetic.
///
/// The offsets come from glibc, as the product's do, but by a call of the judge's own. So a fault
/// of glibc or of the tz database is not seen here.
struct WallClock {
  /// Seconds of UTC from which each offset is valid; the first is also valid before.
  private var starts: [Int64] = []
  private var offsets: [Int64] = []

  /// What a clock on the wall shows.
  struct Reading: Hashable {
    let minuteOfDay: Int
    let second: Int
    /// Sunday is 0.
    let weekday: Int
  }

  /// The zone that the process uses now.
  /// - Parameter seconds: the range to cover, in seconds of UTC since 1970.
  init(over seconds: Range<Int64>) {
    // Today's zones set their clocks at full half hours of UTC.
    for second in stride(from: seconds.lowerBound / 1800 * 1800, to: seconds.upperBound, by: 1800) {
      var (time, broken) = (time_t(second), tm())
      localtime_r(&time, &broken)
      guard Int64(broken.tm_gmtoff) != offsets.last else { continue }
      starts.append(second)
      offsets.append(Int64(broken.tm_gmtoff))
    }
  }

  /// Seconds of UTC at which its clocks are set.
  var changes: ArraySlice<Int64> { starts.dropFirst() }

  /// Seconds since 1970 as the zone's clocks count them.
  /// - Parameter shown: nanoseconds of UTC since 1970.
  private func local(_ shown: Int64) -> Int64 {
    let seconds = shown / second
    return seconds + offsets[(starts.lastIndex { $0 <= seconds }) ?? 0]
  }

  func reading(_ shown: Int64) -> Reading {
    let local = local(shown)
    // 1 January 1970 was a Thursday.
    return Reading(
      minuteOfDay: Int(local / 60 % 1440), second: Int(local % 60),
      weekday: Int((local / 86_400 + 4) % 7))
  }

  /// Days since 1 January 1970 by the zone's calendar.
  func day(_ shown: Int64) -> Int64 { local(shown) / 86_400 }

  /// The first instant at which the zone shows a minute of a day. A minute that is skipped gets the
  /// instant that it would have by the offset before the gap.
  func instant(day: Int64, minute: Int64) -> Int64 {
    let wanted = day * 86_400 + minute * 60
    for index in offsets.indices.dropLast() {
      // Before the clocks are set, or in the gap.
      let instant = wanted - offsets[index]
      if instant < starts[index + 1] || wanted - offsets[index + 1] < starts[index + 1] {
        return instant * second
      }
    }
    return (wanted - offsets.last!) * second
  }

  /// The occasions from one instant to another. All offsets are whole minutes.
  func occasions(from: Int64, through: Int64, _ settings: AnnouncerSettings) -> some Sequence<Int64>
  {
    stride(from: (from + minute - 1) / minute * minute, through: through, by: Int(minute)).lazy
      .filter { settings.isOccasion(reading($0)) }
  }

  /// The first occasion after an instant.
  func nextOccasion(after shown: Int64, _ settings: AnnouncerSettings) -> Int64? {
    occasions(from: shown + 1, through: shown + 3 * hour, settings).first { _ in true }
  }
}
