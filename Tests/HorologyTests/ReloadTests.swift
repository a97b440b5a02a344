import Horology
import Testing

/// Announcements that are under way when the configuration is reloaded.
@Suite struct ReloadTests {
  /// A melody of 20 s that leads to the hour.
  private static let chime = Tune.note(leading: .seconds(20))

  /// Noon is prepared, and its melody begins at 11:59:40.
  private func noon() -> Desk {
    var desk = Desk(at: "2026-11-21T11:50:00") { $0.chime = Self.chime }
    desk.wait(until: "2026-11-21T11:59:36")
    return desk
  }

  @Test("a reload that changes nothing of it leaves a chime alone", arguments: ["36", "45", "59"])
  func nothingOfIt(second: String) {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:\(second)")
    var settings = desk.announcer.settings
    settings.chimeQuarters = Self.chime
    desk.tell(.reloaded(settings, .none))
    #expect(!(desk.stopReason == .rulesChanged))
    #expect(desk.announcer.playing != nil)
  }

  /// The reports on noon, from a reload during its melody until noon has passed.
  private func told(
    silentAt: Uptime?, _ change: (inout AnnouncerSettings) throws -> Void
  ) rethrows -> [String] {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:45")
    var settings = desk.announcer.settings
    try change(&settings)
    desk.tell(.reloaded(settings, .none))
    #expect(desk.stopReason == .rulesChanged)
    var reports = desk.reports
    desk.end(.stopped(.rulesChanged, silentAt: silentAt))
    reports += desk.reports
    desk.wait(until: "2026-11-21T12:00:01")
    reports += desk.reports
    #expect(desk.announcer.next.instant == Instant("2026-11-21T12:15:00"))
    return reports.map {
      switch $0 {
      case .cutOff: "cut off"
      case .skipped(_, _, let reason): "skipped: \(reason.key)"
      default: "another"
      }
    }
  }

  @Test("a chime that a reload silences in its melody is told once, as cut off")
  func toldOnce() throws {
    let quiet = try QuietHours(text: "11:00-13:00")
    let heard = Uptime(seconds: 2000)
    #expect(told(silentAt: heard) { $0.quiet = quiet } == ["cut off"])
    #expect(
      told(silentAt: heard) {
        $0.chime = nil
        $0.voiceAtHour = .none
      } == ["cut off"])
    #expect(told(silentAt: nil) { $0.quiet = quiet } == ["skipped: quiet_hours"])
  }

  @Test("a chime that is cut off because the clock was set past it is told once")
  func setPastIt() {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:45")
    desk.step(by: .seconds(20 * 60))
    #expect(desk.skips.isEmpty)
    desk.end(.stopped(.clockSet, silentAt: desk.now.uptime))
    #expect(desk.reports.count == 2)
    #expect(desk.skips.map(\.first) == [Instant("2026-11-21T12:15:00")])
  }

  @Test("a loudness that is changed when a chime cannot begin anew leaves it alone")
  func anotherLoudness() throws {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:38")
    var settings = desk.announcer.settings
    settings.quieter = try VolumeRules(text: "11:00-13:00 -12dB")
    desk.tell(.reloaded(settings, .none))
    #expect(!(desk.stopReason == .rulesChanged))
    #expect(desk.announcer.playing != nil)
  }

  @Test(
    "a step takes a chime back that can begin anew, or whose beginning has passed",
    arguments: [
      ("38", Duration.milliseconds(60), false), ("38", .milliseconds(-500), false),
      ("38", .seconds(-2), true), ("36", .milliseconds(60), true), ("38", .seconds(2), true),
    ])
  func clockThatIsSet(second: String, step: Duration, isTakenBack: Bool) {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:\(second)")
    desk.step(by: step)
    #expect((desk.stopReason == .clockSet) == isTakenBack)
  }

  @Test(
    "a melody that sounds goes on through a small step, while its blow can be moved with the clock",
    arguments: [
      (Duration.seconds(45), Duration.milliseconds(60), false),
      (.seconds(45), .milliseconds(500), false), (.seconds(45), .milliseconds(-500), false),
      (.seconds(45), .milliseconds(501), true), (.seconds(45), .milliseconds(-501), true),
      (.milliseconds(59_500), .milliseconds(60), false),
      (.milliseconds(59_500), .milliseconds(101), true),
      (.milliseconds(59_900), .milliseconds(200), true),
    ])
  func clockThatIsSetInTheMelody(second: Duration, step: Duration, isTakenBack: Bool) {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:00", plus: second)
    desk.step(by: step)
    #expect((desk.stopReason == .clockSet) == isTakenBack)
    #expect(desk.reports.contains(.clockSet(by: step)))
    let next = isTakenBack ? "2026-11-21T12:00:00" : "2026-11-21T12:15:00"
    #expect(desk.announcer.next.instant == Instant(next))
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

  @Test("an occasion that may still come late does so under another interval")
  func lateOccasion() throws {
    var desk = Desk(at: "2026-11-21T12:10:00")
    desk.wait(until: "2026-11-21T12:14:57")
    desk.wait(until: "2026-11-21T12:15:02")
    desk.end(.failed("busy", heard: .nothing))
    var settings = desk.announcer.settings
    settings.interval = Interval(minutes: 5)!
    desk.tell(.reloaded(settings, .none))
    #expect(desk.skips.isEmpty)
    desk.wait(until: "2026-11-21T12:15:04")
    #expect(desk.played == "12:15:00")
  }

  @Test("a zone that shows the same leaves a chime alone") func sameTime() {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:45")
    desk.tell(.zoneChanged(TestZone.fixed(minutes: 0)))
    #expect(!(desk.stopReason == .rulesChanged))
  }

  @Test("a rise that is reckoned anew by a clock a little off takes no time of an alarm back")
  func rise() throws {
    var plan = AlarmPlan(AlarmTimes(time: try TimeOfDay(text: "11:50"), days: .next))
    plan.rise = AlarmRise(from: -20, over: .seconds(40))
    var desk = Desk(at: "2026-11-21T11:49:30") {
      $0.saysTimers = true
      $0.interval = Interval(minutes: 60)!
    }
    desk.tell(.reminder(.set(plan)))
    while desk.announcer.playing == nil, desk.now.instant < Instant("2026-11-21T11:51:00") {
      desk.wait(for: max(try #require(desk.wake) - desk.now.instant, .milliseconds(10)))
    }
    let words = try #require(desk.announcer.playing)
    // A disciplined clock moves like this. It is not a step.
    desk.now = desk.now.set(by: .milliseconds(1))
    desk.tell(.reloaded(desk.announcer.settings, .none))
    #expect(!desk.stopped.contains(words.id))
  }
}
