import Testing

@testable import Horology

/// A change of zone that takes the clock over an alarm's time.
@Suite struct AlarmNewZoneTests {
  private static let days = ["mon-sun", "once", "2026-11-22"]

  /// Like glibc: all zones of the process show the offset that was set last.
  private final class Face: @unchecked Sendable {
    var ahead = 0
    var zone: TestZone { TestZone { [self] _ in ahead } }
  }
  private let face = Face()

  /// A desk with an alarm for 07:00. By default it is 06:59:45 on a Sunday.
  private func desk(_ days: String, at start: String = "2026-11-22T06:59:45") -> Desk {
    var desk = Desk(at: "2026-11-21T12:00:00") {
      $0.interval = Interval(minutes: 60)!
      $0.voiceAtHour = .none
    }
    face.ahead = 0
    desk.tell(.zoneChanged(face.zone))
    desk.tell(
      .alarm(
        .set(
          AlarmPlan(
            AlarmTimes(
              time: try! TimeOfDay(text: "07:00"), days: try! AlarmDays(text: days))))))
    desk.wait(until: start)
    return desk
  }

  private func moved(seconds: Int) -> Event {
    face.ahead = seconds
    return .zoneChanged(face.zone)
  }

  @Test("what a change of zone steps over rings late, once", arguments: days)
  func steppedOver(days: String) {
    var desk = desk(days)
    desk.tell(moved(seconds: 20))
    #expect(desk.alarmEvents == [.rings(late: .seconds(5))])
    desk.tell(.stop(.byHand))
    #expect(desk.alarmEvents == [.stopped(.byHand)])
    // Back, and past 07:00 again: the alarm has already rung today.
    desk.tell(moved(seconds: 0))
    desk.tell(moved(seconds: 20))
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.live(for: .seconds(3600)).alarms.isEmpty)
  }

  @Test("the same if the clock was set a little just before") func setJustBefore() {
    var desk = desk("mon-sun")
    desk.now = desk.now.set(by: .seconds(-2))
    desk.tell(moved(seconds: 30))
    #expect(desk.alarmEvents == [.rings(late: .seconds(13))])
  }

  @Test("the same if another trust in the clock is told first, when glibc has the zone already")
  func trustFirst() {
    var desk = desk("mon-sun")
    desk.tell(.trust(.untrusted))
    let event = moved(seconds: 20)
    desk.tell(.trust(.synchronised))
    #expect(desk.alarmEvents == [.rings(late: .seconds(5))])
    desk.tell(event)
    #expect(desk.alarmEvents.isEmpty)
  }

  @Test("what it steps over by more than ring_limit is told as missed", arguments: days)
  func tooLate(days: String) {
    var desk = desk(days)
    desk.tell(moved(seconds: 3600))
    #expect(desk.alarmEvents == [.expired(late: .seconds(3585))])
    let next = desk.announcer.alarms.alarms.first?.next
    #expect(next == (days == "mon-sun" ? Instant("2026-11-23T06:00:00") : nil))
  }

  @Test("what it does not reach rings at its time by the new clock", arguments: days)
  func notReached(days: String) {
    var desk = desk(days)
    desk.tell(moved(seconds: -3600))
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.announcer.alarms.alarms.first?.next == Instant("2026-11-22T08:00:00"))
  }

  @Test("what was over before the change does not ring by it", arguments: [0, 20, 3600])
  func over(seconds: Int) {
    var desk = desk("mon-sun", at: "2026-11-22T07:00:00")
    #expect(desk.alarmEvents == [.rings(late: nil)])
    desk.tell(.stop(.byHand))
    desk.tell(moved(seconds: seconds))
    #expect(desk.alarmEvents.isEmpty)
    // An alarm that is set after its time is for the next day.
    var later = self.desk("2026-11-30", at: "2026-11-22T07:00:10")
    later.tell(
      .alarm(
        .set(AlarmPlan(AlarmTimes(time: try! TimeOfDay(text: "07:00"), days: .next)))))
    later.tell(moved(seconds: 10 + seconds))
    #expect(later.alarmEvents.isEmpty)
  }
}
