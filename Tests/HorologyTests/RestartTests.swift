import Horology
import Testing

/// After a restart, a service knows which occasion sounded last.
@Suite struct RestartTests {
  private static let quarter = Instant("2026-11-21T15:15:00")

  /// A service on which 15:15 has sounded, before it stops.
  private func stopped() -> Desk {
    var desk = Desk(at: "2026-11-21T15:14:56")
    desk.wait(until: "2026-11-21T15:15:02")
    desk.end(.finished(.exact))
    return desk
  }

  @Test("what has sounded is known to the next start") func lastSounded() {
    #expect(Desk(at: "2026-11-21T15:14:56").announcer.lastSounded == nil)
    #expect(stopped().announcer.lastSounded == Self.quarter)
    let next = Desk(at: "2026-11-21T15:20:00", sounded: Self.quarter)
    #expect(next.announcer.lastSounded == Self.quarter, "and to the one after it")
  }

  @Test("a clock that is more than an interval before what has sounded was wrong then")
  func wrongBefore() {
    var desk = Desk(at: "2026-11-21T14:59:59", sounded: Self.quarter)
    #expect(desk.announcer.lastSounded == nil)
    desk.wait(until: "2026-11-21T15:00:01")
    desk.end(.finished(.exact))
    desk.wait(until: "2026-11-21T15:14:57")
    #expect(desk.played == "15:15:00")
  }

  @Test("of a clock that was set back by more than an interval, nothing is known later")
  func setFarBack() {
    var desk = stopped()
    desk.step(by: .seconds(-20 * 60))
    #expect(desk.announcer.lastSounded == nil)
    // The same in the middle of the words.
    desk = Desk(at: "2026-11-21T15:14:56")
    desk.wait(until: "2026-11-21T15:15:01")
    desk.step(by: .seconds(-20 * 60))
    desk.end(.stopped(.clockSet, silentAt: desk.now.uptime))
    #expect(desk.announcer.lastSounded == nil)
  }

  @Test("what was stopped before its anchor has not sounded", arguments: [nil, Uptime(seconds: 1)])
  func stoppedBefore(silentAt: Uptime?) {
    var desk = Desk(at: "2026-11-21T15:14:56")
    desk.tell(.stop(.serviceEnds))
    desk.end(.stopped(.serviceEnds, silentAt: silentAt))
    #expect(desk.announcer.lastSounded == nil)
  }

  @Test("what was cut off after its anchor has sounded") func cutOff() {
    var desk = Desk(at: "2026-11-21T15:14:56")
    desk.wait(until: "2026-11-21T15:15:01")
    desk.tell(.stop(.serviceEnds))
    desk.end(.stopped(.serviceEnds, silentAt: desk.now.uptime))
    #expect(desk.announcer.lastSounded == Self.quarter)
  }
}
