import Horology
import Testing

@Suite struct ScheduleTests {
  @Test("only divisors of sixty are intervals") func divisors() {
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

  @Test("clocks that change off every grid keep their occasions") func offEveryGrid() {
    let change = Instant("2026-05-05T10:07:13").seconds
    let zone = TestZone.changing(from: 0, to: 1_234, at: change)
    let occasions = Schedule(interval: .quarter, zone: zone)
      .occasions(from: Instant("2026-05-05T10:00:00")).prefix(3)
    #expect(occasions.map(\.civil.dateTime.timeOfDay) == ["10:00:00", "10:30:00", "10:45:00"])
  }
}
