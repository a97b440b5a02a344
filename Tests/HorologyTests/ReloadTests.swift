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

  @Test(
    "other settings count while there is time to begin anew; what sounds goes on",
    arguments: [("36", true), ("38", false), ("45", false), ("59", false)])
  func otherSettings(second: String, isTakenBack: Bool) throws {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:\(second)")
    var settings = desk.announcer.settings
    settings.quieter = try VolumeRules(text: "11:00-13:00 -12dB")
    desk.tell(.reloaded(settings, .none))
    #expect((desk.stopReason == .rulesChanged) == isTakenBack)
  }

  @Test("quiet hours silence what is only prepared, with or without time for another")
  func quietHours() throws {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:38")
    var settings = desk.announcer.settings
    settings.quiet = try QuietHours(text: "11:00-13:00")
    desk.tell(.reloaded(settings, .none))
    #expect(desk.stopReason == .rulesChanged)
    desk.end(.stopped(.rulesChanged, silentAt: nil))
    #expect(desk.skipReason == .quietHours)
  }

  @Test(
    "a step takes a chime back until its anchor, and the hour is said",
    arguments: [
      (Duration.seconds(36), Duration.milliseconds(60)), (.seconds(38), .milliseconds(-500)),
      (.seconds(45), .milliseconds(60)), (.milliseconds(59_900), .milliseconds(-200)),
    ])
  func clockThatIsSet(second: Duration, step: Duration) {
    var desk = noon()
    desk.wait(until: "2026-11-21T11:59:00", plus: second)
    desk.step(by: step)
    #expect(desk.stopReason == .clockSet)
    #expect(desk.reports.contains(.clockSet(by: step)))
    desk.end(.stopped(.clockSet, silentAt: nil))
    #expect(desk.played == "12:00:00")
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
}
