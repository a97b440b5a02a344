import Horology
import TestSupport
import Testing

@Suite struct SwitchTests {
  private func turn(_ desk: inout Desk, _ switchState: SwitchState) {
    desk.tell(.switched(switchState, at: desk.now.uptime))
  }

  @Test(
    "the switch in the middle ends what sounds, and it is not resumed",
    .rule("switch-fades", "switch-back"))
  func theSwitchInTheMiddle() {
    var desk = Desk(at: "2026-11-21T15:14:58")
    desk.wait(until: "2026-11-21T15:15:01")
    let edge = desk.now.uptime
    turn(&desk, .off)
    #expect(desk.effects.first == desk.stop(.switchOff), "silence comes before words")
    desk.end(.stopped(.switchOff, silentAt: edge + .milliseconds(14)))
    guard case .cutOff(_, .switchOff, let after)? = desk.reports.first else {
      Issue.record("\(desk.reports)")
      return
    }
    #expect(after == .milliseconds(14))
    turn(&desk, .on)
    #expect(desk.played == nil)
    #expect(desk.announcer.next.instant == Instant("2026-11-21T15:30:00"))
  }

  @Test("what stops it a second time is not what the silence is counted from")
  func stoppedTwice() {
    var desk = Desk(at: "2026-11-21T15:14:58")
    desk.wait(until: "2026-11-21T15:15:01")
    let edge = desk.now.uptime
    turn(&desk, .off)
    desk.wait(until: "2026-11-21T15:15:01", plus: .milliseconds(5))
    desk.tell(.stop(.byHand))
    desk.end(.stopped(.switchOff, silentAt: edge + .milliseconds(14)))
    guard case .cutOff(_, .switchOff, let after)? = desk.reports.first else {
      Issue.record("\(desk.reports)")
      return
    }
    #expect(after == .milliseconds(14))
  }

  @Test("the switch may still be turned on until the very instant") func onInTheLastMoment() {
    var desk = Desk(at: "2026-11-21T15:14:57")
    #expect(desk.played == "15:15:00")
    turn(&desk, .off)
    #expect((desk.stopReason == .switchOff))
    desk.end(.stopped(.switchOff, silentAt: nil))
    #expect(desk.skips.isEmpty)
    #expect(desk.wake == Instant("2026-11-21T15:15:00"))
    desk.wait(until: "2026-11-21T15:14:58")
    turn(&desk, .on)
    #expect(desk.played == "15:15:00")
    #expect(desk.anchor == Instant("2026-11-21T15:15:00"))
  }

  @Test("a speaker that is awake needs no lead-in") func leadIn() {
    var desk = Desk(at: "2026-11-21T15:07:00") { $0.leadIn = .seconds(2) }
    desk.tell(.asked(speakerIsAwake: false))
    #expect(desk.anchor == desk.now.instant + .seconds(2))
    desk.end(.finished(.exact))
    desk.tell(.asked(speakerIsAwake: true))
    #expect(desk.anchor == desk.now.instant + Announcer.requestLead)
  }

  @Test("the lamp shows whether it may sound") func theLamp() throws {
    var desk = Desk(at: "2026-11-21T15:07:00")
    #expect(desk.announcer.lamp == .on)
    desk.tell(.trust(.untrusted))
    #expect(desk.announcer.lamp == .blinking)
    turn(&desk, .off)
    #expect(desk.announcer.lamp == .off)
    let quiet = try QuietHours(text: "15:00-16:00")
    let night = Desk(at: "2026-11-21T15:07:00") { $0.quiet = quiet }
    #expect(night.announcer.lamp == .off)
  }
}
