/// A text that is no time of day, weekdays, date or rise of an alarm.
public enum AlarmTextFlaw: Error, Hashable, Sendable {
  case time(String)
  case days(String)
  case date(String)
  /// A date that does not exist, such as 30 February.
  case never(String)
  case rise(String)
}

extension AlarmTextFlaw: CustomStringConvertible {
  /// One sentence: what is wrong, and what to write.
  public var description: String {
    switch self {
    case .time(let text):
      if let time = try? TimeOfDay(text: "0" + text) {
        "'\(text.shortened)' is no time of day; write the hour with two digits, as in \(time)"
      } else {
        "'\(text.shortened)' is no time of day; write HH:MM, as in 07:00, from 00:00 to 23:59"
      }
    case .days(let text):
      "'\(text.shortened)' is not \(Weekday.rangeInWords); separate several by commas"
    case .date(let text):
      "'\(text.shortened)' is no day; write it as 2026-12-24, up to 2199-12-31"
    case .never(let text):
      "'\(text.shortened)' never comes: that month has no such day; choose another"
    case .rise(let text):
      "'\(text.shortened)' is no rise; write how long it takes, up to 1h, as in 5min, or before it "
        + "the level at which it begins, as in -30dB 5min"
    }
  }
}
