import Testing

@testable import Horology

@Suite struct AnnounceAtTests {
  private let start = Instant("2026-11-21T15:07:30")

  @Test("the time at that instant is said, though it is asked for in the minute before")
  func minuteOfTheInstant() {
    var desk = Desk(at: "2026-11-21T15:07:58")
    desk.tell(.asked(at: Instant("2026-11-21T15:08:01"), speakerIsAwake: false))
    #expect(desk.played == "15:08:01")
    #expect(desk.latest == Instant("2026-11-21T15:08:01") + Announcer.latestBlow)
  }

  @Test("an instant that cannot be met is refused") func tooNear() {
    var desk = Desk(at: "2026-11-21T15:07:30")
    desk.tell(.asked(at: start + .milliseconds(399), speakerIsAwake: true))
    #expect(desk.played == nil)
    #expect(desk.refusal == .tooNear(within: .milliseconds(400)))
    desk.tell(.asked(at: start + .milliseconds(400), speakerIsAwake: true))
    #expect(desk.played == "15:07:30")
  }

  @Test("the time of the quarter at the quarter is what the quarter says") func atTheQuarter() {
    let quarter = Instant("2026-11-21T15:15:00")
    for time in [nil, CivilTime(hour: 15, minute: 15)] {
      var desk = Desk(at: "2026-11-21T15:14:55")
      desk.wait(until: "2026-11-21T15:14:55", plus: .milliseconds(250))
      desk.tell(.asked(time, at: quarter, speakerIsAwake: false))
      #expect(desk.refusal == nil)
      #expect(desk.announcer.playing?.anchor == quarter)
    }
  }

  @Test("what is asked for twice sounds once, also while it sounds") func twice() {
    let (noon, one) = (CivilTime(hour: 12, minute: 0), CivilTime(hour: 13, minute: 0))
    var desk = Desk(at: "2026-11-21T15:07:30")
    desk.tell(.asked(noon, at: start + .seconds(3), speakerIsAwake: false))
    let asked = desk.announcer.playing
    desk.tell(.asked(one, at: start + .seconds(3), speakerIsAwake: false))
    #expect(desk.refusal == .busy)
    desk.wait(until: "2026-11-21T15:07:33", plus: .milliseconds(100))
    desk.tell(.asked(noon, at: start + .seconds(3), speakerIsAwake: false))
    #expect(desk.refusal == nil && desk.announcer.playing == asked)
  }

  @Test("another time at a quarter, and an instant beside it, are refused")
  func besideTheQuarter() {
    var desk = Desk(at: "2026-11-21T15:14:55")
    let quarter = Instant("2026-11-21T15:15:00")
    let noon = CivilTime(hour: 12, minute: 0)
    for (time, instant) in [(noon, quarter), (nil, quarter - .seconds(1))] {
      desk.tell(.asked(time, at: instant, speakerIsAwake: false))
      #expect(desk.refusal == .occasionIsNear)
    }
    // One that is being stopped has the speaker, too.
    desk.tell(.mute(.on))
    desk.tell(.mute(.off))
    desk.tell(.asked(at: quarter, speakerIsAwake: false))
    #expect(desk.refusal == .busy)
  }

  @Test("a speaker that is too late for the instant does not speak later") func tooLate() {
    var desk = Desk(at: "2026-11-21T15:07:30")
    desk.tell(.asked(at: start + .seconds(3), speakerIsAwake: false))
    desk.wait(until: "2026-11-21T15:07:34")
    desk.end(.tooLate(by: .seconds(1)))
    #expect(desk.played == nil)
    #expect(desk.refusal == .failed("the speaker was ready 1.0 s too late for it"))
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
