import Testing

@testable import Horology

@Suite struct QuartersTests {
  @Test("a step of the clock and a sleep are told apart, each once") func stepAndSleep() {
    let start = Now("2026-11-21T15:00:00", running: .seconds(100))
    var quarters = Quarters(at: start)
    let later = start.set(by: .seconds(-7)).asleep(for: .seconds(60)).later(by: .seconds(5))
    let change = quarters.clocksShow(later, .quarter)
    #expect(change == (step: .seconds(-7), sleep: .seconds(60)))
    let again = quarters.clocksShow(later, .quarter)
    #expect(again == (step: .zero, sleep: .zero))
  }
}
