import Basics

public struct AlarmTimes: Hashable, Sendable {
  public var time: TimeOfDay
  public var days: AlarmDays

  public init(time: TimeOfDay = .midnight, days: AlarmDays = .next) {
    self.time = time
    self.days = days
  }

  static let beforeAll = Instant.allowed.lowerBound - .nanoseconds(1)

  /// The first ring after `instant`; nil if there is none in `Instant.allowed`.
  ///
  /// A time that daylight saving skips rings by the offset before the gap (RFC 5545, 3.3.5): in
  /// London in spring, 01:30 rings at 02:30. A repeated time rings once, the first time.
  public func nextRing(after instant: Instant, in zone: some Zone) -> Instant? {
    // So that the first instant of the range is found, too.
    let after = max(instant, Self.beforeAll)
    guard after < Instant.allowed.upperBound else { return nil }
    // Two days back, because a zone can repeat a whole day.
    let first = CivilDate(of: zone.civil(at: after).dateTime).dayNumber - 2
    // A week, two days that can be skipped, and those from before the instant.
    var days: ClosedRange<Int> = first...(first + 13)
    if case .date(let day) = self.days {
      guard day.dayNumber >= first else { return nil }
      days = day.dayNumber...day.dayNumber
    }
    for number in days {
      let date = CivilDate(dayNumber: number)
      guard rings(on: date) else { continue }
      let ring = ring(on: date, in: zone)
      if ring > after { return Instant.allowed.contains(ring) ? ring : nil }
    }
    return nil
  }

  private func rings(on date: CivilDate) -> Bool {
    switch days {
    case .weekly(let days): days.contains(date.weekday)
    case .date(let day): day == date
    case .next: true
    }
  }

  private func ring(on date: CivilDate, in zone: some Zone) -> Instant {
    let shown = CivilDateTime(date, secondOfDay: time.minutes * 60)
    return zone.instants(of: shown).first ?? skipped(on: date, in: zone)
  }

  /// The instant of a skipped time by the offset before the gap. In UTC, the gap is less than a day
  /// from the wanted time.
  private func skipped(on date: CivilDate, in zone: some Zone) -> Instant {
    let wanted = Instant(seconds: Int64(date.dayNumber) * 86_400 + Int64(time.minutes) * 60)
    return wanted - .seconds(zone.civil(at: wanted - .seconds(86_400)).utcOffsetSeconds)
  }
}

public enum AlarmDays: Hashable, Sendable {
  /// Every week, on at least one day.
  case weekly(Set<Weekday>)
  case date(CivilDate)
  /// Once, the next time that the clock shows the alarm's time.
  case next

  /// Weekdays as in `mon-fri` or `mon-wed, sat`.
  public init(weekdays text: some StringProtocol) throws(TextFlaw) {
    guard let days = Weekday.days(text), !days.isEmpty else { throw .days(String(text)) }
    self = .weekly(days)
  }

  /// A day as in `2026-12-24`.
  public init(date text: some StringProtocol) throws(TextFlaw) {
    guard let date = CivilDate(text: text) else { throw .date(String(text)) }
    self = .date(date)
  }

  /// Parses what `description` writes.
  public init(text: some StringProtocol) throws(TextFlaw) {
    let text = text.plain
    if text == "once" {
      self = .next
    } else if text.first?.isASCIIDigit == true {
      try self.init(date: text)
    } else {
      try self.init(weekdays: text)
    }
  }

  static let key = Key<AlarmDays>(
    "days", allowed: "weekdays as mon-fri, a date as 2026-12-24, or once",
    write: { .text($0.description) },
    read: { value in
      // A text, or a list of weekdays.
      let values = if case .list(let days) = value { days } else { [value] }
      let texts = values.compactMap(\.text)
      guard texts.count == values.count else { return nil }
      return try? AlarmDays(text: texts.joined(separator: ","))
    }
  ).typed { try AlarmDays(weekdays: $0) }

  static let keyOfSection = Key<AlarmDays>.parsed(
    key.name, allowed: "days of the week, as mon-fri or mon-wed, sat", as: \.description
  ) { try AlarmDays(weekdays: $0) }

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

/// A local time of day, to the minute.
public struct TimeOfDay: Hashable, Sendable {
  /// Since midnight: 0 to 1439.
  public let minutes: Int

  public static let midnight = TimeOfDay(hour: 0, minute: 0)!

  /// Nil if the hour is not 0 to 23, or the minute not 0 to 59.
  public init?(hour: Int, minute: Int) {
    guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
    minutes = hour * 60 + minute
  }

  /// `HH:MM`, as in `07:00`. Also `7:00`, `07:00:00`, `7:00 AM` and `7pm`, which mean one thing.
  public init(text: some StringProtocol) throws(TextFlaw) {
    let written = text.plain.lowercased()
    let half = written.last == "m" ? written.dropLast().last : nil
    let digits = half == nil ? written : written.dropLast(2).plain
    let fields = digits.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { field in
      (1...2).contains(field.count) && field.allSatisfy(\.isASCIIDigit) ? Int(field) : nil
    }
    guard numbers.count == fields.count, fields.dropFirst().allSatisfy({ $0.count == 2 }),
      let time = Self.of(numbers, half)
    else { throw .time(String(text)) }
    self = time
  }

  /// - Parameter half: of the day, `a` or `p`; nil for 24 hours.
  private static func of(_ numbers: [Int], _ half: Character?) -> TimeOfDay? {
    guard numbers.count < 4, numbers.dropFirst(2).allSatisfy({ $0 == 0 }) else { return nil }
    let minute = numbers.count > 1 ? numbers[1] : 0
    switch half {
    case nil: return numbers.count < 2 ? nil : TimeOfDay(hour: numbers[0], minute: minute)
    case "a", "p":
      guard (1...12).contains(numbers[0]) else { return nil }
      return TimeOfDay(hour: numbers[0] % 12 + (half == "p" ? 12 : 0), minute: minute)
    default: return nil
    }
  }

  public var hour: Int { minutes / 60 }
  public var minute: Int { minutes % 60 }
}

extension TimeOfDay: CustomStringConvertible {
  public var description: String { "\(twoDigits(hour)):\(twoDigits(minute))" }
}
