/// Date and time of day without a zone, as a person writes it. Gregorian, seconds 0 to 59.
public struct CivilDateTime: Hashable, Sendable {
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31.
  public var day: Int
  public var hour: Int
  public var minute: Int
  public var second: Int

  /// Nil for a date or time of day that does not exist in any zone, such as 30 February, and
  /// for a year that is not one of `CivilDate.years`.
  public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
    let date = CivilDate(of: self)
    guard CivilDate.years.contains(year), CivilDate(dayNumber: date.dayNumber) == date,
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
  }

  /// A second of a day, 0 to 86 399, of any year.
  init(_ date: CivilDate, secondOfDay: Int) {
    (year, month, day) = (date.year, date.month, date.day)
    (hour, minute, second) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
  }

  /// `YYYY-MM-DDTHH:MM` with optional `:SS`, and with `T` or a space; nil for anything else.
  public init?(text: some StringProtocol) {
    let halves = text.plain.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
    guard halves.count == 2,
      let date = Self.numbers(halves[0], separator: "-", digits: [4, 2, 2]),
      let time = Self.numbers(halves[1], separator: ":", digits: [2, 2])
        ?? Self.numbers(halves[1], separator: ":", digits: [2, 2, 2])
    else { return nil }
    self.init(
      year: date[0], month: date[1], day: date[2],
      hour: time[0], minute: time[1], second: time.count > 2 ? time[2] : 0)
  }

  static func numbers(
    _ text: some StringProtocol, separator: Character, digits: [Int]
  ) -> [Int]? {
    let fields = text.split(separator: separator, omittingEmptySubsequences: false)
    guard fields.count == digits.count,
      zip(fields, digits).allSatisfy({ $0.count == $1 && $0.allSatisfy(\.isASCIIDigit) })
    else { return nil }
    return fields.map { Int($0)! }
  }
}

extension CivilDateTime: CustomStringConvertible {
  /// As ISO 8601 without a zone: `2026-11-21T15:15:00`.
  public var description: String { "\(date)T\(timeOfDay)" }

  /// `2026-11-21`.
  public var date: String { CivilDate(of: self).description }

  /// Minutes since midnight by the face of the clock: 0 to 1439.
  public var minuteOfDay: Int { hour * 60 + minute }

  /// `15:15:00`.
  public var timeOfDay: String {
    "\(twoDigits(hour)):\(twoDigits(minute)):\(twoDigits(second))"
  }
}

/// What the clocks of a zone show at an instant.
public struct CivilTime: Hashable, Sendable {
  public let dateTime: CivilDateTime
  public let weekday: Weekday
  /// Seconds that the zone is ahead of UTC (east is positive), as C's `tm_gmtoff`.
  public let utcOffsetSeconds: Int

  /// What clocks show that are so far ahead of UTC.
  public init(at instant: Instant, utcOffsetSeconds: Int) {
    let shown = Int(instant.seconds) + utcOffsetSeconds
    let date = CivilDate(dayNumber: shown.flooredQuotient(by: 86_400))
    dateTime = CivilDateTime(date, secondOfDay: shown.flooredRemainder(by: 86_400))
    weekday = date.weekday
    self.utcOffsetSeconds = utcOffsetSeconds
  }

  /// A time of day to speak, without a day or a zone.
  public init(_ time: TimeOfDay) {
    self.init(at: Instant(seconds: Int64(time.minutes * 60)), utcOffsetSeconds: 0)
  }

  /// Nil if there is no such time.
  public init?(hour: Int, minute: Int) {
    guard let time = TimeOfDay(hour: hour, minute: minute) else { return nil }
    self.init(time)
  }

  public var hour: Int { dateTime.hour }
  public var minute: Int { dateTime.minute }

  public var minuteOfDay: Int { dateTime.minuteOfDay }
}

extension CivilTime: CustomStringConvertible {
  /// As ISO 8601 with the offset: `2026-11-21T15:15:00+01:00`.
  public var description: String {
    "\(dateTime)\(offsetText)"
  }

  /// `+01:00`; seconds are given only where a zone has them.
  public var offsetText: String {
    let distance = abs(utcOffsetSeconds)
    let seconds = distance % 60 == 0 ? "" : ":\(twoDigits(distance % 60))"
    return (utcOffsetSeconds < 0 ? "-" : "+")
      + "\(twoDigits(distance / 3600)):\(twoDigits(distance / 60 % 60))\(seconds)"
  }
}

/// At least two digits, with a leading zero.
public func twoDigits(_ number: Int) -> String {
  number < 10 ? "0\(number)" : "\(number)"
}

extension Instant {
  /// The instant at which UTC shows `time`.
  public init(utc time: CivilDateTime) {
    let days = CivilDate(of: time).dayNumber
    self.init(seconds: Int64(days * 86_400 + time.minuteOfDay * 60 + time.second))
  }

  /// The first instant after this one at which the clocks no longer show the minute that is said.
  public func endOfMinute(of said: CivilTime) -> Instant {
    Instant(seconds: seconds + 60 - Int64(said.dateTime.second))
  }
}

/// A time zone: what its clocks show at an instant, and at which instants they show a time.
public protocol Zone {
  /// The name in the tz database, or the path of the zone file if the name is not known.
  var name: String { get }

  /// What the clocks of the zone show at `instant`.
  func civil(at instant: Instant) -> CivilTime

  /// The instants at which the clocks show `time`, in order. Usually there is one. There is none if
  /// clocks are put forward over it, and there are two if they are put back over it.
  func instants(of time: CivilDateTime) -> [Instant]
}
