import Horology
import Testing

@Suite struct StopTests {
  /// A melody of 20 s that leads to the hour.
  private static let chime = Tune(
    name: "test", description: "",
    movements: [
      0: Tune.Movement(
        melody: [Blow(bell: "E3", offset: .zero)], lead: .seconds(20), strikes: nil, rest: .zero)
    ])

  private func noon(_ atStop: AtStop) -> Desk {
    var desk = Desk(at: "2026-11-21T11:50:00") {
      $0.atStop = atStop
      $0.chime = Self.chime
    }
    desk.wait(until: "2026-11-21T11:59:36")
    return desk
  }

  @Test("what is not heard yet is not stopped by hand, for it is the next occasion")
  func byHandInTheSilence() {
    var desk = noon(.fade)
    #expect(desk.announcer.playing != nil)
    desk.tell(.stop(.byHand))
    #expect(!(desk.stopReason == .byHand))
    desk.wait(until: "2026-11-21T11:59:41")
    desk.tell(.stop(.byHand))
    #expect((desk.stopReason == .byHand))
  }

  @Test("what was asked for is stopped by hand before it is heard, too") func byHandAsked() {
    var desk = Desk(at: "2026-11-21T15:07:00") { $0.leadIn = .seconds(4) }
    desk.tell(.asked(speakerIsAwake: false))
    desk.tell(.stop(.byHand))
    #expect((desk.stopReason == .byHand))
  }

  @Test("what sounds is faded out when the service ends") func fade() {
    var desk = noon(.fade)
    desk.wait(until: "2026-11-21T11:59:45")
    desk.tell(.stop(.serviceEnds))
    #expect((desk.stopReason == .serviceEnds))
  }

  @Test("what is heard is heard to its end, where the owner wants that") func finish() {
    var desk = noon(.finish)
    desk.wait(until: "2026-11-21T11:59:45")
    desk.tell(.stop(.serviceEnds))
    #expect(!(desk.stopReason == .serviceEnds))
    // The switch still silences it.
    desk.tell(.switched(.off, at: desk.now.uptime))
    #expect((desk.stopReason == .switchOff))
  }

  @Test("what is not heard yet is not begun") func notBegun() {
    var desk = noon(.finish)
    desk.tell(.stop(.serviceEnds))
    #expect((desk.stopReason == .serviceEnds))
  }

  @Test("nothing further is decided while the last is heard") func nothingFurther() {
    var desk = noon(.finish)
    desk.wait(until: "2026-11-21T12:00:03")
    desk.tell(.stop(.serviceEnds))
    desk.wait(until: "2026-11-21T12:14:57")
    desk.end(.finished(.exact))
    #expect(desk.played == nil)
    desk.wait(until: "2026-11-21T12:20:00")
    #expect(desk.skipReason == nil)
  }
}
