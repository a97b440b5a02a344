import Horology
import Testing

/// What becomes of an announcement that is under way when something else happens.
@Suite struct UnderWayTests {
  /// Noon is prepared. Its melody of one note begins at 11:59:40.
  private func noon(at time: String = "11:59:36") -> Desk {
    var desk = Desk(at: "2026-11-21T11:50:00") {
      $0.chime = Tune.note(leading: .seconds(20), rest: .seconds(8))
    }
    desk.wait(until: "2026-11-21T11:59:36")
    desk.wait(until: "2026-11-21T\(time)")
    return desk
  }

  @Test("occasions of another interval, or zone, that have passed are not told as missed")
  func passedOccasions() throws {
    var desk = Desk(at: "2026-11-21T11:59:00") { $0.interval = Interval(minutes: 60)! }
    desk.wait(until: "2026-11-21T11:59:58")
    desk.wait(until: "2026-11-21T12:00:05")
    desk.end(.finished(.exact))
    desk.wait(until: "2026-11-21T12:40:00")
    var settings = desk.announcer.settings
    settings.interval = .quarter
    desk.tell(.reloaded(settings, .none))
    #expect(desk.skips.isEmpty)
    #expect(desk.announcer.next.instant == Instant("2026-11-21T12:45:00"))
    settings.interval = Interval(minutes: 60)!
    desk.tell(.reloaded(settings, .none))
    desk.tell(.zoneChanged(TestZone.fixed(minutes: 30)))
    #expect(desk.skips.isEmpty)
    #expect(desk.announcer.next.instant == Instant("2026-11-21T13:30:00"))
  }

  @Test("a chime that is prepared does not ring by a clock that is not trusted any more")
  func distrusted() {
    var desk = noon()
    desk.tell(.trust(.untrusted))
    #expect(desk.stopReason == .rulesChanged)
    desk.end(.stopped(.rulesChanged, silentAt: nil))
    #expect(desk.announcer.playing == nil)
    var sounding = noon(at: "11:59:50")
    sounding.tell(.trust(.untrusted))
    #expect(sounding.stopReason == nil)
  }

  @Test("asked right after a sleep, it is not refused for an occasion that has passed")
  func askedAfterSleep() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.now = desk.now.asleep(for: .seconds(17 * 60))
    desk.tell(.asked(speakerIsAwake: true))
    #expect(desk.refusal == nil)
    #expect(desk.announcer.playing?.cause == .request)
  }

  @Test("what is not heard yet is not stopped by hand, for it is the next occasion")
  func stoppedByHand() {
    var desk = noon()
    desk.tell(.stop(.byHand))
    #expect(desk.stopReason == nil)
    desk.wait(until: "2026-11-21T11:59:41")
    desk.tell(.stop(.byHand))
    #expect(desk.stopReason == .byHand)
    // What was asked for is stopped before it is heard, too.
    var asked = Desk(at: "2026-11-21T15:07:00") { $0.leadIn = .seconds(4) }
    asked.tell(.asked(speakerIsAwake: false))
    asked.tell(.stop(.byHand))
    #expect(asked.stopReason == .byHand)
  }
}
