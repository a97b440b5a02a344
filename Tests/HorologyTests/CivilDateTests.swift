import Testing

@testable import Horology

@Suite struct CivilDateTests {
  @Test("the days from 1697 to 2257 have their numbers") func dayNumbers() {
    for number in -99_500...105_000 {
      let date = CivilDate(dayNumber: number)
      let shown = TestZone.utc.civil(at: Instant(seconds: Int64(number) * 86_400))
      if CivilDate(of: shown.dateTime) != date || date.dayNumber != number
        || date.weekday != shown.weekday
      {
        Issue.record("\(number): \(date)")
        return
      }
    }
  }
}
