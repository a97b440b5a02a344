import Horology
import Testing

@Suite struct StopTests {
  /// A melody of 20 s that leads to the hour.
  private static let chime = Tune.note(leading: .seconds(20))

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
