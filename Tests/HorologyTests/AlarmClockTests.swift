import Testing

@testable import Horology

/// A clock that is set, or may be wrong, and a zone that is changed.
@Suite struct AlarmClockTests {
  private static let evening = "2026-11-21T22:00:00"

  // MARK: Set

  @Test(
    "set over it, it rings late within ring_limit, and has expired later",
    arguments: [("2026-11-22T07:10:00", true), ("2026-11-22T07:16:00", false)])
  func forward(to: String, rings: Bool) throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.step(to: to)
    #expect(
      desk.events == (rings ? [.rings(late: .seconds(600))] : [.expired(late: .seconds(960))]))
  }

  @Test("a step back over what was acknowledged does not repeat it, over a restart either")
  func back() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.stop(nil))
    desk.step(to: "2026-11-22T06:00:00")
    #expect(desk.next == ["2026-11-23T07:00:00"])
    desk.restart(after: .seconds(1800), isSameBoot: false)
    #expect(desk.next == ["2026-11-23T07:00:00"])
    #expect(desk.live(for: .seconds(7200)).isEmpty)
  }

  @Test("set back while it rings, what is stopped then does not ring again") func backInRing()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-22T07:00:00")
    desk.step(to: "2026-11-22T06:00:00")
    #expect(desk.alarms.isRinging)
    try desk.take(.stop(nil))
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

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

  @Test("how far back is counted from the latest that the clock has shown") func farBackAtLast()
    throws
  {
    var desk = AlarmDesk(at: "2026-11-23T22:00:00")
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-24T07:00:00")
    try desk.take(.stop(nil))
    // Nothing has been due since.
    desk.now = desk.now.later(by: .seconds(86_000))
    desk.step(to: "2026-11-24T06:30:00")
    #expect(desk.next == ["2026-11-24T07:00:00"])
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

  @Test("a step back to before it was set brings it nearer") func backBeforeSet() throws {
    var desk = AlarmDesk(at: "2026-11-22T08:00:00")
    try desk.set("07:00", "mon-sun")
    #expect(desk.next == ["2026-11-23T07:00:00"])
    desk.step(to: "2026-11-22T06:00:00")
    #expect(desk.next == ["2026-11-22T07:00:00"])
  }

  @Test(
    "a clock that is set moves no snooze",
    arguments: ["2026-11-22T05:00:00", "2026-11-22T09:00:00", "2026-11-22T07:03:00"])
  func snooze(to: String) throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze(nil))
    desk.step(to: to)
    let seen = desk.live(for: Alarm.snooze)
    #expect(seen.map(\.0) == [.ringsAgain])
    #expect(seen.first?.1 == Instant(to) + Alarm.snooze)
  }

  @Test("a clock that is set moves no ring_limit") func ringLimit() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00")
    desk.step(to: "2026-11-22T12:00:00")
    #expect(desk.events.isEmpty)
    #expect(desk.live(for: .seconds(900)).map(\.0) == [.missed])
  }

  // MARK: The zone

  @Test("in another zone it rings by that one's clocks") func zone() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    try desk.set("23:30", "mon-sun")
    desk.zone = .fixed(minutes: 60)
    desk.alarms.reckon(at: desk.now, desk.conditions)
    #expect(desk.next == ["2026-11-22T06:00:00", "2026-11-21T22:30:00"])
  }

  @Test("the zone was changed while the service was not there") func zoneBetween() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.zone = .fixed(minutes: -120)
    desk.restart(after: .seconds(60), isSameBoot: true)
    #expect(desk.next == ["2026-11-22T09:00:00"])
  }

  // MARK: Not to be trusted

  @Test("by a clock that is not trusted it does not ring, and that is told once") func untrusted()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.isTrusted = false
    let seen = desk.live(for: .seconds(3 * 86_400))
    #expect(seen.map(\.0) == [.silenced(.untrusted)])
    #expect(desk.alarms.nextDue(at: desk.now, desk.conditions) == nil)
    #expect(!desk.alarms.isRinging)
  }

  @Test("not trusted for a second time, it is told again") func untrustedAgain() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    for _ in 1...2 {
      desk.isTrusted = false
      #expect(desk.live(for: .seconds(86_400)).map(\.0) == [.silenced(.untrusted)])
      desk.isTrusted = true
      desk.settle()
    }
  }

  @Test("trusted again, it rings late if it is not too late") func trustedLate() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.isTrusted = false
    desk.wait(until: "2026-11-22T07:00:00")
    desk.isTrusted = true
    desk.wait(for: .seconds(300))
    #expect(desk.events == [.rings(late: .seconds(300))])
  }

  @Test("the clock was ahead: set right, it rings at its time") func wasAhead() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.isTrusted = false
    desk.wait(until: "2026-11-22T07:00:00")
    desk.step(to: "2026-11-22T05:00:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.live(for: .seconds(7200)).map(\.0) == [.rings(late: nil)])
  }

  @Test("a start in 1970 forgets nothing, and expires nothing") func epoch() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.stop(nil))
    desk.isTrusted = false
    desk.now = Now(
      instant: Instant(seconds: 5), uptime: Uptime(seconds: 5), sinceBoot: .seconds(5))
    desk.restart(after: .seconds(5), isSameBoot: false)
    #expect(desk.live(for: .seconds(90_000)).isEmpty)
    desk.step(to: "2026-11-22T07:10:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    desk.step(to: "2026-11-22T06:50:00")
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test("a start in 1970 changes nothing of when it rings next") func nextInEpoch() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.isTrusted = false
    desk.now = Now(
      instant: Instant(seconds: 5), uptime: Uptime(seconds: 5), sinceBoot: .seconds(5))
    desk.restart(after: .seconds(5), isSameBoot: false)
    #expect(desk.live(for: .seconds(90_000)).isEmpty)
    desk.step(to: "2026-11-22T07:05:00", isTrusted: true)
    #expect(desk.events == [.rings(late: .seconds(300))])
  }

  @Test("a snooze of before a start in 1970 waits for the clock") func snoozeInEpoch() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze(nil))
    desk.isTrusted = false
    desk.now = Now(
      instant: Instant(seconds: 5), uptime: Uptime(seconds: 5), sinceBoot: .seconds(5))
    desk.restart(after: .seconds(5), isSameBoot: false)
    desk.step(to: "2026-11-22T07:08:00", isTrusted: true)
    let seen = desk.live(for: .seconds(900))
    #expect(seen.first?.0 == .ringsAgain)
    #expect(seen.first?.1 == Instant("2026-11-22T07:10:00"))
  }

  @Test("by a clock that may be wrong no snooze is over for good") func snoozeUntrusted() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze(nil))
    desk.isTrusted = false
    desk.restart(after: .seconds(7200), isSameBoot: false)
    #expect(desk.events == [.ringsAgain])
  }

  @Test("set by a clock that is wrong, it rings next by the right one") func setUntrusted() throws {
    var desk = AlarmDesk(at: "1970-01-01T00:01:00", isTrusted: false)
    try desk.set("07:00")
    try desk.set("06:00", "mon-sun")
    try desk.set("08:00", "2026-11-22")
    desk.wait(for: .seconds(600))
    desk.step(to: "2026-11-21T22:00:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(
      desk.next == ["2026-11-22T07:00:00", "2026-11-22T06:00:00", "2026-11-22T08:00:00"])
  }

  @Test(
    "set by a clock that proves right, it rings late",
    arguments: [String?.none, "2026-11-22T07:05:02"] as [String?])
  func provedRight(step: String?) throws {
    var desk = AlarmDesk(at: "2026-11-22T06:50:00", isTrusted: false)
    try desk.set("07:00")
    desk.wait(for: .seconds(900))
    #expect(desk.events == [.silenced(.untrusted)])
    if let step {
      desk.step(to: step, isTrusted: true)
    } else {
      desk.isTrusted = true
      desk.settle()
    }
    #expect(desk.events == [.rings(late: .seconds(step == nil ? 300 : 302))])
  }

  @Test("set by a wrong clock before a power cut, it counts from the start") func setThenPowerCut()
    throws
  {
    var desk = AlarmDesk(at: "1970-01-01T00:01:00", isTrusted: false)
    try desk.set("07:00")
    desk.restart(after: .seconds(60), isSameBoot: false)
    desk.step(to: "2026-11-22T06:00:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-22T07:00:00"])
  }

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
      desk.alarms.reckon(at: desk.now, desk.conditions)
      desk.settle()
      _ = desk.alarms.nextDue(at: desk.now, desk.conditions)
      _ = try? desk.set("07:00", "mon")
      #expect(desk.alarms.alarms.count >= 1)
    }
  }
}
