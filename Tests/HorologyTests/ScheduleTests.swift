import TestSupport
import Testing

@testable import Horology

@Suite struct ScheduleTests {
  private func times(
    _ zone: TestZone, _ minutes: Int, from start: String, count: Int
  ) -> [String] {
    Schedule(interval: Interval(minutes: minutes)!, zone: zone)
      .occasions(from: Instant(start)).prefix(count).map(\.civil.dateTime.timeOfDay)
  }

  @Test("only divisors of sixty are intervals", .rule("wall-clock")) func divisors() {
    let allowed = (-60...120).filter { Interval(minutes: $0) != nil }
    #expect(allowed == [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60])
  }

  @Test("an occasion is not after itself") func notAfterItself() {
    let schedule = Schedule(interval: .quarter, zone: TestZone.utc)
    let quarter = Instant("2026-11-21T15:15:00")
    #expect(schedule.next(after: quarter).instant == Instant("2026-11-21T15:30:00"))
    #expect(schedule.next(after: quarter - .nanoseconds(1)).instant == quarter)
    #expect(schedule.last(atOrBefore: quarter).instant == quarter)
  }

  @Test("clocks that change off every grid keep their occasions", .rule("wall-clock"))
  func offEveryGrid() {
    let change = Instant("2026-05-05T10:07:13").seconds
    let zone = TestZone.changing(from: 0, to: 1_234, at: change)
    #expect(
      times(zone, 15, from: "2026-05-05T10:00:00", count: 3) == [
        "10:00:00", "10:30:00", "10:45:00",
      ]
    )
  }

  @Test("the last occasion is the one before the next", arguments: [1, 15, 60])
  func last(minutes: Int) {
    let change = Instant("2026-10-25T01:00:00").seconds
    let zone = TestZone.changing(from: 7200, to: 3600, at: change)
    let schedule = Schedule(interval: Interval(minutes: minutes)!, zone: zone)
    for offset in stride(from: Int64(-20_000), to: 20_000, by: 79) {
      let instant = Instant(seconds: change + offset)
      let last = schedule.last(atOrBefore: instant)
      #expect(last.instant <= instant)
      #expect(schedule.next(after: last.instant).instant > instant)
    }
  }
}
