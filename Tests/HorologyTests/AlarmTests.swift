import Basics
import TestSupport
import Testing

@testable import Horology

/// When alarms ring next, what becomes of late ones, and the alarms of the configuration.
@Suite struct AlarmTests {
  private func desk(
    trust: ClockTrust = .synchronised, _ plans: [AlarmPlan] = [.at("07:00")],
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) -> Desk {
    // A Saturday. No occasion sounds.
    var desk = Desk(at: "2026-11-21T22:00:00", trust: trust) {
      $0.voiceAtHour = .none
      $0.interval = Interval(minutes: 60)!
      change(&$0)
    }
    for plan in plans { desk.tell(.reminder(.set(plan))) }
    return desk
  }

  // MARK: The next ring

  @Test(
    "set back it rings again only if the clock is more than an hour before the last ring",
    .rule("alarm-set-back"),
    arguments: [
      ("2026-11-22T06:00:00", "2026-11-23T07:00:00"),
      ("2026-11-22T05:59:59", "2026-11-22T07:00:00"),
      ("2026-11-20T12:00:00", "2026-11-21T07:00:00"),
    ], [true, false])
  func setBack(step: (to: String, next: String), isRestarted: Bool) {
    var desk = desk()
    desk.wait(until: "2026-11-22T07:00:00")
    desk.tell(.stop(.byHand))
    let span = Instant(step.to) - desk.now.instant
    if isRestarted { desk.restart(after: span, isSameBoot: false) } else { desk.step(by: span) }
    #expect(desk.next == [step.next])
  }

  @Test(
    "what a change of zone steps over rings late, or is told as missed",
    .rule("alarm-late", "alarm-missed"),
    arguments: [
      (70, ReminderEvent.rings(.due(late: .seconds(600)))), (120, .expired(late: .seconds(3600))),
    ])
  func zone(minutes: Int, event: ReminderEvent) {
    var desk = desk()
    desk.wait(until: "2026-11-22T06:00:00")
    desk.tell(.zoneChanged(TestZone.fixed(minutes: minutes)))
    #expect(desk.alarmEvents == [event])
  }

  @Test(
    "skip leaves out the next ring, and one more each time; it is refused while it rings",
    .rule("alarm-skip"))
  func skip() {
    var desk = desk()
    for day in [23, 24] {
      desk.tell(.reminder(.skip("1")))
      #expect(desk.next == ["2026-11-\(day)T07:00:00"])
    }
    desk.restart(after: .seconds(2 * 86_400), isSameBoot: false)
    #expect(desk.alarmEvents.isEmpty && desk.next == ["2026-11-24T07:00:00"])
    // The clock was wrong when it was skipped.
    desk.step(by: Instant("2026-11-20T07:00:01") - desk.now.instant)
    #expect(desk.next == ["2026-11-21T07:00:00"])
    desk.wait(until: "2026-11-21T07:00:00")
    desk.tell(.reminder(.skip("1")))
    #expect(desk.orderRefusal == .isUp(desk.alarms[0]))
  }

  @Test("one that is off rings at its next time once it is on, and is stopped", .rule("alarm-off"))
  func off() {
    var desk = desk()
    desk.tell(.reminder(.turn("1", on: false)))
    desk.wait(until: "2026-11-22T07:00:30")
    #expect(desk.alarmEvents.isEmpty && desk.next == [nil])
    desk.tell(.reminder(.turn("1", on: true)))
    #expect(desk.alarmEvents == [.changed(.turned(on: true))])
    #expect(desk.next == ["2026-11-23T07:00:00"])
    // Done already, so nothing is told.
    desk.tell(.reminder(.turn("1", on: true)))
    #expect(desk.alarmEvents.isEmpty)
    desk.wait(until: "2026-11-23T07:00:00")
    desk.tell(.reminder(.turn("1", on: false)))
    #expect(desk.alarmEvents == [.stopped(.byHand), .changed(.turned(on: false))])
    #expect(desk.next == [nil])
  }

  @Test("what was skipped rings again", .rule("alarm-unskip"))
  func unskip() {
    var desk = desk()
    desk.tell(.reminder(.skip("1")))
    desk.tell(.reminder(.unskip("1")))
    #expect(desk.next == ["2026-11-22T07:00:00"])
    desk.tell(.reminder(.unskip("1")))
    #expect(desk.orderRefusal == .skipsNothing(desk.alarms[0]))
  }

  @Test("one that is changed rings at its new times alone", .rule("alarm-change"))
  func change() {
    var desk = desk()
    desk.tell(.reminder(.turn("1", on: false)))
    desk.tell(.reminder(.set(.at("06:00"), replaces: "1")))
    #expect(desk.next == [nil] && desk.alarms.map(\.number) == [1])
    desk.tell(.reminder(.turn("1", on: true)))
    #expect(desk.next == ["2026-11-22T06:00:00"])
    desk.tell(.reminder(.skip("1")))
    desk.tell(.reminder(.set(.at("06:00", name: "work"), replaces: "1")))
    #expect(desk.next == ["2026-11-23T06:00:00"])
    desk.tell(.reminder(.unskip("work")))
    desk.wait(until: "2026-11-22T06:00:00")
    desk.tell(.reminder(.set(.at("09:00"), replaces: "1")))
    #expect(desk.orderRefusal == .isUp(desk.alarms[0]))
  }

  @Test(
    "no clock is too far off",
    arguments: [Int64.min + 1, -1, 0, 7_289_654_400_000_000_000, Int64.max - 4_000_000_000_000_000])
  func extremes(nanoseconds: Int64) throws {
    let zone = TestZone.utc
    for trust in [ClockTrust.synchronised, .untrusted] {
      var reminders = Reminders()
      let rules = Rules(AnnouncerSettings(), zone: zone, trust: trust)
      let set = Now("2200-12-30T12:00:00", running: .seconds(1))
      for days in ["mon-sun", "2200-12-31"] {
        _ = try reminders.handle(.set(.at("07:00", days)), at: set, rules)
      }
      let now = Now(
        instant: Instant(nanoseconds: nanoseconds), uptime: Uptime(seconds: 1),
        sinceBoot: .seconds(1))
      _ = reminders.due(at: now, rules)
      reminders.planAlarms(at: now, rules)
      _ = reminders.due(at: now, rules)
      let daily = try #require(reminders.alarms.first)
      #expect(daily.number == 1 && !daily.isRinging)
      let next = daily.next.map { now.instant < $0 && Instant.allowed.contains($0) }
      #expect(next == (now.instant > Instant.allowed.upperBound ? nil : true))
    }
  }

  // MARK: Trust

  @Test(
    "what an untrusted clock did not judge rings late with the trust, up to ring_limit",
    .rule("untrusted-alarms", "alarm-late", "alarm-missed"),
    arguments: [
      (300, ReminderEvent.rings(.due(late: .seconds(300)))),
      (7200, .expired(late: .seconds(7200))),
    ])
  func trustComes(late: Int, event: ReminderEvent) {
    var desk = desk()
    desk.tell(.trust(.untrusted))
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(desk.alarmEvents == [.silenced(.untrusted)])
    desk.wait(for: .seconds(late))
    #expect(desk.alarmEvents.isEmpty)
    desk.tell(.trust(.synchronised))
    #expect(desk.alarmEvents == [event])
  }

  @Test(
    "set while nobody knew the time, it is never missed, and rings late up to ring_limit",
    .rule("alarm-late"))
  func setUntrusted() {
    for (shown, event) in [
      ("2026-11-25T07:05:00", ReminderEvent.rings(.due(late: .seconds(300)))),
      ("2026-11-25T12:00:00", nil),
    ] {
      var desk = desk(trust: .untrusted)
      desk.step(by: Instant(shown) - desk.now.instant)
      desk.tell(.trust(.synchronised))
      #expect(desk.alarmEvents == [event].compactMap { $0 })
    }
  }

  @Test(
    "with untrusted = speak it rings by that clock, and not again for the same time",
    .rule("untrusted-alarms"))
  func speaks() {
    var desk = desk(trust: .untrusted) { $0.untrusted = .speak }
    desk.restart(after: .seconds(9 * 3600 + 300), isSameBoot: false)
    #expect(desk.alarmEvents == [.rings(.due(late: .seconds(300)))])
    desk.tell(.stop(.byHand))
    desk.step(by: .seconds(-120))
    desk.tell(.trust(.synchronised))
    #expect(desk.alarmEvents.isEmpty && desk.next == ["2026-11-23T07:00:00"])
  }

  // MARK: Late

  @Test(
    "the machine slept or was off: within ring_limit it rings, later it has expired",
    .rule("alarm-late"),
    arguments: [true, false])
  func late(isSameBoot: Bool) {
    var desk = desk([.at("07:00"), .at("06:50", "once")])
    desk.restart(after: .seconds(9 * 3600 + 600), isSameBoot: isSameBoot)
    #expect(
      desk.alarmEvents == [.rings(.due(late: .seconds(600))), .expired(late: .seconds(1200))])
    #expect(desk.alarms.map(\.due) == [Instant("2026-11-22T07:00:00")])
    // A late ring begins as soon as the lead allows.
    #expect(desk.alarms[0].moment?.left(at: desk.now) == Announcer.requestLead)
  }

  @Test(
    "off for days it is told once, and rings if the last time is not too late",
    .rule("alarm-late", "alarm-missed"))
  func offForDays() {
    var desk = desk()
    desk.restart(after: .seconds(4 * 86_400 + 9 * 3600 + 300), isSameBoot: false)
    #expect(desk.alarmEvents == [.expired(late: .seconds(4 * 86_400 + 300))])
    desk.tell(.woke)
    #expect(desk.alarmEvents == [.rings(.due(late: .seconds(300)))])
    // What rang then was missed, and nothing is told of the days after it.
    desk.restart(after: .seconds(5 * 86_400 + 7200), isSameBoot: false)
    #expect(desk.alarmEvents == [.missed])
    #expect(desk.next == ["2026-12-02T07:00:00"])
  }

  @Test("what rings or is snoozed when the power goes, goes on, or is missed", .rule("alarm-late"))
  func powerCut() {
    var desk = desk()
    desk.wait(until: "2026-11-22T07:00:00")
    desk.restart(after: .seconds(300), isSameBoot: false)
    #expect(desk.alarmEvents == [.rings(.on)])
    desk.tell(.reminder(.snooze(nil)))
    desk.restart(after: .seconds(300), isSameBoot: false)
    #expect(desk.live(for: .seconds(300)).alarms == [.rings(.again)])
    desk.tell(.reminder(.snooze(nil)))
    desk.restart(after: .seconds(7200), isSameBoot: false)
    #expect(desk.alarmEvents == [.expired(late: .seconds(6600))])
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  // MARK: Names and numbers

  @Test("a number is not given again: they count up") func numbers() {
    var desk = desk([.at(), .at(), .at()])
    desk.tell(.reminder(.cancel(.alarm, "2")))
    desk.tell(.reminder(.cancel(.alarm, "3")))
    desk.tell(.reminder(.set(.at("08:00"))))
    #expect(desk.alarms.map(\.number) == [1, 4])
    #expect(desk.alarms[1].title == "alarm 4")
  }

  @Test("after the last number they begin with 1 again, and pass over those in use") func around() {
    var last = Reminders.Numbers()
    last.alarm = Reminders.Numbers.most - 1
    var reminders = Reminders(
      [Reminder(number: 1, .alarm(.at()), state: .waiting(nil))], last: last, isSameBoot: true,
      at: Now("2026-11-22T22:00:00", running: .seconds(60)))
    let rules = Rules(AnnouncerSettings(), zone: TestZone.utc, trust: .synchronised)
    for _ in 0..<2 {
      _ = try? reminders.handle(
        .set(.at("08:00")), at: Now("2026-11-22T22:00:00", running: .seconds(60)), rules)
    }
    #expect(reminders.alarms.map(\.number) == [1, 2, Reminders.Numbers.most])
  }

  @Test(
    "a name is taken and found however it is typed",
    arguments: ["school bus", "School BUS", "school\u{a0}bus", "school  bus", "school \u{200b}bus"])
  func sameName(name: String) {
    var desk = desk([.at(name: "school bus")])
    desk.tell(.reminder(.set(.at("08:00", name: name))))
    #expect(desk.alarms.count == 1)
    desk.tell(.reminder(.cancel(.alarm, name)))
    #expect(desk.alarms.isEmpty)
  }

  @Test("of two that differ by capitals only the one that is named is meant") func exactName() {
    let waiting = [("school", 1), ("SCHOOL", 2)].map { name, number in
      Reminder(number: number, .alarm(.at(name: name)), state: .waiting(nil))
    }
    #expect(waiting.called("SCHOOL").map(\.number) == [2])
    let both = Reminders(
      waiting, isSameBoot: true, at: Now("2026-11-22T22:00:00", running: .seconds(60)))
    let refusal = #expect(throws: OrderRefusal.self) { try both.find(.alarm, "School") }
    #expect(refusal?.description.contains(#"alarm "school" or alarm "SCHOOL" is meant"#) == true)
    #expect(waiting.called("School").isEmpty)
  }

  @Test(
    "a name that cannot be used is told with what is wrong",
    arguments: [
      ("", "it is empty"), ("\u{a0} ", "it is empty"), ("\u{200b}", "it is empty"),
      (" school", "it begins or ends with a space"),
      ("school\u{2003}", "it begins or ends with a space"),
      ("12", "it would be taken for the number of an alarm"),
      ("a\nb", "it has a control character, such as the end of a line"),
      ("\u{1b}[31m", "it has a control character, such as the end of a line"),
      ("a\u{2028}b", "it has a control character, such as the end of a line"),
      ("a\u{202e}b", "it has a control character, such as the end of a line"),
      (String(repeating: "x", count: 41), "it has more than 40 characters"),
      ("a" + String(repeating: "\u{301}", count: 10_000), "it has more than 40 characters"),
    ])
  func badName(name: String, flaw: String) {
    var desk = desk([])
    desk.tell(.reminder(.set(.at(name: name))))
    #expect(desk.orderRefusal == .name(.alarm, flaw))
    #expect(desk.alarms.isEmpty)
  }

  // MARK: The configuration

  private func configure(_ desk: inout Desk, _ plans: [AlarmPlan]) {
    var settings = desk.announcer.settings
    settings.alarms = plans
    desk.tell(.reloaded(settings))
  }

  private static let school = AlarmPlan.at("07:00", name: "school")

  @Test("after a reload what has not changed goes on, and what is gone is told") func reload() {
    var desk = desk([])
    configure(&desk, [Self.school, .at("07:00", name: "church"), .at("09:00", name: "work")])
    desk.tell(.reminder(.set(.at("10:00", "once"))))
    desk.wait(until: "2026-11-22T07:00:00")
    desk.tell(.reminder(.snooze("school")))
    var louder = Self.school
    louder.rise = AlarmRise(over: .seconds(60))
    configure(&desk, [louder, .at("09:30", name: "work")])
    #expect(desk.alarmEvents == [.cancelled])
    #expect(desk.alarms.map(\.number) == [1, 3, 4])
    #expect(desk.alarms[0].alarm == louder)
    #expect(desk.next == [nil, "2026-11-22T09:30:00", "2026-11-22T10:00:00"])
  }

  @Test("a start takes up what was saved of those that are configured still") func start() {
    var desk = desk([])
    configure(&desk, [Self.school, .at("06:30", name: "work"), .at("06:00", name: "old")])
    desk.restart(after: .seconds(9 * 3600 + 60), isSameBoot: false) {
      $0.alarms = [Self.school, .at("09:00", name: "work")]
    }
    #expect(desk.alarmEvents == [.rings(.due(late: .seconds(60)))])
    #expect(desk.next == [nil, "2026-11-22T09:00:00"])
  }

  @Test(
    "a person's alarm rings beside one of that name in the configuration, which it may mean",
    .rule("alarm-namesake"))
  func namesake() {
    var desk = desk([.at("06:00", name: "school")])
    configure(&desk, [Self.school])
    #expect(desk.next == ["2026-11-22T06:00:00", "2026-11-22T07:00:00"])
    desk.wait(until: "2026-11-22T07:00:00")
    desk.tell(.reminder(.stop(.alarm, "school")))
    #expect(desk.alarmEvents == [.stopped(.byHand)])
  }
}

/// How a ring grows louder.
@Suite struct AlarmRiseTests {
  @Test("it rises in a line, and is then as loud as ever") func rise() throws {
    let rise = try #require(AlarmRise(from: -30, over: .seconds(300)))
    #expect(
      [-5, 0, 30, 150, 300, 900].map { rise.decibels(after: .seconds($0)) } == [
        -30, -30, -27, -15, 0, 0,
      ])
  }

  @Test("a rise is read as it is written") func text() throws {
    #expect(try AlarmRise(text: "5m") == AlarmRise(from: -24, over: .seconds(300)))
    for text in ["5min", "-30dB 1min30s", "-12.5dB 1h", "-60dB 30s500ms"] {
      #expect(try AlarmRise(text: text).description == text)
    }
    for text in [
      "", "0s", "5", "2h", "-30dB", "0dB 5min", "5min -30dB", "5min 5min 5min", "-61dB 1s",
    ] {
      #expect(throws: TextFlaw.rise(text)) { try AlarmRise(text: text) }
    }
  }
}
