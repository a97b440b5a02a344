import Testing

@testable import Horology

/// A ring that nobody could hear is reported as never heard, not as missed.
@Suite struct NeverHeardTests {
  private static let start = "2026-11-21T15:01:00"

  /// Lets `span` pass. The speaker fails whenever `failing` says so.
  private func live(
    _ desk: inout Desk, for span: Duration, failing: (Duration) -> Bool
  ) -> (timers: [ReminderEvent], neverHeard: [SkipReason?]) {
    let start = desk.now.sinceBoot
    var events: [ReminderEvent] = []
    var neverHeard: [SkipReason?] = []
    func note() {
      events += desk.timerEvents
      neverHeard += desk.neverHeard
    }
    while desk.now.sinceBoot < start + span {
      let wake = desk.wake ?? desk.now.instant + .seconds(1)
      desk.now = desk.now.later(by: max(wake - desk.now.instant, .milliseconds(10)))
      desk.tell(.woke)
      note()
      var played = desk.cues
      while !played.isEmpty {
        let cue = played.removeFirst()
        let timing = Timing(onsetError: nil, worstError: nil, underruns: 0)
        let fails = failing(desk.now.sinceBoot - start)
        desk.tell(
          .ended(cue.id, fails ? .failed("unplugged", heard: .nothing) : .finished(timing)))
        note()
        played += desk.cues
      }
    }
    return (events, neverHeard)
  }

  private func desk() -> Desk {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(10))
    desk.tell(.reminder(.set(.at("15:02"))))
    return desk
  }

  @Test("by a speaker that fails all the while it is told so, and why") func never() {
    var desk = desk()
    let seen = live(&desk, for: .seconds(1000)) { _ in true }
    #expect(
      seen.timers == [
        .unheard("unplugged"), .rings(.due(late: nil)), .missed,
      ])
    #expect(seen.neverHeard == [.failed("unplugged"), .failed("unplugged")])
  }

  @Test("heard once, it was rung") func once() {
    var desk = desk()
    let seen = live(&desk, for: .seconds(1000)) { $0 < .seconds(300) || $0 > .seconds(320) }
    #expect(seen.neverHeard == [nil, nil])
  }
}
