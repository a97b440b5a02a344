import Basics
import Daemon
import Testing

@testable import Relay

@Suite struct AnnouncerStateTests {
  private func object(
    _ properties: [String: BusValue], last: LastAnnouncement? = nil
  ) throws -> JSONObject {
    try JSONObject(AnnouncerState(properties).payload(last: last), path: "state")
  }

  @Test("what is 0, or the end of all time, is no time") func noTime() throws {
    for (end, text) in [
      (0, nil), (UInt64.max, nil), (UInt64(1_795_359_600_000_000), "2026-11-22T15:00:00Z"),
    ] {
      let state = try object(["MutedUntil": .unsigned(end)])
      #expect(try state.text("muted_until") == text)
    }
  }

  @Test("timers are told with their ends, and the next of them") func timers() throws {
    let state = try object([
      "Timers": .rows(
        "ussttt",
        [
          [
            .small(1), .text("tea"), .text("running"), .unsigned(600_000_000), .unsigned(0),
            .unsigned(1_795_359_600_000_000),
          ],
          [
            .small(2), .text(""), .text("paused"), .unsigned(60_000_000), .unsigned(1_500_000),
            .unsigned(0),
          ],
          [.text("of another version")],
        ])
    ])
    let timers = try state.objects("timers")
    #expect(timers.count == 2)
    #expect(try timers[0].text("ends") == "2026-11-22T15:00:00Z")
    #expect(try timers[1].number("left") == 1.5)
    #expect(try state.text("timer_ends") == "2026-11-22T15:00:00Z")
  }

  @Test("alarms are told with all that is set of them, and when they ring") func alarms() throws {
    let state = try object([
      "Alarms": .rows(
        "ussssstsss",
        [
          [
            .small(1), .text("school"), .text("07:00"), .text("mon-fri"), .text("westminster"),
            .text("waiting"), .unsigned(1_795_359_600_000_000), .text("person"),
            .text(""), .text("5min"),
          ],
          [.text("of another version")],
        ])
    ])
    let alarms = try state.objects("alarms")
    #expect(alarms.count == 1)
    #expect(try alarms[0].text("tune") == "westminster")
    #expect(try alarms[0].text("rise") == "5min")
    #expect(try alarms[0].text("rings") == "2026-11-22T15:00:00Z")
  }

  @Test("those that end or ring next come first, and those that do not come last")
  func soonestFirst() throws {
    let timers: [(name: String, end: UInt64)] = [("never", 0), ("second", 200), ("first", 100)]
    let state = try object([
      "Timers": .rows(
        "ussttt",
        timers.map {
          [.small(1), .text($0.name), .text(""), .unsigned(0), .unsigned(0), .unsigned($0.end)]
        })
    ])
    let names = try state.objects("timers").map { try $0.text("name") }
    #expect(names == ["first", "second", "never"])
  }

  @Test("what was announced last is told with its onset error") func last() throws {
    let last = LastAnnouncement(
      at: UTCTime(microseconds: 1_795_359_600_000_000), text: "three o'clock", onsetError: -120)
    let payload = AnnouncerState([:]).payload(last: last)
    #expect(
      payload.holds(
        #""last":{"at":"2026-11-22T15:00:00Z","text":"three o'clock","onset_error_ms":-0.12}"#))
  }

  @Test("a speaker that is replaced and a clock that is not trusted are problems") func problems() {
    let payload = AnnouncerState(
      ["Substitute": .text("hw:1"), "Trust": .text("untrusted"), "Switch": .text("on")]
    ).payload(last: nil)
    #expect(
      payload.holds(
        #""problems":["hw:1 plays instead of the configured speaker","the clock is not trusted"]"#))
  }

  @Test("a clock that cannot save what is set is a problem, and why") func stateError() throws {
    let properties: [String: BusValue] = ["StateError": .text("the disk is full")]
    #expect(try object(properties).text("state_error") == "the disk is full")
    let words = "what is set at run time is lost at a restart"
    #expect(
      AnnouncerState(properties).payload(last: nil)
        .holds(#""problems":["\#(words): the disk is full"]"#))
    #expect(try object(["StateError": .text("")]).text("state_error") == "")
    #expect(!AnnouncerState(["StateError": .text("")]).payload(last: nil).holds(words))
  }
}

extension String {
  fileprivate func holds(_ part: String) -> Bool {
    indices.contains { self[$0...].hasPrefix(part) }
  }
}
