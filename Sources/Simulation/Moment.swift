/// A moment: nanoseconds since the history began, and what the clock showed.
struct Moment: Hashable {
  var elapsed: Int64
  var shown: Int64

  func later(by span: Int64) -> Moment { Moment(elapsed: elapsed + span, shown: shown + span) }
}

extension Int64 {
  /// UTC date and time with milliseconds, of nanoseconds since 1970.
  var utcText: String {
    func padded(_ number: Int64, _ digits: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
    }
    let (seconds, thousandths) = (self / second, self % second / millisecond)
    // Days of a calendar that begins on 1 March of year 0, in cycles of 400 years.
    let days = seconds / 86_400 + 719_468
    let (cycle, inCycle) = (days / 146_097, days % 146_097)
    let year = (inCycle - inCycle / 1460 + inCycle / 36_524 - inCycle / 146_096) / 365
    let inYear = inCycle - (365 * year + year / 4 - year / 100)
    let month = (5 * inYear + 2) / 153
    let date = [
      padded(cycle * 400 + year + (month < 10 ? 0 : 1), 4), padded((month + 2) % 12 + 1),
      padded(inYear - (153 * month + 2) / 5 + 1),
    ]
    let time = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { padded($0) }
    return date.joined(separator: "-") + "T" + time.joined(separator: ":")
      + ".\(padded(thousandths, 3))Z"
  }
}

extension Int64 {
  /// Before every history, as nanoseconds since its beginning.
  static let never = -1000 * day
}
