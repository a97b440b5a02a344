import Testing

@testable import Horology

@Suite struct AnnounceAtTests {
  private let start = Instant("2026-11-21T15:07:30")

  @Test("what is asked for from an instant on has its first frame there") func anchored() {
    var desk = Desk(at: "2026-11-21T15:07:30")
    desk.tell(.asked(at: start + .seconds(3), speakerIsAwake: false))
    #expect(desk.anchor == start + .seconds(3))
    #expect(desk.played == "15:07:33")
  }

  @Test("the time at that instant is said, though it is asked for in the minute before")
  func minuteOfTheInstant() {
    var desk = Desk(at: "2026-11-21T15:07:58")
    desk.tell(.asked(at: Instant("2026-11-21T15:08:01"), speakerIsAwake: false))
    #expect(desk.played == "15:08:01")
    #expect(desk.latest == Instant("2026-11-21T15:09:00"))
  }

  @Test("an instant that cannot be met is refused") func tooNear() {
    var desk = Desk(at: "2026-11-21T15:07:30")
    desk.tell(.asked(at: start + .milliseconds(399), speakerIsAwake: true))
    #expect(desk.played == nil)
    #expect(desk.refusal == .failed("its instant is too near: it takes 400 ms to begin"))
    desk.tell(.asked(at: start + .milliseconds(400), speakerIsAwake: true))
    #expect(desk.played == "15:07:30")
  }

  @Test("an instant that would be in the way of the quarter is refused") func inTheWay() {
    var desk = Desk(at: "2026-11-21T15:14:50")
    desk.tell(.asked(at: Instant("2026-11-21T15:14:55"), speakerIsAwake: true))
    #expect(desk.refusal == .occasionIsNear)
  }

  @Test("by a clock that is not trusted there are no instants, whatever time is given")
  func untrusted() {
    var desk = Desk(at: "2026-11-21T15:07:30", trust: .untrusted)
    let noon = CivilTime(hour: 12, minute: 0)!
    desk.tell(.asked(noon, at: start + .seconds(3), speakerIsAwake: true))
    #expect(desk.refusal == .untrusted)
    desk.tell(.asked(noon, speakerIsAwake: true))
    #expect(desk.played == "12:00:00")
  }
}
