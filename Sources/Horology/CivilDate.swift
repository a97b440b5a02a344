/// A day of the Gregorian calendar, in no zone in particular.
public struct CivilDate: Hashable, Sendable {
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let day: Int

  /// The years that clocksmith knows, so that no sum overflows.
  public static let years = 1970...2200

  /// `YYYY-MM-DD`; nil for anything else, for a day that does not exist, such as 30 February, and
  /// for a year that is not one of `years`.
  public init?(text: some StringProtocol) {
    guard let midnight = CivilDateTime(text: "\(text)T00:00") else { return nil }
    self.init(of: midnight)
  }

  /// The date that a clock has shown: not checked, and of any year.
  init(of time: CivilDateTime) {
    (year, month, day) = (time.year, time.month, time.day)
  }

  /// Days since 1970-01-01; negative before it.
  public var dayNumber: Int {
    // A year that begins in March has its leap day at its end. So each month begins a number of
    // days into it that does not depend on the year: 0, 31, 61, 92 and on.
    let monthsSinceMarch = (month + 9) % 12
    let marchYear = month < 3 ? year - 1 : year
    let leapDays =
      marchYear.flooredQuotient(by: 4) - marchYear.flooredQuotient(by: 100)
      + marchYear.flooredQuotient(by: 400)
    // 719 468 days lie between 1 March of the year 0 and 1970.
    return marchYear * 365 + leapDays + (monthsSinceMarch * 153 + 2) / 5 + day - 1 - 719_468
  }

  /// The day this many days after 1970-01-01.
  public init(dayNumber: Int) {
    // 146 097 days are 400 years. The last of four centuries, and of four years, is a day longer.
    let days = dayNumber + 719_468
    let era = days.flooredQuotient(by: 146_097)
    let ofEra = days.flooredRemainder(by: 146_097)
    let century = min(ofEra / 36_524, 3)
    let ofCentury = ofEra - century * 36_524
    let fourYears = ofCentury / 1461
    let ofFourYears = ofCentury - fourYears * 1461
    let yearOfFour = min(ofFourYears / 365, 3)
    let ofYear = ofFourYears - yearOfFour * 365
    let monthsSinceMarch = (ofYear * 5 + 2) / 153
    let marchYear = era * 400 + century * 100 + fourYears * 4 + yearOfFour
    day = ofYear - (monthsSinceMarch * 153 + 2) / 5 + 1
    month = (monthsSinceMarch + 2) % 12 + 1
    year = month < 3 ? marchYear + 1 : marchYear
  }

  public var weekday: Weekday {
    // 1970-01-01 was a Thursday.
    Weekday(rawValue: (dayNumber + Weekday.thursday.rawValue).flooredRemainder(by: 7))!
  }
}

extension CivilDate: CustomStringConvertible {
  /// `2026-11-21`.
  public var description: String { "\(year)-\(twoDigits(month))-\(twoDigits(day))" }
}
