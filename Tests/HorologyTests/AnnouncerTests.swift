import Horology
import TestSupport
import Testing

@Suite struct AnnouncerTests {
  @Test("it wakes ahead of the next quarter and plays it on the second") func wakesAhead() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    #expect(desk.wake == Instant("2026-11-21T15:15:00") - Announcer.preparation)
    desk.wait(until: "2026-11-21T15:14:57")
    #expect(desk.played == "15:15:00")
    #expect(desk.anchor == Instant("2026-11-21T15:15:00"))
  }

  @Test("after a start only later occasions sound") func start() {
    var desk = Desk(at: "2026-11-21T15:15:00")
    #expect(desk.played == nil)
    desk.wait(until: "2026-11-21T15:15:05")
    #expect(desk.played == nil)
    #expect(desk.announcer.next.instant == Instant("2026-11-21T15:30:00"))
  }

  @Test("a quarter that comes a little late is still spoken", .rule("late-words"))
  func aQuarterThatComesALittleLateIsStillSpoken() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.wait(until: "2026-11-21T15:15:09")
    #expect(desk.played == "15:15:00")
    #expect(desk.anchor == Instant("2026-11-21T15:15:09") + Announcer.requestLead)
  }

  @Test(
    "a quarter that is too late is skipped with its reason", .rule("late-words", "silence-told"))
  func aQuarterThatIsTooLateIsSkippedWithItsReason() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.wait(until: "2026-11-21T15:15:10", plus: .milliseconds(1))
    #expect(desk.played == nil)
    #expect(desk.skipReason == .late(.milliseconds(10_001)))
  }

  @Test("a time is late if it would be heard too late", .rule("late-words"))
  func aTimeIsLateIfItWouldBeHeardTooLate() {
    var desk = Desk(at: "2026-11-21T15:07:00") { $0.leadIn = .seconds(4) }
    desk.wait(until: "2026-11-21T15:15:06")
    #expect(desk.anchor == Instant("2026-11-21T15:15:10"))
    desk = Desk(at: "2026-11-21T15:07:00") { $0.leadIn = .seconds(4) }
    desk.wait(until: "2026-11-21T15:15:07")
    #expect(desk.played == nil, "it would be heard at 15:15:11")
    #expect(desk.skipReason == .late(.seconds(7)))
  }

  @Test("a night asleep is one entry") func night() {
    var desk = Desk(at: "2026-11-21T22:07:00")
    desk.step(by: .seconds(8 * 3600))
    let skips = desk.skips
    #expect(skips.count == 1)
    #expect(skips.first?.first == Instant("2026-11-21T22:15:00"))
    #expect(skips.first?.last == Instant("2026-11-22T06:00:00"))
    #expect(desk.wake == Instant("2026-11-22T06:15:00") - Announcer.preparation)
  }

  @Test("a step back of more than the interval forgets the past", .rule("set-back-far"))
  func farBack() {
    var desk = Desk(at: "2026-11-21T15:14:58")
    desk.wait(until: "2026-11-21T15:29:00")
    desk.end(.finished(.exact))
    desk.step(by: .seconds(-20 * 60))
    desk.wait(until: "2026-11-21T15:14:57")
    #expect(desk.played == "15:15:00")
  }

  @Test("many small steps back forget the past as one large does", .rule("set-back-far"))
  func farBackInSteps() {
    var desk = Desk(at: "2026-11-21T15:14:58")
    desk.wait(until: "2026-11-21T15:15:05")
    desk.end(.finished(.exact))
    for _ in 1...4 { desk.step(by: .seconds(-5 * 60)) }
    #expect(desk.wake == Instant("2026-11-21T15:00:00") - Announcer.preparation)
    desk.wait(until: "2026-11-21T15:14:57")
    #expect(desk.played == "15:15:00")
  }

  @Test(
    "what has sounded does not sound again at another interval after a small step back",
    .rule("set-back-little"))
  func backToAnotherInterval() {
    var desk = Desk(at: "2026-11-21T15:14:58")
    desk.wait(until: "2026-11-21T15:15:05")
    desk.end(.finished(.exact))
    desk.step(by: .seconds(-20))
    var settings = desk.announcer.settings
    settings.interval = Interval(minutes: 5)!
    desk.tell(.reloaded(settings))
    #expect(desk.announcer.next.instant == Instant("2026-11-21T15:20:00"))
  }

  @Test("a small step while it speaks lets it finish") func smallStep() {
    var desk = Desk(at: "2026-11-21T15:14:58")
    desk.wait(until: "2026-11-21T15:15:01")
    desk.step(by: .seconds(2))
    #expect(!(desk.stopReason == .clockSet))
  }

  @Test(
    "an untrusted clock says what its owner allows",
    .rule("untrusted-announcements", "untrusted-asked", "given-time"),
    arguments: [
      (UntrustedPolicy.silent, false, false), (.chime, false, false), (.ask, false, true),
      (.speak, true, true),
    ])
  func untrusted(
    policy: UntrustedPolicy, occasions: Bool, requests: Bool
  ) {
    var desk = Desk(at: "2026-11-21T15:14:58", trust: .untrusted) { $0.untrusted = policy }
    #expect((desk.played != nil) == occasions)
    #expect((desk.skipReason == .untrusted) == !occasions)
    desk.wait(until: "2026-11-21T15:20:00")
    desk.end(.finished(.exact))
    desk.tell(.asked(speakerIsAwake: false))
    #expect((desk.played != nil) == requests)
    #expect((desk.refusal == .untrusted) == !requests)
    desk.end(.finished(.exact))
    desk.tell(.asked(CivilTime(hour: 12, minute: 0)!, speakerIsAwake: false))
    #expect(desk.played == "12:00:00")
  }

  @Test("whoever asks is told the minute in which the answer begins") func minuteOfTheAnswer() {
    var desk = Desk(at: "2026-11-21T15:07:30")
    desk.now = desk.now.later(by: .milliseconds(29_800))
    desk.tell(.asked(speakerIsAwake: false))
    #expect(desk.played == "15:08:00")
  }

  @Test("a time that was given stays true, and is in no occasion's way") func givenTime() {
    let noon = CivilTime(hour: 12, minute: 0)!
    var desk = Desk(at: "2026-11-21T15:07:58")
    desk.tell(.asked(noon, speakerIsAwake: false))
    #expect(desk.latest == Instant("2026-11-21T15:15:00") - .milliseconds(5_400))
    desk = Desk(at: "2026-11-21T15:14:53")
    desk.tell(.asked(noon, speakerIsAwake: false))
    #expect(desk.played == "12:00:00")
  }

  @Test("the words of an occasion are not begun later than they may be", .rule("late-words"))
  func theWordsOfAnOccasionAreNotBegunTooLate() {
    var desk = Desk(at: "2026-11-21T15:14:58")
    #expect(desk.latest == Instant("2026-11-21T15:15:10"))
    desk.wait(until: "2026-11-21T15:15:04")
    desk.end(.tooLate(by: .seconds(11)))
    #expect(desk.wake == desk.now.instant + Announcer.retryDelay)
    desk.wait(until: "2026-11-21T15:15:05")
    desk.wait(until: "2026-11-21T15:15:11")
    desk.end(.tooLate(by: .seconds(6)))
    #expect(desk.skipReason == .failed("the speaker was ready 6.0 s too late for it"))
  }

  @Test("a sleep and a clock that is set are told apart, and both where both came")
  func sleepAndStep() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.sleep(for: .seconds(3600))
    #expect(desk.reports.first == .slept(for: .seconds(3600)))
    #expect(!desk.reports.contains { if case .clockSet = $0 { true } else { false } })
    desk.step(by: .seconds(-20))
    #expect(desk.reports.first == .clockSet(by: .seconds(-20)))
    desk.now = desk.now.asleep(for: .seconds(60)).set(by: .seconds(60))
    desk.tell(.woke)
    #expect(
      desk.reports.prefix(2) == [.clockSet(by: .seconds(60)), .slept(for: .seconds(60))])
    // A sleep that the clock did not count. The clock shows the same time as before, so nothing
    // that plays would be off.
    desk.now = desk.now.asleep(for: .seconds(30)).set(by: .seconds(-30))
    desk.tell(.woke)
    #expect(desk.reports == [.clockSet(by: .seconds(-30)), .slept(for: .seconds(30))])
  }

  @Test("a question just before a quarter is answered by the quarter") func askedBeforeAQuarter() {
    var desk = Desk(at: "2026-11-21T15:14:56")
    desk.tell(.asked(speakerIsAwake: false))
    #expect(desk.refusal == .occasionIsNear)
    desk.wait(until: "2026-11-21T15:14:58")
    desk.tell(.asked(speakerIsAwake: false))
    #expect(desk.refusal == .occasionIsNear)
    desk.wait(until: "2026-11-21T15:15:01")
    desk.tell(.asked(speakerIsAwake: false))
    #expect(desk.refusal == .busy)
  }

  @Test("a question just before a quiet quarter is answered", .rule("quiet-asked"))
  func askedBeforeAQuietQuarter() throws {
    let quiet = try QuietHours(text: "15:00-16:00")
    var desk = Desk(at: "2026-11-21T15:14:56") { $0.quiet = quiet }
    desk.tell(.asked(speakerIsAwake: false))
    #expect(desk.played == "15:14:56")
  }

  @Test(
    "a speaker that fails is tried again while the time is true",
    .rule("speaker-again", "lost-speaker"))
  func triedAgain() {
    var desk = Desk(at: "2026-11-21T15:14:58")
    desk.end(.failed("gone", heard: .nothing))
    #expect(desk.reports.count == 1)
    #expect(desk.wake == desk.now.instant + Announcer.retryDelay)
    desk.wait(until: "2026-11-21T15:15:05")
    #expect(desk.played == "15:15:00")
    desk.end(.failed("gone", heard: .nothing))
    #expect(desk.reports.isEmpty)
    desk.wait(until: "2026-11-21T15:15:11")
    #expect(desk.skipReason == .failed("gone"))
    #expect(desk.announcer.next.instant == Instant("2026-11-21T15:30:00"))
  }

  @Test("an occasion waits for what sounds, and is skipped if that lasts too long") func waits() {
    var desk = Desk(at: "2026-11-21T15:14:40") { $0.interval = Interval(minutes: 1)! }
    desk.wait(until: "2026-11-21T15:14:57")
    #expect(desk.played == "15:15:00")
    desk.wait(until: "2026-11-21T15:15:58")
    #expect(desk.played == nil)
    desk.wait(until: "2026-11-21T15:16:03")
    desk.end(.finished(.exact))
    #expect(desk.played == "15:16:00")
    desk.wait(until: "2026-11-21T15:17:11")
    #expect(desk.skipReason == .busy)
  }
}
