import TestSupport
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

  @Test(
    "by a speaker that fails all the while it is told so, and why",
    .rule("ring-limit", "never-heard"))
  func never() {
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

  // MARK: A tune

  /// A desk with an alarm at 15:02 and a tune that lasts `seconds`. The speaker has failed once,
  /// and the player has been given the tune again.
  private func deskWithTune(lasting seconds: Int) -> Desk {
    var desk = Desk(at: Self.start) { $0.ringLimit = .seconds(60) }
    var plan = AlarmPlan.at("15:02")
    let blows = [Blow(bell: "C4", offset: .zero), Blow(bell: "E4", offset: .seconds(seconds))]
    let movement = Tune.Movement(melody: blows, lead: .zero, strikes: nil, rest: .seconds(1))
    plan.tune = Tune(name: "test", description: "", movements: [0: movement])
    desk.tell(.reminder(.set(plan)))
    desk.wait(until: "2026-11-21T15:01:55")
    desk.tell(.ended(desk.cues[0].id, .failed("busy", heard: .nothing)))
    desk.wait(for: .seconds(1))
    return desk
  }

  @Test("a tune that was taken back while it sounded was heard", arguments: [true, false])
  func takenBack(isHeard: Bool) {
    var desk = deskWithTune(lasting: 90)
    let tune = desk.cues[0].id
    if isHeard { desk.wait(until: "2026-11-21T15:02:00") }
    desk.wait(for: .seconds(2))
    desk.tell(.switched(.lost("gone"), at: desk.now.uptime))
    #expect(desk.stopped == [tune])
    desk.tell(.ended(tune, .stopped(.switchLost, silentAt: isHeard ? desk.now.uptime : nil)))
    #expect(desk.live(for: .seconds(100)).neverHeard == [isHeard ? nil : .switchLost])
  }

  @Test("a tune that the speaker was too late for is given anew, and not waited for")
  func tooLate() {
    var desk = deskWithTune(lasting: 40)
    let tune = desk.cues[0].id
    desk.wait(until: "2026-11-21T15:02:00")
    desk.wait(for: .seconds(4))
    desk.tell(.ended(tune, .tooLate(by: .seconds(4))))
    let next = desk.now.sinceBoot + Announcer.preparation
    // This leaves time for a speaker that is slow to open.
    #expect(desk.cues.map(\.blows.count) == [2])
    #expect(desk.cues.map(\.anchor) == [next])
  }
}
