import Testing

@testable import Horology

/// With a latency offset, a sound leaves the converter that much before its instant. So it is begun
/// that much earlier.
@Suite struct LatencyOffsetTests {
  private static let start = "2026-11-21T15:01:00"

  private func desk(_ offset: Duration = .seconds(5)) -> Desk {
    Desk(at: Self.start) { $0.latencyOffset = offset }
  }

  @Test("an occasion is prepared so much earlier") func occasion() {
    var desk = desk()
    #expect(desk.wake == Instant("2026-11-21T15:15:00") - .seconds(10))
    desk.wait(until: "2026-11-21T15:14:50")
    #expect(desk.anchor == Instant("2026-11-21T15:15:00"))
  }

  @Test("a timer is handed to the player so much earlier, and an alarm") func cues() {
    var desk = desk()
    desk.start(.seconds(60))
    #expect(desk.wake == desk.now.instant + .seconds(50))
    desk.tell(
      .reminder(
        .set(
          AlarmPlan(
            AlarmTimes(time: try! TimeOfDay(text: "15:03"), days: .next)))))
    desk.wait(for: .seconds(50))
    #expect(desk.cues.map(\.source) == [.timer(1)])
    desk.wait(until: "2026-11-21T15:02:50")
    #expect(desk.cues.contains { $0.source == .alarm(1) })
  }
}
