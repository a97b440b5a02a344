import TestSupport
import Testing

@testable import Horology

/// A switch that cannot be read silences soundings, but ends no timer, alarm or interval.
@Suite struct LostSwitchTests {
  private static let start = "2026-11-21T15:01:00"

  private static let alarm = AlarmPlan(
    name: "school",
    AlarmTimes(time: try! TimeOfDay(text: "15:02"), days: try! AlarmDays(text: "mon-sun")))

  private func turn(_ desk: inout Desk, _ switchState: SwitchState) {
    desk.tell(.switched(switchState, at: desk.now.uptime))
  }

  @Test(
    "what comes to zero meanwhile is told with the reason, and rings once it is found",
    .rule("switch-lost", "switch-found"))
  func zeroMeanwhile() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(10))
    turn(&desk, .lost("gone"))
    let seen = desk.live(for: .seconds(60))
    #expect(seen.events == [.rings(.due(late: nil), unheard: .switchLost)])
    #expect(seen.cues.isEmpty)
    turn(&desk, .on)
    #expect(!desk.live(for: .seconds(5)).cues.isEmpty)
  }

  @Test("turned off after it was lost, the switch ends what rings", .rule("switch-stops"))
  func turnedOff() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(10))
    turn(&desk, .lost("gone"))
    _ = desk.live(for: .seconds(20))
    turn(&desk, .off)
    #expect(desk.timerEvents == [.stopped(.switchOff)])
    #expect(desk.timers.isEmpty)
  }

  @Test(
    "silenced until ring_limit, it is told that it was never heard",
    .rule("ring-limit", "alarm-missed", "never-heard"))
  func never() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(10))
    desk.tell(.reminder(.set(Self.alarm)))
    turn(&desk, .lost("gone"))
    let seen = desk.live(for: .seconds(1000))
    #expect(
      seen.events == [.rings(.due(late: nil), unheard: .switchLost), .missed])
    #expect(
      seen.alarms == [.rings(.due(late: nil), unheard: .switchLost), .missed])
    #expect(seen.neverHeard == [.switchLost, .switchLost])
  }

  @Test("the list of the alarms tells that it keeps them silent", .rule("switch-silences"))
  func list() throws {
    var desk = Desk(at: Self.start)
    desk.tell(.reminder(.set(Self.alarm)))
    func reason() throws -> SkipReason? {
      desk.announcer.refusal(of: try #require(desk.announcer.reminders.alarms.first))
    }
    for (switchState, wanted) in [
      (SwitchState.lost("gone"), SkipReason.switchLost), (.off, .switchOff), (.on, nil),
    ] {
      turn(&desk, switchState)
      #expect(try reason() == wanted)
    }
    _ = desk.live(for: .seconds(61))
    #expect(desk.announcer.reminders.isRinging)
    turn(&desk, .lost("gone"))
    #expect(try reason() == .switchLost)
  }
}
