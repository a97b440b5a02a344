import Testing

@testable import Horology

/// When alarms ring next, what becomes of late ones, and the alarms of the configuration.
@Suite struct AlarmTests {
  /// A Saturday.
  private static let evening = "2026-11-21T22:00:00"

  private func desk(isTrusted: Bool = true) throws -> AlarmDesk {
    var desk = AlarmDesk(at: Self.evening, isTrusted: isTrusted)
    try desk.set("07:00", "mon-sun")
    return desk
  }

  // MARK: The next ring

  @Test(
    "set back it rings again only if the clock is more than an hour before the last ring",
    arguments: [
      ("2026-11-22T06:00:00", "2026-11-23T07:00:00"),
      ("2026-11-22T05:59:59", "2026-11-22T07:00:00"),
      ("2026-11-20T12:00:00", "2026-11-21T07:00:00"),
    ], ["stop", "snooze", "ring", "restart"])
  func setBack(step: (to: String, next: String), state: String) throws {
    var desk = try desk()
    desk.wait(until: "2026-11-22T07:00:00")
    if state == "snooze" { try desk.order(.snooze(nil)) }
    if state == "stop" || state == "restart" { try desk.order(.stop(nil)) }
    if state == "restart" {
      desk.restart(after: Instant(step.to) - desk.now.instant, isSameBoot: false)
    } else {
      desk.step(to: step.to)
    }
    if state == "ring" || state == "snooze" {
      try desk.order(.stop(nil))
      desk.settle()
    }
    #expect(desk.next == [step.next])
  }

  @Test("set back to before it was set, it rings at the first time to come") func setBeforeSet()
    throws
  {
    var desk = AlarmDesk(at: "2026-11-22T08:00:00")
    try desk.set("07:00", "mon-sun")
    desk.step(to: "2026-11-21T20:00:00")
    #expect(desk.next == ["2026-11-22T07:00:00"])
  }

  @Test(
    "what a change of zone steps over rings late, or is told as missed; over a restart, too",
    arguments: [
      (70, ReminderEvent.rings(.due(late: .seconds(600)))), (120, .expired(late: .seconds(3600))),
    ], [true, false])
  func zone(change: (minutes: Int, event: ReminderEvent), isRestarted: Bool) throws {
    var desk = try desk()
    desk.wait(until: "2026-11-22T06:00:00")
    desk.zone = .fixed(minutes: change.minutes)
    if isRestarted {
      desk.restart(after: .zero, isSameBoot: true)
    } else {
      desk.reminders.planAlarms(at: desk.now, desk.rules)
      desk.settle()
    }
    #expect(desk.events == [change.event])
  }

  @Test("in another zone none is missed that was past there when it was set") func zoneSet()
    throws
  {
    for (minutes, next) in [(60, "2026-11-22T06:00:00"), (-60, "2026-11-21T08:00:00")] {
      var desk = AlarmDesk(at: "2026-11-21T06:30:00")
      try desk.set("07:00")
      desk.zone = .fixed(minutes: minutes)
      desk.reminders.planAlarms(at: desk.now, desk.rules)
      desk.settle()
      #expect(desk.events.isEmpty && desk.next == [next])
    }
  }

  @Test("skip leaves out the next ring, and one more each time") func skip() throws {
    var desk = try desk()
    for day in [23, 24] {
      try desk.order(.skip("1"))
      desk.settle()
      #expect(desk.next == ["2026-11-\(day)T07:00:00"])
    }
    desk.restart(after: .seconds(2 * 86_400), isSameBoot: false)
    #expect(desk.events.isEmpty && desk.next == ["2026-11-24T07:00:00"])
    // The clock was wrong when it was skipped.
    desk.step(to: "2026-11-20T07:00:01")
    #expect(desk.next == ["2026-11-21T07:00:00"])
  }

  @Test("skip is refused while it rings") func skipRefused() throws {
    var desk = try desk()
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(throws: OrderRefusal.isUp(desk.alarms[0])) { try desk.order(.skip("1")) }
  }

  @Test(
    "no clock is too far off",
    arguments: [Int64.min + 1, -1, 0, 7_258_118_400_000_000_000, Int64.max - 4_000_000_000_000_000])
  func extremes(nanoseconds: Int64) throws {
    for isTrusted in [true, false] {
      var desk = AlarmDesk(at: "2199-12-30T12:00:00")
      try desk.set("07:00", "mon-sun")
      try desk.set("07:00", "2199-12-31")
      desk.isTrusted = isTrusted
      desk.now = Now(
        instant: Instant(nanoseconds: nanoseconds), uptime: Uptime(seconds: 1),
        sinceBoot: .seconds(1))
      desk.settle()
      desk.reminders.planAlarms(at: desk.now, desk.rules)
      desk.settle()
      _ = desk.reminders.nextDue(desk.rules)
      _ = try? desk.set("07:00", "mon")
      #expect(desk.alarms.count >= 1)
    }
  }

  // MARK: Trust

  @Test(
    "what an untrusted clock did not judge rings late with the trust, up to ring_limit",
    arguments: [
      (300, ReminderEvent.rings(.due(late: .seconds(300)))),
      (7200, .expired(late: .seconds(7200))),
    ])
  func trustComes(late: Int, event: ReminderEvent) throws {
    var desk = try desk()
    desk.step(to: "2026-11-21T22:00:01", isTrusted: false)
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(desk.events == [.silenced(.untrusted)])
    desk.wait(for: .seconds(late))
    #expect(desk.events.isEmpty)
    desk.step(to: "2026-11-22T07:00:00", plus: .seconds(late), isTrusted: true)
    #expect(desk.events == [event])
    #expect(desk.live(for: .seconds(3600)).map(\.0).filter { $0 != .missed }.isEmpty)
  }

  @Test("a wrong clock rings nothing and forgets nothing, however far it is off") func wrongClock()
    throws
  {
    var desk = try desk()
    for shown in ["1970-01-01T00:00:00", "2038-01-01T06:59:59"] {
      desk.step(to: shown, isTrusted: false)
      desk.wait(for: .seconds(86_400))
    }
    desk.step(to: "2026-11-22T06:59:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-22T07:00:00"])
  }

  @Test("set while nobody knew the time, it is never missed, and rings late up to ring_limit")
  func setUntrusted() throws {
    for (shown, event) in [
      ("2026-11-25T07:05:00", ReminderEvent.rings(.due(late: .seconds(300)))),
      ("2026-11-25T12:00:00", nil),
    ] {
      var desk = try desk(isTrusted: false)
      desk.step(to: shown, isTrusted: true)
      #expect(desk.events == [event].compactMap { $0 })
    }
  }

  @Test("with untrusted = speak it rings by that clock, and not again for the same time")
  func speaks() throws {
    var desk = try desk(isTrusted: false)
    desk.settings.untrusted = .speak
    desk.restart(after: .seconds(9 * 3600 + 300), isSameBoot: false)
    #expect(desk.events == [.rings(.due(late: .seconds(300)))])
    try desk.order(.stop(nil))
    desk.step(to: "2026-11-22T07:03:00", isTrusted: true)
    #expect(desk.events.isEmpty)
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  // MARK: Late

  @Test(
    "the machine slept or was off: within ring_limit it rings, later it has expired",
    arguments: [true, false])
  func late(isSameBoot: Bool) throws {
    var desk = try desk()
    try desk.set("06:50")
    desk.restart(after: .seconds(9 * 3600 + 600), isSameBoot: isSameBoot)
    #expect(desk.events == [.rings(.due(late: .seconds(600))), .expired(late: .seconds(1200))])
    guard case .ringing(let since) = desk.alarms[0].state else {
      Issue.record("\(desk.alarms)")
      return
    }
    // A late ring begins as soon as the lead allows.
    #expect(since.left(at: desk.now) == AlarmDesk.lead)
    #expect(desk.alarms[0].due == Instant("2026-11-22T07:00:00"))
    #expect(desk.alarms.count == 1)
  }

  @Test("off for days it is told once, and rings if the last time is not too late")
  func offForDays() throws {
    var desk = try desk()
    desk.restart(after: .seconds(4 * 86_400 + 9 * 3600 + 300), isSameBoot: false)
    #expect(desk.events == [.expired(late: .seconds(4 * 86_400 + 300))])
    desk.settle()
    #expect(desk.events == [.rings(.due(late: .seconds(300)))])
    // What rang then was missed, and nothing is told of the days after it.
    desk.restart(after: .seconds(5 * 86_400 + 7200), isSameBoot: false)
    #expect(desk.events == [.missed])
    #expect(desk.next == ["2026-12-02T07:00:00"])
  }

  @Test("what rang when the power went rings on, or was missed") func ringingOverPowerCut() throws {
    var desk = try desk()
    desk.wait(until: "2026-11-22T07:00:00")
    desk.restart(after: .seconds(300), isSameBoot: false)
    #expect(desk.events == [.rings(.on)])
    #expect(desk.reminders.isRinging)
    desk.settle()
    #expect(desk.events.isEmpty)
    desk.restart(after: .seconds(700), isSameBoot: false)
    #expect(desk.events == [.missed])
  }

  @Test("a clock that is set moves no ring_limit") func ringLimit() throws {
    var desk = try desk()
    desk.wait(until: "2026-11-22T07:00:00")
    desk.step(to: "2026-11-22T12:00:00")
    #expect(desk.events.isEmpty)
    #expect(desk.live(for: .seconds(900)).map(\.0) == [.missed])
  }

  @Test("a snooze goes on over a power cut, and expires in a long one") func snoozeOverPowerCut()
    throws
  {
    var desk = try desk()
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.order(.snooze(nil))
    desk.restart(after: .seconds(300), isSameBoot: false)
    #expect(desk.live(for: .seconds(300)).map(\.0) == [.rings(.again)])
    try desk.order(.snooze(nil))
    desk.restart(after: .seconds(7200), isSameBoot: false)
    #expect(desk.events == [.expired(late: .seconds(6600))])
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  // MARK: Names and numbers

  @Test("the lowest number that is free is taken") func numbers() throws {
    var desk = AlarmDesk(at: Self.evening)
    for _ in 1...3 { try desk.set("07:00") }
    try desk.order(.cancel(.alarm, "2"))
    try desk.set("08:00")
    #expect(desk.alarms.map(\.number) == [1, 2, 3])
    #expect(desk.alarms[1].title == "alarm 2")
  }

  @Test(
    "a name that cannot be used is told with what is wrong",
    arguments: [
      ("", "it is empty"), ("\u{a0} ", "it is empty"),
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
  func badName(name: String, flaw: String) throws {
    var desk = AlarmDesk(at: Self.evening)
    #expect(throws: OrderRefusal.name(.alarm, flaw)) { try desk.set("07:00", name: name) }
    #expect(desk.alarms.isEmpty)
  }

  // MARK: The configuration

  @Test("after a reload what has not changed goes on, and what is gone is told") func reload()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    let school = AlarmPlan.at("07:00", name: "school")
    let church = AlarmPlan.at("07:00", name: "church")
    let work = AlarmPlan.at("09:00", name: "work")
    desk.configure([school, church, work])
    try desk.set("10:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.order(.snooze("school"))
    var louder = school
    louder.rise = AlarmRise(over: .seconds(60))
    desk.configure([louder, AlarmPlan.at("09:30", name: "work")])
    #expect(desk.events == [.cancelled])
    #expect(desk.alarms.map(\.number) == [1, 3, 4])
    #expect(desk.alarms[0].isUp)
    #expect(desk.alarms[0].alarm == louder)
    #expect(desk.next == [nil, "2026-11-22T09:30:00", "2026-11-22T10:00:00"])
  }

  @Test("a start takes up what was saved of those that are configured still") func start() throws {
    var desk = AlarmDesk(at: Self.evening)
    let school = AlarmPlan.at("07:00", name: "school")
    let work = AlarmPlan.at("06:30", name: "work")
    desk.configure([school, work, AlarmPlan.at("06:00", name: "old")])
    let moved = AlarmPlan.at("09:00", name: "work")
    desk.restart(after: .seconds(9 * 3600 + 60), isSameBoot: false, plans: [school, moved])
    #expect(desk.events == [.rings(.due(late: .seconds(60)))])
    #expect(desk.next == [nil, "2026-11-22T09:00:00"])
  }

  @Test("a person's alarm rings beside one of that name in the configuration, which it may mean")
  func namesake() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("06:00", name: "school")
    desk.configure([AlarmPlan.at("07:00", name: "school")])
    #expect(desk.next == ["2026-11-22T06:00:00", "2026-11-22T07:00:00"])
    desk.wait(until: "2026-11-22T06:00:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.order(.stop("school"))
    #expect(desk.events == [.stopped(.byHand)])
    desk.configure([])
    #expect(desk.alarms.isEmpty)
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
    #expect(try AlarmRise.rise(text: "none") == nil)
    #expect(try AlarmRise.rise(text: "5m") == AlarmRise(from: -24, over: .seconds(300)))
    for text in ["5min", "-30dB 1min30s", "-12.5dB 1h", "-60dB 30s500ms"] {
      #expect(try AlarmRise.rise(text: text)?.description == text)
    }
    for text in [
      "", "0s", "5", "2h", "-30dB", "0dB 5min", "5min -30dB", "5min 5min 5min", "-61dB 1s",
    ] {
      #expect(throws: AlarmTextFlaw.rise(text)) { try AlarmRise.rise(text: text) }
    }
  }
}
