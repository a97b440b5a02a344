import Horology
import TestSupport
import Testing

/// What becomes of an announcement that is under way when something else happens.
@Suite struct UnderWayTests {
  /// Noon is prepared. Its melody of one note begins at 11:59:40.
  private func noon(
    at time: String = "11:59:36", plus span: Duration = .zero,
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) -> Desk {
    var desk = Desk(at: "2026-11-21T11:50:00") {
      $0.chime = Tune.note(leading: .seconds(20), rest: .seconds(8))
      change(&$0)
    }
    desk.wait(until: "2026-11-21T11:59:36")
    desk.wait(until: "2026-11-21T\(time)", plus: span)
    return desk
  }

  /// The first quarter, as words alone.
  private func quarter(at time: String, plus span: Duration = .zero) -> Desk {
    var desk = Desk(at: "2026-11-21T15:14:00")
    desk.wait(until: "2026-11-21T15:14:55")
    desk.wait(until: "2026-11-21T\(time)", plus: span)
    return desk
  }

  // MARK: The settings, the zone, the trust

  @Test(
    "other settings count while there is time to begin anew; what sounds goes on",
    .rule("setting-and-sound"),
    arguments: [("36", true), ("38", false), ("45", false), ("59", false)])
  func otherSettings(second: String, isTakenBack: Bool) throws {
    var desk = noon(at: "11:59:\(second)")
    var settings = desk.announcer.settings
    settings.quieter = try VolumeRules(text: "11:00-13:00 -12dB")
    desk.tell(.reloaded(settings))
    #expect((desk.stopReason == .rulesChanged) == isTakenBack)
  }

  @Test(
    "quiet hours silence what is only prepared, with or without time for another",
    .rule("quiet-announcements"))
  func quietHours() throws {
    var desk = noon(at: "11:59:38")
    var settings = desk.announcer.settings
    settings.quiet = try QuietHours(text: "11:00-13:00")
    desk.tell(.reloaded(settings))
    #expect(desk.stopReason == .rulesChanged)
    desk.end(.stopped(.rulesChanged, silentAt: nil))
    #expect(desk.skipReason == .quietHours)
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
    desk.tell(.reloaded(settings))
    #expect(desk.skips.isEmpty)
    #expect(desk.announcer.next.instant == Instant("2026-11-21T12:45:00"))
    settings.interval = Interval(minutes: 60)!
    desk.tell(.reloaded(settings))
    desk.tell(.zoneChanged(TestZone.fixed(minutes: 30)))
    #expect(desk.skips.isEmpty)
    #expect(desk.announcer.next.instant == Instant("2026-11-21T13:30:00"))
  }

  @Test("in another zone what is being said is finished, and what comes before it is made anew")
  func anotherZone() {
    for (desk, isStopped) in [
      (quarter(at: "15:14:58"), true), (noon(at: "11:59:45"), true),
      (quarter(at: "15:15:01"), false),
    ] {
      var desk = desk
      desk.tell(.zoneChanged(TestZone.fixed(minutes: 60)))
      #expect((desk.stopReason == .rulesChanged) == isStopped)
    }
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

  // MARK: The clock is set

  @Test(
    "a step takes a chime back until its anchor, and the hour is said", .rule("set-in-melody"),
    arguments: [
      ("11:59:36", Duration.milliseconds(60)), ("11:59:38", .milliseconds(-500)),
      ("11:59:45", .milliseconds(60)), ("11:59:59", .milliseconds(-200)),
    ])
  func setBeforeAnchor(time: String, step: Duration) {
    var desk = noon(at: time)
    desk.step(by: step)
    #expect(desk.stopReason == .clockSet)
    #expect(desk.reports.contains(.clockSet(by: step)))
    desk.end(.stopped(.clockSet, silentAt: nil))
    #expect(desk.played == "12:00:00")
  }

  @Test(
    "words that a step of the clock may make wrong are not said after their chime",
    .rule("late-words"))
  func setBeforeWords() {
    var desk = noon(at: "12:00:01")
    desk.step(by: .seconds(-5))
    #expect(desk.stopReason == .clockSet)
    var words = quarter(at: "15:15:01")
    words.step(by: .seconds(-5))
    #expect(words.stopReason == nil)
  }

  @Test("asked right after a sleep, it is not refused for an occasion that has passed")
  func askedAfterSleep() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.now = desk.now.asleep(for: .seconds(17 * 60))
    desk.tell(.asked(speakerIsAwake: true))
    #expect(desk.refusal == nil)
    #expect(desk.announcer.playing?.cause == .request)
  }

  // MARK: The speaker fails

  @Test(
    "a speaker that is lost in the melody, and back before the hour, says the hour",
    .rule("lost-melody"))
  func lostInTheMelody() {
    var desk = noon(at: "11:59:45")
    desk.end(.failed("gone", heard: .begun))
    #expect(desk.skipReason == nil)
    desk.wait(until: "2026-11-21T11:59:46", plus: .milliseconds(100))
    #expect(desk.announcer.playing?.programme.blows.isEmpty == true)
    #expect(desk.announcer.playing?.anchor == Instant("2026-11-21T12:00:00"))
  }

  @Test("an hour that was heard is not told as skipped when its words cannot be read")
  func wordsUnread() {
    var desk = noon(at: "12:00:05")
    desk.end(.failed("torn", heard: .anchor))
    guard case .brokeOff(_, "torn")? = desk.reports.first else {
      Issue.record("\(desk.reports)")
      return
    }
    #expect(desk.skipReason == nil && desk.announcer.playing == nil)
    #expect(desk.announcer.next.civil.minute == 15)
  }

  // MARK: Mutes and stops

  @Test("a chime does not begin in a mute that ends before the hour; the hour is said after it")
  func muteEndsInTheMelody() throws {
    var desk = Desk(at: "2026-11-21T11:58:00") { $0.chime = .note(leading: .seconds(20)) }
    let end = Instant("2026-11-21T11:59:50")
    // The agenda knows it, too.
    var agenda = Agenda(
      desk.announcer.settings, zone: TestZone.utc, from: desk.now.instant,
      mute: (.until(end), at: desk.now.instant)
    ) { _ in .seconds(30) }
    let first = agenda.next()
    let listed = try #require(first)
    #expect(listed.refusal == nil && listed.tune == nil && listed.speaks)
    desk.tell(.mute(.until(end)))
    desk.wait(until: "2026-11-21T11:59:36")
    #expect(desk.announcer.playing == nil)
    desk.wait(until: "2026-11-21T11:59:50")
    let announcement = try #require(desk.announcer.playing)
    #expect(announcement.programme.blows.isEmpty && announcement.isShortened)
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

  @Test("once the service ends, nothing further is decided while the last is heard")
  func serviceEnds() {
    var desk = noon(at: "12:00:03") { $0.atStop = .finish }
    desk.tell(.stop(.serviceEnds))
    desk.wait(until: "2026-11-21T12:14:57")
    desk.end(.finished(.exact))
    #expect(desk.played == nil)
    desk.wait(until: "2026-11-21T12:20:00")
    #expect(desk.skipReason == nil)
  }
}
