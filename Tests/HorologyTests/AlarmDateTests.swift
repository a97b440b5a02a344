import Testing

@testable import Horology

/// An alarm rings at most once for a date of its zone, and only a clock that it goes by judges it.
@Suite struct AlarmDateTests {
  private static let evening = "2026-11-21T22:00:00"

  private func desk(isTrusted: Bool = true) throws -> AlarmDesk {
    var desk = AlarmDesk(at: Self.evening, isTrusted: isTrusted)
    try desk.set("07:00", "mon-sun")
    return desk
  }

  @Test(
    "what an untrusted clock did not judge rings late with the trust, up to ring_limit",
    arguments: [
      (300, ReminderEvent.rings(.due(late: .seconds(300)))),
      (7200, .expired(late: .seconds(7200))),
    ])
  func trustComes(late: Int, event: ReminderEvent) throws {
    var desk = try desk()
    desk.step(to: "2026-11-21T22:00:01", isTrusted: false)
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(desk.events == [.silenced(.untrusted)])
    desk.wait(for: .seconds(late))
    #expect(desk.events.isEmpty)
    desk.step(to: "2026-11-22T07:00:00", plus: .seconds(late), isTrusted: true)
    #expect(desk.events == [event])
    #expect(desk.live(for: .seconds(3600)).map(\.0).filter { $0 != .missed(nil) }.isEmpty)
  }

  @Test("a wrong clock rings nothing and forgets nothing, however far it is off") func wrongClock()
    throws
  {
    var desk = try desk()
    for shown in ["1970-01-01T00:00:00", "2038-01-01T06:59:59"] {
      desk.step(to: shown, isTrusted: false)
      desk.wait(for: .seconds(86_400))
    }
    desk.step(to: "2026-11-22T06:59:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-22T07:00:00"])
  }

  @Test("set while nobody knew the time, it is never missed, and rings late up to ring_limit")
  func setUntrusted() throws {
    for (shown, event) in [
      ("2026-11-25T07:05:00", ReminderEvent.rings(.due(late: .seconds(300)))),
      ("2026-11-25T12:00:00", nil),
    ] {
      var desk = try desk(isTrusted: false)
      desk.step(to: shown, isTrusted: true)
      #expect(desk.events == [event].compactMap { $0 })
    }
  }

  @Test("with untrusted = speak it rings by that clock, and not again for the same date")
  func speaks() throws {
    var desk = try desk(isTrusted: false)
    desk.speaksUntrusted = true
    desk.step(to: "2026-11-22T06:59:00")
    desk.wait(for: .seconds(60))
    #expect(desk.events == [.rings(.due(late: nil))])
    try desk.take(.stop(nil))
    desk.step(to: "2026-11-22T07:03:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test(
    "with untrusted = speak what was due in a restart rings late, and nothing is told as missed")
  func speaksOverRestart() throws {
    var desk = try desk(isTrusted: false)
    desk.speaksUntrusted = true
    desk.restart(after: .seconds(9 * 3600 + 300), isSameBoot: false)
    #expect(desk.events == [.rings(.due(late: .seconds(300)))])
    try desk.take(.stop(nil))
    desk.step(to: "2027-03-01T06:00:00")
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2027-03-01T07:00:00"])
  }

  @Test(
    "what a change of zone steps over rings late, or is told as missed; over a restart, too",
    arguments: [
      (70, ReminderEvent.rings(.due(late: .seconds(600)))), (120, .expired(late: .seconds(3600))),
    ])
  func zone(minutes: Int, event: ReminderEvent) throws {
    for isRestarted in [true, false] {
      try expectAfterChange(minutes: minutes, event, isRestarted: isRestarted)
    }
  }

  private func expectAfterChange(
    minutes: Int, _ event: ReminderEvent, isRestarted: Bool
  ) throws {
    var desk = try desk()
    desk.wait(until: "2026-11-22T06:00:00")
    desk.zone = .fixed(minutes: minutes)
    if isRestarted {
      desk.restart(after: .zero, isSameBoot: true)
    } else {
      desk.reminders.planAlarms(at: desk.now, desk.rules)
      desk.settle()
    }
    #expect(desk.events == [event])
  }

  @Test("in a zone that is behind it does not ring again for the date that it rang for")
  func zoneBehind() throws {
    var desk = try desk()
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.stop(nil))
    desk.zone = .fixed(minutes: -300)
    desk.restart(after: .seconds(60), isSameBoot: false)
    #expect(desk.next == ["2026-11-23T12:00:00"])
  }

  @Test(
    "set in a wrong zone it rings at the first time to come in the right one, and none was missed")
  func zoneCorrected() throws {
    var desk = AlarmDesk(at: "2026-11-21T14:00:00")
    try desk.set("12:00", "mon-sun")
    #expect(desk.next == ["2026-11-22T12:00:00"])
    desk.zone = .fixed(minutes: -300)
    desk.reminders.planAlarms(at: desk.now, desk.rules)
    #expect(desk.next == ["2026-11-21T17:00:00"])
    var east = AlarmDesk(at: "2026-11-21T06:30:00")
    try east.set("07:00")
    east.zone = .fixed(minutes: 60)
    east.reminders.planAlarms(at: east.now, east.rules)
    east.settle()
    #expect(east.events.isEmpty && east.next == ["2026-11-22T06:00:00"])
  }

  @Test("set back to before it was set, it rings at the first time to come") func setBack() throws {
    var desk = AlarmDesk(at: "2026-11-22T08:00:00")
    try desk.set("07:00", "mon-sun")
    desk.step(to: "2026-11-21T20:00:00")
    #expect(desk.next == ["2026-11-22T07:00:00"])
  }

  @Test("a skipped time that rings on the next date does not take that date's own ring")
  func skippedOverMidnight() throws {
    // As in America/Nuuk: at 23:00 clocks go to 00:00.
    let change = Instant("2026-03-29T01:00:00")
    var desk = AlarmDesk(at: "2026-03-28T20:00:00")
    desk.zone = .changing(from: -7200, to: -3600, at: change.seconds)
    try desk.set("23:30", "mon-sun")
    #expect(desk.next == ["2026-03-29T01:30:00"])
    desk.wait(until: "2026-03-29T01:30:00")
    try desk.take(.stop(nil))
    #expect(desk.next == ["2026-03-30T00:30:00"])
  }

  @Test("alarms of one instant begin together, however unevenly the clocks are read")
  func unevenClocks() throws {
    var desk = AlarmDesk(at: Self.evening)
    for _ in 1...3 {
      try desk.set("07:00", "mon-sun")
      desk.now = Now(
        instant: desk.now.instant + .microseconds(3), uptime: desk.now.uptime,
        sinceBoot: desk.now.sinceBoot)
      desk.reminders.followClock(at: desk.now) { $0 == .alarm(2) }
    }
    let moments = Set(desk.alarms.map { "\($0.state)" })
    #expect(moments.count == 1)
  }
}
