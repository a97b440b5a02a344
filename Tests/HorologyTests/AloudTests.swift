import Horology
import Testing

/// What the clock says of itself: that it lives, and that it does not know the time.
@Suite struct AloudTests {
  private func desk(
    trust: ClockTrust = .synchronised, mute: SoftwareMute = .off, switchState: SwitchState = .on,
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) -> Desk {
    var desk = Desk(at: "2026-11-21T15:07:00", trust: trust, mute: mute, change)
    desk.tell(.switched(switchState, at: desk.now.uptime))
    return desk
  }

  private func cause(_ desk: Desk) -> Announcement.Cause? { desk.announcer.playing?.cause }

  private static let quiet = try! QuietHours(text: "15:00-16:00")

  @Test("the start is silent in quiet hours, while muted, and while the switch silences")
  func silentStart() {
    for atStart in [AtStart.signal, .time] {
      let silent: [(Desk, SkipReason)] = [
        (
          desk {
            $0.atStart = atStart
            $0.quiet = Self.quiet
          }, .quietHours
        ),
        (desk(mute: .on) { $0.atStart = atStart }, .muted),
        (desk(switchState: .off) { $0.atStart = atStart }, .switchOff),
        (desk(switchState: .lost("gone")) { $0.atStart = atStart }, .switchLost),
      ]
      for (desk, reason) in silent {
        var desk = desk
        desk.tell(.machineStarted)
        #expect(cause(desk) == nil)
        #expect(desk.reports == [.startUnheard(reason)])
      }
    }
  }

  @Test("it is answered in quiet hours, and during a mute of the next announcement")
  func buttonInQuietHours() {
    for mute in [SoftwareMute.off, .next] {
      var desk = desk(trust: .untrusted, mute: mute) { $0.quiet = Self.quiet }
      desk.tell(.pressed(speakerIsAwake: true))
      #expect(cause(desk) == .untrusted)
    }
  }
}
