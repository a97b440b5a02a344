import Horology
import TestSupport
import Testing

@Suite struct MuteTests {
  private func mutes(_ desk: Desk) -> [SoftwareMute] {
    desk.reports.compactMap { if case .mute(let mute, _) = $0 { mute } else { nil } }
  }

  @Test(
    "a mute for a while silences what is before its end, and ends by itself",
    .rule("muted-announcements"))
  func forAWhile() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.tell(.mute(.until(Instant("2026-11-21T15:30:00"))))
    #expect(mutes(desk) == [.until(Instant("2026-11-21T15:30:00"))])
    desk.wait(until: "2026-11-21T15:15:00")
    #expect(desk.skipReason == .muted)
    #expect(desk.wake == Instant("2026-11-21T15:29:55"))
    desk.wait(until: "2026-11-21T15:29:55")
    #expect(desk.played == "15:30:00", "the end itself is not before the end")
    #expect(desk.announcer.mute != .off)
    desk.wait(until: "2026-11-21T15:30:00")
    #expect(mutes(desk) == [.off])
  }

  @Test("after a restart in between it still lasts as long, though the clock was set")
  func afterARestart() {
    let start = Now(
      instant: Instant("2026-11-21T15:07:00"), uptime: Uptime(seconds: 1000),
      sinceBoot: .seconds(9000))
    var announcer = Announcer(
      settings: AnnouncerSettings(), zone: TestZone.utc, trust: .synchronised,
      mute: .until(Instant("2026-11-01T00:00:00")), muteEndsSinceBoot: .seconds(9600), at: start)
    #expect(announcer.mute == .until(Instant("2026-11-21T15:17:00")))
    let later = start.set(by: .seconds(-86_400))
    _ = announcer.handle(.woke, at: later)
    #expect(announcer.mute == .until(Instant("2026-11-20T15:17:00")))
    let effects = announcer.handle(.woke, at: later.asleep(for: .seconds(600))).effects
    #expect(effects.contains(.report(.mute(.off, until: nil))))
  }

  @Test("after a power cut it ends at the time that it named, however the clock is set")
  func afterAPowerCut() {
    var desk = Desk(at: "2026-11-21T15:07:00", mute: .until(Instant("2026-11-21T20:00:00")))
    desk.step(by: .seconds(3600))
    #expect(desk.announcer.mute == .until(Instant("2026-11-21T20:00:00")))
    desk.step(by: .seconds(21 * 86_400))
    #expect(mutes(desk) == [.off])
  }

  @Test("the next is the next that would sound", .rule("mute-next"))
  func theNextThatWouldSound() throws {
    let quiet = try QuietHours(text: "15:00-15:40")
    var desk = Desk(at: "2026-11-21T15:07:00") { $0.quiet = quiet }
    desk.tell(.mute(.next))
    desk.wait(until: "2026-11-21T15:15:00")
    #expect(desk.skipReason == .quietHours)
    desk.wait(until: "2026-11-21T15:30:00")
    #expect(desk.skipReason == .quietHours)
    desk.wait(until: "2026-11-21T15:45:00")
    #expect(desk.skipReason == .muted)
    desk.wait(until: "2026-11-21T15:59:57")
    #expect(desk.played == "16:00:00")
  }

  @Test("whoever asks is answered, as in quiet hours", .rule("muted-asked")) func asked() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.tell(.mute(.on))
    #expect(desk.announcer.lamp == .off)
    desk.tell(.asked(speakerIsAwake: true))
    #expect(desk.played == "15:07:00")
  }

  @Test("a mute of the next does not stop what was asked for", .rule("mute-fades", "mute-next"))
  func askedAndMuted() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.tell(.asked(speakerIsAwake: true))
    desk.tell(.mute(.next))
    #expect(!(desk.stopReason == .muted))
    desk.tell(.mute(.on))
    #expect((desk.stopReason == .muted))
  }

  @Test("the switch wins over it", .rule("switch-silences")) func theSwitch() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.tell(.mute(.next))
    desk.tell(.switched(.off, at: desk.now.uptime))
    desk.wait(until: "2026-11-21T15:15:00")
    #expect(desk.skipReason == .switchOff)
    #expect(desk.announcer.mute == .next, "its occasion is still to come")
  }
}
