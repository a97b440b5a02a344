import Glibc

/// What the clocks of a zone show: its offsets from UTC over some years, and arithmetic.
///
/// The offsets come from glibc, as the product's do, but by a call of the judge's own. So a fault
/// of glibc or of the tz database is not seen here.
struct WallClock {
  let name: String
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

  /// - Parameters:
  ///   - name: of the zone that the process uses now.
  ///   - seconds: the range to cover, in seconds of UTC since 1970.
  init(_ name: String, over seconds: Range<Int64>) {
    self.name = name
    func offset(_ second: Int64) -> Int64 {
      var time = time_t(second)
      var broken = tm()
      localtime_r(&time, &broken)
      return Int64(broken.tm_gmtoff)
    }
    var known = offset(seconds.lowerBound)
    starts = [seconds.lowerBound]
    offsets = [known]
    // No zone has ever changed its offset twice within this time.
    let stride: Int64 = 6 * 3600
    var from = seconds.lowerBound
    while from < seconds.upperBound {
      let to = from + stride
      let new = offset(to)
      if new != known {
        var (old, changed) = (from, to)
        while changed - old > 1 {
          let middle = (old + changed) / 2
          if offset(middle) == known { old = middle } else { changed = middle }
        }
        starts.append(changed)
        offsets.append(new)
        known = new
      }
      from = to
    }
  }

  /// Seconds of UTC at which its clocks are set.
  var changes: ArraySlice<Int64> { starts.dropFirst() }

  private func offset(at second: Int64) -> Int64 {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= second { low = middle } else { high = middle }
    }
    return offsets[low]
  }

  /// - Parameter shown: nanoseconds of UTC since 1970.
  func reading(_ shown: Int64) -> Reading {
    let seconds = (shown - (shown % second + second) % second) / second
    let local = seconds + offset(at: seconds)
    let inDay = (local % 86_400 + 86_400) % 86_400
    // 1 January 1970 was a Thursday.
    let weekday = (((local - inDay) / 86_400 + 4) % 7 + 7) % 7
    return Reading(minuteOfDay: Int(inDay / 60), second: Int(inDay % 60), weekday: Int(weekday))
  }

  /// How far its clocks are ahead of UTC.
  func offset(_ shown: Int64) -> Int64 { offset(at: shown / second) * second }

  /// Days since 1 January 1970 by the zone's calendar.
  func day(_ shown: Int64) -> Int64 {
    let local = shown / second + offset(at: shown / second)
    return (local - (local % 86_400 + 86_400) % 86_400) / 86_400
  }

  /// The instants at which the zone shows a minute of a day. A minute that is skipped gets the
  /// instant that it would have by the offset before the gap.
  func instants(day: Int64, minute: Int64) -> [Int64] {
    let wanted = day * 86_400 + minute * 60
    var found: [Int64] = []
    var skipped: Int64?
    for index in starts.indices {
      let instant = wanted - offsets[index]
      let ends = index + 1 < starts.count ? starts[index + 1] : .max
      if (index == 0 ? .min : starts[index])..<ends ~= instant { found.append(instant * second) }
      if instant >= ends, wanted - offsets[index + 1] < ends { skipped = instant * second }
    }
    return found.isEmpty ? skipped.map { [$0] } ?? [] : found
  }

  /// The occasions after one instant and up to another, in order; at most `most` of them.
  func occasions(
    after start: Int64, through end: Int64, _ rules: OwnerRules, most: Int = .max
  ) -> [Int64] {
    guard end > start else { return [] }
    var found: [Int64] = []
    var shown = start - (start % second) + second
    while shown <= end, found.count < most {
      let reading = reading(shown)
      if rules.isOccasion(reading) { found.append(shown) }
      // At the next multiple, or at a change of the offset if that comes first.
      let minutes = rules.interval - reading.minuteOfDay % rules.interval
      let next = shown + Int64(minutes * 60 - reading.second) * second
      let change = starts.first { $0 * second > shown }.map { $0 * second } ?? .max
      shown = min(next, change)
    }
    return found
  }

  /// The first occasion after an instant.
  func nextOccasion(after shown: Int64, _ rules: OwnerRules) -> Int64? {
    occasions(after: shown, through: shown + 3 * hour, rules, most: 1).first
  }
}
