/// The days on which an alarm rings.
public enum AlarmDays: Hashable, Sendable {
  /// Every week, on at least one day.
  case weekly(Set<Weekday>)
  /// Once, on this day.
  case date(CivilDate)
  /// Once, the next time that the clock shows the alarm's time.
  case next

  /// Weekdays as in `mon-fri` or `mon-wed, sat`.
  public init(weekdays text: some StringProtocol) throws(AlarmTextFlaw) {
    guard let days = Weekday.days(text), !days.isEmpty else { throw .days(String(text)) }
    self = .weekly(days)
  }

  /// A day as in `2026-12-24`.
  public init(date text: some StringProtocol) throws(AlarmTextFlaw) {
    if CivilDate.isOfNoMonth(text) { throw .never(String(text)) }
    // Rings are calculated up to the end of 2199 in UTC. In some zones 2200 begins before that.
    guard let date = CivilDate(text: text), date.year < 2200 else { throw .date(String(text)) }
    self = .date(date)
  }

  /// Parses what `description` writes.
  public init(text: some StringProtocol) throws(AlarmTextFlaw) {
    if text == "once" {
      self = .next
    } else if text.first?.isASCIIDigit == true {
      try self.init(date: text)
    } else {
      try self.init(weekdays: text)
    }
  }

  /// True if the alarm is removed after it has rung.
  var isOnce: Bool { if case .weekly = self { false } else { true } }
}

extension AlarmDays: CustomStringConvertible {
  /// `mon-fri`, `2026-12-24` or `once`.
  public var description: String {
    switch self {
    case .weekly(let days): Weekday.text(days)
    case .date(let date): date.description
    case .next: "once"
    }
  }
}
