import Horology
import TestSupport
import Testing

/// The outlook: what sounds now, and what comes next.
@Suite struct OutlookTests {
  /// A melody of 20 s that leads to the hour.
  private static let chime = Tune(
    name: "test", description: "",
    movements: [
      0: Tune.Movement(
        melody: [Blow(bell: "E3", offset: .zero)], lead: .seconds(20),
        strikes: Tune.Strikes(bell: "E3", count: .hour, gaps: [.seconds(1)]), rest: .zero)
    ])

  @Test("what is only prepared comes next, and nothing sounds until it is heard")
  func prepared() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.wait(until: "2026-11-21T15:14:57")
    #expect(desk.announcer.playing != nil)
    #expect(desk.announcer.sounding == nil)
    #expect(desk.announcer.outlook.occasion.instant == Instant("2026-11-21T15:15:00"))
    desk.wait(until: "2026-11-21T15:15:00")
    #expect(desk.announcer.sounding == desk.announcer.playing)
    #expect(desk.announcer.outlook.occasion.instant == Instant("2026-11-21T15:30:00"))
    #expect(desk.wake == Instant("2026-11-21T15:30:00") - Announcer.preparation)
    desk.end(.finished(.exact))
    #expect(desk.announcer.sounding == nil)
  }

  @Test("what is prepared and then muted comes next, and is silent") func muted() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.wait(until: "2026-11-21T15:14:57")
    desk.tell(.mute(.next))
    desk.end(.stopped(.muted, silentAt: nil))
    #expect(desk.announcer.outlook.occasion.instant == Instant("2026-11-21T15:15:00"))
    #expect(desk.announcer.outlook.refusal == .muted)
  }

  @Test(
    "it tells of the tune, its strikes and the words as they will be heard", .rule("late-chime"))
  func heard() {
    var desk = Desk(at: "2026-11-21T15:50:00") { $0.chime = Self.chime }
    #expect(desk.announcer.outlook.tune == Self.chime)
    #expect(desk.announcer.outlook.strikes == 4)
    #expect(desk.announcer.outlook.speaks)
    // Too late for the melody.
    desk.step(by: .seconds(9 * 60 + 57))
    #expect(desk.announcer.playing?.isShortened == true)
    #expect(desk.announcer.outlook.tune == nil)
    #expect(desk.announcer.outlook.strikes == 0)
    #expect(desk.announcer.outlook.speaks)
  }

  @Test(
    "with a clock that may be wrong, words are not promised where only blows are risked",
    .rule("untrusted-announcements"))
  func blowsAlone() {
    let desk = Desk(at: "2026-11-21T15:50:00", trust: .untrusted) {
      $0.chime = Self.chime
      $0.untrusted = .chime
    }
    #expect(desk.announcer.outlook.tune == Self.chime)
    #expect(!desk.announcer.outlook.speaks)
    #expect(desk.announcer.outlook.refusal == nil)
  }
}
