import Basics
import Testing
import Vocabulary

@testable import Relay

@Suite struct EventMessagesTests {
  private func message(_ event: JournalEvent, _ fields: [String: String] = [:]) -> PushMessage? {
    PushMessage(notice: event, "words", fields, clock: "hall", at: .second(100))
  }

  @Test(
    "what happens is published by its kind, as long as it is worth being told",
    arguments: [
      (
        JournalEvent.timerElapsed, ["TIMER": "3", "DUE": "2026-11-22T15:00:00Z"], PushEvents.timer,
        "timer 3 2026-11-22T15:00:00Z hall", 3600
      ),
      (.alarmMissed, ["ALARM": "1"], .alarm, "alarm 1 hall", 3600),
      (.trust, ["TRUST": "untrusted"], .clock, "trust hall", 86_400),
      (.timerUnheard, ["DETAIL": "no speaker"], .trouble, "timer_unheard hall", 86_400),
      (.skipped, ["REASON": "failed"], .trouble, "skipped hall", 86_400),
      (
        .announced,
        ["CAUSE": "occasion", "LOCAL": "2026-11-22T15:00:00+00:00"], .hour, "hour hall", 600
      ),
    ])
  func published(
    event: JournalEvent, fields: [String: String], kind: PushEvents, collapse: String, life: Int64
  ) throws {
    let made = try #require(message(event, fields))
    #expect(made.event == kind && made.collapse == collapse)
    #expect(made.title == "hall" && made.kind == event.key)
    #expect(made.body == (kind == .hour ? "15:00" : "words"))
    #expect(made.expires == .second(100 + life))
  }

  @Test(
    "what is nobody's trouble is not published",
    arguments: [
      (JournalEvent.timer, [:]), (.timerUnheard, ["REASON": "quiet_hours"]),
      (.skipped, ["REASON": "quiet_hours"]), (.cutOff, ["REASON": "muted"]),
      (.announced, ["CAUSE": "occasion", "LOCAL": "2026-11-22T15:15:00+00:00"]),
      (.announced, ["CAUSE": "request", "LOCAL": "2026-11-22T15:00:00+00:00"]),
    ])
  func unpublished(event: JournalEvent, fields: [String: String]) {
    #expect(message(event, fields) == nil)
  }
}
