import Basics
import Horology
import Testing

@testable import Relay

@Suite struct AnnouncerStateTests {
  @Test("a property is published as it is, by its name in small letters") func published() {
    let timer = Record(["number": .integer(1), "name": .text("tea"), "seconds": .integer(600)])
    let state = AnnouncerState(
      Record([
        "MutedBy": .text("person"), "VolumeDB": .real(-3), "Timers": .list([.record(timer)]),
      ]))
    #expect(
      state.payload() == """
        {"muted_by":"person","volume_db":-3.0,\
        "timers":[{"number":1,"name":"tea","seconds":600}],"waiting":[]}
        """)
  }

  @Test("what is missing, or changes all the time, is not published") func left() {
    let state = AnnouncerState(
      Record([
        "Playing": .text(""), "Last": .record(Record()), "ClockUncertainty": .real(0.002),
        "ClockWords": .text("synchronised, 2 ms"), "LastLevel": .real(.nan),
      ]))
    #expect(state.payload() == #"{"waiting":[]}"#)
    #expect(!state.isPlaying)
  }

  @Test("a command that waits is told with its instant") func waiting() throws {
    let order = try Order(payload: #"{"command":"announce","id":"bell","at":1795359600}"#)
    #expect(
      AnnouncerState(Record()).payload(waiting: [order]) == """
        {"waiting":[{"command":"announce","id":"bell","at":"2026-11-22T15:00:00Z"}]}
        """)
  }

  @Test("the next occasion is told only if it will sound") func next() {
    var next = Record([
      "at": .text("2026-11-22T15:00:00Z"), "chime": .text("westminster"), "sounds": .flag(true),
    ])
    let occasion = Ahead.Occasion(
      instant: Instant(seconds: 1_795_359_600), words: "", chime: "westminster")
    #expect(AnnouncerState(Record(["Next": .record(next)])).nextOccasion == occasion)
    next["sounds"] = .flag(false)
    #expect(AnnouncerState(Record(["Next": .record(next)])).nextOccasion == nil)
    #expect(AnnouncerState(Record()).nextOccasion == nil)
  }
}
