import Testing

@testable import Horology

/// A change of the zone while the service is off.
@Suite struct AlarmZoneWhileOffTests {
  private static let days = ["mon-sun", "once", "2026-11-22"]

  /// A service with one alarm, on a Sunday at 06:59:45 UTC.
  private func stopped(_ days: String, at time: String = "07:00", zone: TestZone = .utc) -> Desk {
    var desk = Desk(at: "2026-11-21T12:00:00") {
      $0.interval = Interval(minutes: 60)!
      $0.voiceAtHour = .none
    }
    desk.tell(.zoneChanged(zone))
    set(&desk, time, days)
    desk.wait(until: "2026-11-22T06:59:45")
    return desk
  }

  private func set(_ desk: inout Desk, _ time: String, _ days: String) {
    let times = AlarmTimes(
      time: try! TimeOfDay(text: time), days: try! AlarmDays(text: days))
    desk.tell(.alarm(.set(AlarmPlan(times))))
  }

  /// The next start, after `span`, from the saved alarms.
  private func started(
    _ desk: Desk, in zone: TestZone, after span: Duration = .seconds(5), isSameBoot: Bool = true,
    trust: ClockTrust = .synchronised
  ) -> Desk {
    var next = desk
    next.now = desk.now.later(by: span)
    if !isSameBoot {
      next.now = Now(
        instant: next.now.instant, uptime: Uptime(seconds: 20), sinceBoot: .seconds(20))
    }
    let saved = desk.announcer
    next.announcer = Announcer(
      settings: saved.settings, zone: zone, trust: trust,
      alarms: Alarms(
        saved.alarms.alarms, isSameBoot: isSameBoot, zoneOffset: saved.alarms.zoneOffset,
        at: next.now), at: next.now)
    next.tell(.woke)
    return next
  }

  private func ahead(seconds: Int) -> TestZone { TestZone { _ in seconds } }

  @Test("what it steps over rings late, once", arguments: days, [true, false])
  func steppedOver(days: String, isSameBoot: Bool) {
    var desk = started(stopped(days), in: ahead(seconds: 20), isSameBoot: isSameBoot)
    #expect(desk.alarmEvents == [.rings(late: .seconds(10))])
    desk.tell(.stop(.byHand))
    // Back, and past 07:00 again: the alarm has already rung today.
    desk = started(desk, in: ahead(seconds: 0), after: .seconds(1))
    desk = started(desk, in: ahead(seconds: 20), after: .seconds(1))
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.live(for: .seconds(3600)).alarms.isEmpty)
  }

  @Test("what it steps over by more than ring_limit is told as missed", arguments: days)
  func tooLate(days: String) {
    let desk = started(stopped(days), in: ahead(seconds: 3600))
    #expect(desk.alarmEvents == [.expired(late: .seconds(3590))])
    let next = desk.announcer.alarms.alarms.first?.next
    #expect(next == (days == "mon-sun" ? Instant("2026-11-23T06:00:00") : nil))
  }

  @Test("the same once the clock is trusted, even after another start", arguments: [1, 2])
  func untrusted(starts: Int) {
    var desk = stopped("mon-sun")
    for _ in 1...starts {
      desk = started(desk, in: ahead(seconds: 20), isSameBoot: false, trust: .untrusted)
      #expect(desk.alarmEvents.isEmpty)
    }
    desk.tell(.trust(.synchronised))
    #expect(desk.alarmEvents == [.rings(late: .seconds(5 * starts + 5))])
  }

  @Test("what a change of an untrusted stretch steps over is due with the trust", arguments: days)
  func whileUntrusted(days: String) {
    var desk = stopped(days)
    desk.tell(.trust(.untrusted))
    desk.tell(.zoneChanged(ahead(seconds: 20)))
    #expect(desk.alarmEvents.isEmpty)
    desk.tell(.trust(.synchronised))
    #expect(desk.alarmEvents == [.rings(late: .seconds(5))])
  }

  @Test("a change that was taken in is not taken in again at a start", arguments: [true, false])
  func takenIn(isTrusted: Bool) {
    var desk = stopped("mon-sun", at: "08:00")
    if !isTrusted { desk.tell(.trust(.untrusted)) }
    desk.tell(.zoneChanged(ahead(seconds: -7200)))
    desk.tell(.trust(.synchronised))
    #expect(desk.alarmEvents.isEmpty)
    desk = started(desk, in: ahead(seconds: -7200), isSameBoot: false)
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.announcer.alarms.alarms.first?.next == Instant("2026-11-22T10:00:00"))
  }

  @Test("what it does not reach rings at its time by the new zone", arguments: days)
  func notReached(days: String) {
    var desk = started(stopped(days), in: ahead(seconds: -3600))
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.announcer.alarms.alarms.first?.next == Instant("2026-11-22T08:00:00"))
    desk = started(stopped(days, at: "07:01"), in: ahead(seconds: 20))
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.announcer.alarms.alarms.first?.next == Instant("2026-11-22T07:00:40"))
  }

  @Test("what was over before does not ring by it", arguments: [20, 3600, -3600])
  func over(seconds: Int) {
    var desk = stopped("2026-11-30")
    set(&desk, "06:59", "once")
    set(&desk, "06:59", "mon-sun")
    #expect(started(desk, in: ahead(seconds: seconds)).alarmEvents.isEmpty)
  }

  @Test(
    "clocks that are put forward or back meanwhile step over nothing", arguments: [3600, -3600])
  func season(seconds: Int) {
    let change = Instant("2026-11-22T07:00:00").seconds
    let zone = TestZone.changing(from: 7200, to: 7200 + seconds, at: change)
    // These are set after their time, so they are for the next day.
    var desk = stopped("2026-11-30", zone: zone)
    set(&desk, "08:58", "mon-sun")
    set(&desk, "08:58", "once")
    desk = started(desk, in: zone, after: .seconds(600))
    #expect(desk.alarmEvents.isEmpty)
  }

  @Test("an alarm that the configuration has only now has not been stepped over")
  func configuredMeanwhile() throws {
    let saved = stopped("2026-11-30", zone: ahead(seconds: -36_000))
    let times = AlarmTimes(time: try TimeOfDay(text: "19:00"), days: try AlarmDays(text: "mon-sun"))
    var changed = saved
    changed.announcer.rules.settings.alarms = [AlarmPlan(name: "school", times)]
    // The clock now shows 19:59:50, past the alarm's time.
    let desk = started(changed, in: ahead(seconds: 46_800))
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.announcer.alarms.alarms.last?.next == Instant("2026-11-23T06:00:00"))
  }

  @Test("what rings the second time that the clock shows it has not been stepped over")
  func repeatedHour() {
    let change = Instant("2026-11-22T07:00:00").seconds
    let zone = TestZone.changing(from: 3600, to: 0, at: change)
    // The clock shows 07:59:45, and 07:30 comes a second time.
    var desk = stopped("2026-11-30", zone: zone)
    set(&desk, "07:30", "once")
    desk = started(desk, in: zone)
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.announcer.alarms.alarms.last?.next == Instant("2026-11-22T07:30:00"))
  }
}
