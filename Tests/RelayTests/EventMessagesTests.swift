import Basics
import Testing

@testable import Relay

@Suite struct EventMessagesTests {
  private func message(_ event: String, _ fields: [String: String] = [:]) -> PushMessage? {
    PushMessage(notice: event, "words", fields, clock: "hall", at: .second(100))
  }

  @Test(
    "what happens is published by its kind, as long as it is worth being told",
    arguments: [
      (
        "timer_elapsed", ["TIMER": "3", "DUE": "2026-11-22T15:00:00Z"], PushEvents.timer,
        "timer 3 2026-11-22T15:00:00Z hall", 3600
      ),
      ("alarm_missed", ["ALARM": "1"], .alarm, "alarm 1 hall", 3600),
      ("trust", ["TRUST": "untrusted"], .clock, "trust hall", 86_400),
      ("timer_unheard", ["DETAIL": "no speaker"], .trouble, "timer_unheard hall", 86_400),
      ("skipped", ["REASON": "failed"], .trouble, "skipped hall", 86_400),
      (
        "announced",
        ["CAUSE": "occasion", "LOCAL": "2026-11-22T15:00:00+00:00"], .hour, "hour hall", 600
      ),
    ])
  func published(
    event: String, fields: [String: String], kind: PushEvents, collapse: String, life: Int64
  ) throws {
    let made = try #require(message(event, fields))
    #expect(made.event == kind && made.collapse == collapse)
    #expect(made.title == "hall" && made.kind == event)
    #expect(made.body == (kind == .hour ? "15:00" : "words"))
    #expect(made.expires == .second(100 + life))
  }

  @Test(
    "what is nobody's trouble is not published",
    arguments: [
      ("timer", [:]), ("timer_unheard", ["REASON": "quiet_hours"]),
      ("skipped", ["REASON": "quiet_hours"]), ("cut_off", ["REASON": "muted"]),
      ("announced", ["CAUSE": "occasion", "LOCAL": "2026-11-22T15:15:00+00:00"]),
      ("announced", ["CAUSE": "request", "LOCAL": "2026-11-22T15:00:00+00:00"]),
    ])
  func unpublished(event: String, fields: [String: String]) {
    #expect(message(event, fields) == nil)
  }
}
