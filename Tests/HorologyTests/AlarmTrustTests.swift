import Testing

@testable import Horology

/// Alarms by a clock that is untrusted, and trusted later.
@Suite struct AlarmTrustTests {
  private static let evening = "2026-11-21T22:00:00"

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
    #expect(seen.first?.0 == .ringsAgain())
    #expect(seen.first?.1 == Instant("2026-11-22T07:10:00"))
  }

  @Test("by a clock that may be wrong no snooze is over for good") func snoozeUntrusted() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze(nil))
    desk.isTrusted = false
    desk.restart(after: .seconds(7200), isSameBoot: false)
    #expect(desk.events == [.ringsAgain()])
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
    "with untrusted = speak, too, what was set before the clock was right rings by the right one",
    arguments: [nil, "mon-sun"] as [String?])
  func setSpeaking(days: String?) throws {
    var desk = AlarmDesk(at: "1970-01-01T06:59:00", isTrusted: false)
    desk.speaksUntrusted = true
    try desk.set("07:00", days)
    desk.wait(for: .seconds(30))
    desk.step(to: "2026-11-22T06:00:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-22T07:00:00"])
    // By the right clock the alarm was set at 06:59:20. Its time has come since, so it rings late.
    desk = AlarmDesk(at: "1970-01-01T00:00:00", isTrusted: false)
    desk.speaksUntrusted = true
    try desk.set("07:00", days)
    desk.wait(for: .seconds(60))
    desk.step(to: "2026-11-22T07:00:20", isTrusted: true)
    #expect(desk.events == [.rings(late: .seconds(20))])
  }

  @Test("with untrusted = speak it rings by the clock that there is, before that is right")
  func ringsSpeaking() throws {
    var desk = AlarmDesk(at: "1970-01-01T06:59:00", isTrusted: false)
    desk.speaksUntrusted = true
    try desk.set("07:00", "mon-sun")
    #expect(desk.live(for: .seconds(70)).map(\.0) == [.rings(late: nil)])
    try desk.take(.stop(nil))
    desk.step(to: "2026-11-22T06:00:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-22T07:00:00"])
  }

  @Test(
    "with untrusted = speak, too, what a right clock promised outlasts a start in the past",
    arguments: [nil, "mon-sun", "2026-11-22"] as [String?])
  func promisedSpeaking(days: String?) throws {
    var desk = AlarmDesk(at: Self.evening)
    desk.speaksUntrusted = true
    try desk.set("07:00", days)
    desk.isTrusted = false
    desk.now = Now(
      instant: Instant(seconds: 5), uptime: Uptime(seconds: 5), sinceBoot: .seconds(5))
    desk.restart(after: .seconds(5), isSameBoot: false)
    #expect(desk.events.isEmpty)
    desk.step(to: "2026-11-22T06:30:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-22T07:00:00"])
    let seen = desk.live(for: .seconds(1800))
    #expect(seen.map(\.0) == [.rings(late: nil)])
  }

  @Test("by a clock ahead that speaks untrusted, no alarm of a right clock is over")
  func promisedAhead() throws {
    for days in [nil, "mon-sun", "2026-11-22"] {
      var desk = AlarmDesk(at: Self.evening)
      desk.speaksUntrusted = true
      try desk.set("07:00", days)
      desk.step(to: "2031-03-01T06:00:00", isTrusted: false)
      #expect(desk.events.isEmpty)
      #expect(desk.next == [days == "2026-11-22" ? nil : "2031-03-01T07:00:00"])
      desk.step(to: "2026-11-22T07:05:00", isTrusted: true)
      #expect(desk.events == [.rings(late: .seconds(300))])
    }
  }

  @Test("of an alarm whose time waits for a right clock the list tells that") func promisedListed()
    throws
  {
    var desk = Desk(at: Self.evening) { $0.untrusted = .speak }
    desk.tell(.alarm(.set(try AlarmDesk.plan("07:00", "2026-11-22"))))
    func reason() throws -> SkipReason? {
      desk.announcer.refusal(of: try #require(desk.announcer.alarms.alarms.first))
    }
    #expect(try reason() == nil)
    desk.tell(.trust(.untrusted))
    desk.step(by: .seconds(2 * 86_400))
    #expect(desk.announcer.alarms.alarms.first?.next == nil)
    #expect(try reason() == .untrusted)
  }

  @Test("what a clock that may not speak any more has reckoned counts no longer")
  func speaksNoMore() throws {
    var desk = AlarmDesk(at: Self.evening)
    desk.speaksUntrusted = true
    try desk.set("07:00", "mon-sun")
    desk.step(to: "2026-11-10T06:00:00", isTrusted: false)
    #expect(desk.next == ["2026-11-10T07:00:00"])
    desk.speaksUntrusted = false
    desk.configure([])
    #expect(desk.next == ["2026-11-22T07:00:00"])
    #expect(desk.live(for: .seconds(86_400)).isEmpty)
  }

  @Test("an alarm of a right clock that a wrong one sleeps over is told once that is right")
  func sleptOver() throws {
    var desk = AlarmDesk(at: Self.evening)
    desk.speaksUntrusted = true
    try desk.set("07:00", "mon-sun")
    desk.isTrusted = false
    desk.wait(until: "2026-11-22T08:00:00")
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-23T07:00:00"])
    desk.step(to: "2026-11-22T08:00:01", isTrusted: true)
    #expect(desk.events == [.expired(late: .seconds(3601))])
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test("with untrusted = speak, too, a snooze of before a start in 1970 waits for the clock")
  func snoozeSpeaking() throws {
    for shown in [Instant(seconds: 5), Instant("2031-03-01T06:00:00")] {
      var desk = AlarmDesk(at: Self.evening)
      desk.speaksUntrusted = true
      try desk.set("07:00")
      desk.wait(until: "2026-11-22T07:00:00")
      try desk.take(.snooze(nil))
      desk.isTrusted = false
      desk.now = Now(instant: shown, uptime: Uptime(seconds: 5), sinceBoot: .seconds(5))
      desk.restart(after: .seconds(5), isSameBoot: false)
      // A clock that is ahead shows a time after the end of the snooze, so the alarm rings.
      #expect(desk.events == (shown.seconds > 5 ? [.ringsAgain()] : []))
      guard shown.seconds == 5 else { continue }
      desk.step(to: "2026-11-22T07:08:00", isTrusted: true)
      let seen = desk.live(for: .seconds(900))
      #expect(seen.first?.0 == .ringsAgain())
      #expect(seen.first?.1 == Instant("2026-11-22T07:10:00"))
    }
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

  @Test("by a clock that may be wrong no day is over") func dayUntrusted() throws {
    var desk = AlarmDesk(at: "2030-01-01T00:00:00", isTrusted: false)
    try desk.set("08:00", "2026-11-22")
    desk.settle()
    #expect(desk.events == [.silenced(.untrusted)])
    desk.step(to: "2026-11-21T22:00:00", isTrusted: true)
    #expect(desk.live(for: .seconds(43_200)).map(\.0) == [.rings(late: nil), .missed])
  }
}
