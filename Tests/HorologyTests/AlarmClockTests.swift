import Testing

@testable import Horology

/// Alarms when the clock is set or the zone changes.
@Suite struct AlarmClockTests {
  private static let evening = "2026-11-21T22:00:00"

  // MARK: Set

  @Test("by more than a day, in one step or many: the past is forgotten", arguments: [1, 3])
  func farBack(steps: Int) throws {
    var desk = AlarmDesk(at: "2026-11-23T22:00:00")
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-24T07:00:00")
    try desk.take(.stop(nil))
    for step in 1...steps {
      let hours = 30 / steps * step
      desk.step(
        to: TestZone.utc.civil(at: Instant("2026-11-24T07:30:00") - .seconds(3600 * hours))
          .dateTime.description)
    }
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test("the same after a start with a clock that is so far behind") func startFarBack() throws {
    var desk = AlarmDesk(at: "2026-11-23T22:00:00")
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-24T07:00:00")
    try desk.take(.stop(nil))
    desk.restart(after: .seconds(-30 * 3600), isSameBoot: false)
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test("the same while it rings or snoozes", arguments: [true, false])
  func farBackInRing(isSnoozing: Bool) throws {
    var desk = AlarmDesk(at: "2026-11-23T22:00:00")
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-24T07:00:00")
    if isSnoozing { try desk.take(.snooze(nil)) }
    desk.step(to: "2026-11-22T12:00:00")
    try desk.take(.stop(nil))
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test("a clock that is set moves no ring_limit") func ringLimit() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00")
    desk.step(to: "2026-11-22T12:00:00")
    #expect(desk.events.isEmpty)
    #expect(desk.live(for: .seconds(900)).map(\.0) == [.missed(nil)])
  }

  // MARK: The zone

  @Test(
    "no clock is too far off",
    arguments: [Int64.min + 1, -1, 0, 7_258_118_400_000_000_000, Int64.max - 4_000_000_000_000_000])
  func extremes(nanoseconds: Int64) throws {
    for isTrusted in [true, false] {
      var desk = AlarmDesk(at: "2199-12-30T12:00:00")
      try desk.set("07:00", "mon-sun")
      try desk.set("07:00", "2199-12-31")
      desk.isTrusted = isTrusted
      desk.now = Now(
        instant: Instant(nanoseconds: nanoseconds), uptime: Uptime(seconds: 1),
        sinceBoot: .seconds(1))
      desk.settle()
      desk.reminders.planAlarms(at: desk.now, desk.rules)
      desk.settle()
      _ = desk.reminders.nextDue(desk.rules)
      _ = try? desk.set("07:00", "mon")
      #expect(desk.alarms.count >= 1)
    }
  }
}
