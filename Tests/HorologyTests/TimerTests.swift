import Testing

@testable import Horology

@Suite struct TimerTests {
  private static let start = "2026-11-21T15:01:00"

  @Test("the button stops what rings, and else asks for the time") func button() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(10))
    _ = desk.live(for: .seconds(11))
    desk.tell(.pressed(speakerIsAwake: true))
    #expect(desk.timerEvents == [.stopped(.byHand)])
    #expect(desk.played == nil)
    desk.tell(.pressed(speakerIsAwake: true))
    #expect(desk.played != nil)
  }

  @Test("paused it keeps what is left; resumed it goes on from there") func pause() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(600))
    desk.wait(for: .seconds(597))
    let cue = desk.cues.first?.id ?? SoundingID(0)
    desk.tell(.reminder(.pause("1")))
    #expect(desk.stopped == [cue])
    #expect(desk.live(for: .seconds(3600)).events.isEmpty)
    desk.tell(.reminder(.pause("1")))
    #expect(desk.orderRefusal == .isPaused(desk.timers[0]))
    desk.tell(.reminder(.resume("1")))
    #expect(desk.cues.map(\.anchor) == [desk.now.sinceBoot + .seconds(3)])
    desk.tell(.reminder(.resume("1")))
    #expect(desk.orderRefusal == .isNotPaused(desk.timers[0]))
  }

  @Test("what is added counts from zero, or from now if it rings") func add() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(4), "egg")
    desk.tell(.reminder(.add(.seconds(60), to: "egg")))
    #expect(desk.timers.first?.left(at: desk.now) == .seconds(64))
    #expect(desk.timers.first?.length == .seconds(64))
    // The player already had the cue.
    #expect(desk.stopped.count == 1)
    _ = desk.live(for: .seconds(72))
    #expect(desk.timers.first?.isRinging == true)
    desk.tell(.reminder(.add(.seconds(60), to: "egg")))
    #expect(desk.timers.first?.left(at: desk.now) == .seconds(60))
    #expect(!desk.stopped.isEmpty)
  }

  @Test("a cue that fails before its moment is tried again, and told once") func failure() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(4))
    let zero = desk.now.sinceBoot + .seconds(4)
    for round in 0..<2 {
      desk.tell(.ended(desk.cues[0].id, .failed("no speaker", heard: .nothing)))
      #expect(desk.timerEvents == (round == 0 ? [.unheard("no speaker")] : []))
      desk.wait(for: Announcer.retryDelay)
      #expect(desk.cues.map(\.anchor) == [zero])
    }
  }
}
