import Glibc
import Testing

@testable import Horology

@Suite struct CivilDateTests {
  @Test("the days from 1697 to 2257 are those of glibc") func days() {
    for number in -99_500...105_000 {
      let date = CivilDate(dayNumber: number)
      var (seconds, fields) = (time_t(number * 86_400), tm())
      gmtime_r(&seconds, &fields)
      let isSame =
        Int(fields.tm_year) + 1900 == date.year && Int(fields.tm_mon) + 1 == date.month
        && Int(fields.tm_mday) == date.day && Int(fields.tm_wday) == date.weekday.rawValue
      if !isSame || date.dayNumber != number {
        Issue.record("\(number): \(date)")
        return
      }
    }
  }
}
