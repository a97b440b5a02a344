import Devices
import Horology

/// Nanoseconds in a millisecond, a second, a minute, an hour and a day.
let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000
let minute: Int64 = 60 * second
let hour: Int64 = 60 * minute
let day: Int64 = 24 * hour

/// A moment: nanoseconds since the history began, and what the clock showed.
struct Moment: Hashable {
  var elapsed: Int64
  var shown: Int64

  func later(by span: Int64) -> Moment { Moment(elapsed: elapsed + span, shown: shown + span) }
}

extension Int64 {
  /// Before every history, as nanoseconds since its beginning.
  static let never = -1000 * day

  /// UTC date and time with milliseconds, of nanoseconds since 1970.
  var utcText: String {
    let thousandths = "\(1000 + self % second / millisecond)".dropFirst()
    return Instant(nanoseconds: self).utcText().dropLast() + ".\(thousandths)Z"
  }
}
