import Testing

@testable import Horology

/// Which soundings stop, and which go on.
@Suite struct SilenceTests {
  private static let start = "2026-11-21T15:01:00"

  private func ringing(_ change: (inout AnnouncerSettings) -> Void = { _ in }) -> Desk {
    var desk = Desk(at: Self.start, change)
    desk.start(.seconds(10))
    _ = desk.live(for: .milliseconds(10_500))
    return desk
  }

  @Test("a switch that is lost takes the cues from the player, and ends neither ring nor interval")
  func lostSwitch() {
    var desk = ringing()
    desk.start(.plain(every: .seconds(30)))
    desk.tell(.switched(.lost("gone"), at: desk.now.uptime))
    #expect(!desk.stopped.isEmpty)
    #expect(desk.timerEvents.isEmpty && desk.timers.first?.isRinging == true)
    #expect(desk.intervalEvents.isEmpty && desk.announcer.interval != nil)
  }

  @Test("held, the button stops a timer that rings") func held() {
    var desk = ringing()
    desk.tell(.held)
    #expect(desk.timerEvents == [.stopped(.byHand)])
    #expect(desk.timers.isEmpty && !desk.stopped.isEmpty)
  }

  @Test(
    "as the service ends a ring that is heard plays to its end where that is wanted",
    arguments: [AtStop.finish, .fade])
  func serviceEnds(_ atStop: AtStop) {
    var desk = ringing { $0.atStop = atStop }
    desk.tell(.stop(.serviceEnds))
    #expect(desk.stopped.isEmpty == (atStop == .finish))
    #expect(desk.timers.first?.isRinging == true)
  }

  @Test("a switch for announcements alone stops the time, and not what is said of a timer")
  func announcementsAlone() {
    let cases: [(Event, StopReason?)] = [
      (.asked(speakerIsAwake: true), .switchOff), (.reminder(.tell(nil)), nil),
    ]
    for (event, reason) in cases {
      var desk = Desk(at: Self.start) {
        $0.saysTimers = true
        $0.silences = .announcements
      }
      desk.start(.seconds(600))
      desk.tell(event)
      desk.wait(for: .seconds(1))
      desk.tell(.switched(.off, at: desk.now.uptime))
      #expect(desk.announcer.sounding != nil)
      #expect(desk.stopReason == reason)
    }
  }

  @Test("what is said of a timer is true while it pauses, and stops when the timer is gone")
  func paused() {
    var desk = Desk(at: Self.start) { $0.saysTimers = true }
    desk.start(.seconds(600), "tea")
    desk.tell(.reminder(.tell("tea")))
    desk.tell(.reminder(.pause("tea")))
    #expect(desk.timerEvents == [.changed(.paused)])
    #expect(desk.stopped.isEmpty)
    desk.tell(.reminder(.cancel(.timer, "tea")))
    #expect(desk.stopReason == .byHand)
  }
}
