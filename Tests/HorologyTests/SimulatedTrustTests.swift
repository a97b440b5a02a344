import Testing

@testable import Horology

/// Faults that clocksmith-simulate found in what follows a step of the clock or a change of trust.
@Suite struct SimulatedTrustTests {
  /// A melody of one blow, 20 s before the hour.
  private static let note = Tune(
    name: "test", description: "",
    movements: [
      0: Tune.Movement(
        melody: [Blow(bell: "E3", offset: .zero)], lead: .seconds(20), strikes: nil,
        rest: .seconds(1))
    ])

  @Test("a chime whose first blow was heard is not told as skipped after a sleep")
  func heardAndSkipped() {
    var desk = Desk(at: "2026-11-21T16:50:00") { $0.chime = Self.note }
    desk.wait(until: "2026-11-21T16:59:35")
    #expect(desk.played?.prefix(5) == "17:00")
    desk.wait(until: "2026-11-21T16:59:59", plus: .milliseconds(569))
    // The blow of the hour is queued, and does not follow the clock any more.
    desk.step(by: .milliseconds(-187))
    desk.now = desk.now.later(by: .milliseconds(450))
    desk.sleep(for: .seconds(745))
    desk.end(.failed("it slept", heard: .anchor))
    let told = desk.reports.compactMap { report -> String? in
      if case .brokeOff(_, let why) = report { why } else { nil }
    }
    #expect(told == ["it slept"])
    #expect(desk.skips.isEmpty)
    #expect(desk.announcer.next.instant == Instant("2026-11-21T17:15:00"))
  }

  @Test(
    "an alarm that came due by an untrusted clock rings once that may speak, if it was of this zone",
    arguments: [false, true])
  func promisedByZoneBefore(moves: Bool) throws {
    var desk = AlarmDesk(at: "2026-11-21T12:00:00")
    try desk.set("07:00", "mon-sun")
    desk.isTrusted = false
    if moves { desk.zone = .fixed(minutes: -210) }
    desk.alarms.reckon(at: desk.now, desk.conditions)
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(desk.events == (moves ? [] : [.silenced(.untrusted)]))
    desk.speaksUntrusted = true
    desk.alarms.reckon(at: desk.now, desk.conditions)
    desk.wait(for: .milliseconds(400))
    #expect(desk.events == (moves ? [] : [.rings(late: nil)]))
    #expect(desk.next == [moves ? "2026-11-22T10:30:00" : nil])
  }

  @Test("it rings, too, if the zone changes only after it came due") func zoneAfterwards() throws {
    var desk = AlarmDesk(at: "2026-11-21T12:00:00")
    try desk.set("07:00", "mon-sun")
    desk.isTrusted = false
    desk.alarms.reckon(at: desk.now, desk.conditions)
    desk.wait(until: "2026-11-22T07:00:00")
    desk.zone = .fixed(minutes: 60)
    desk.alarms.reckon(at: desk.now, desk.conditions)
    desk.wait(until: "2026-11-22T07:01:00")
    desk.speaksUntrusted = true
    desk.alarms.reckon(at: desk.now, desk.conditions)
    desk.settle()
    #expect(desk.events == [.rings(late: .seconds(60))])
  }
}
