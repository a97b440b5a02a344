import Testing

@testable import Horology

/// Names, numbers, bounds, and the alarms of the configuration.
@Suite struct AlarmListTests {
  private static let evening = "2026-11-21T22:00:00"

  private func refusal(
    _ desk: inout AlarmDesk, _ order: ReminderOrder
  ) -> ReminderRefusal? {
    do {
      try desk.take(order)
      return nil
    } catch {
      return error as? ReminderRefusal
    }
  }

  @Test("the lowest number that is free is taken") func numbers() throws {
    var desk = AlarmDesk(at: Self.evening)
    for _ in 1...3 { try desk.set("07:00") }
    try desk.take(.cancel(.alarm, "2"))
    try desk.set("08:00")
    #expect(desk.alarms.map(\.number) == [1, 2, 3])
    #expect(desk.alarms[1].title == "alarm 2")
  }

  @Test("a hundred, and not one more") func bound() throws {
    var desk = AlarmDesk(at: Self.evening)
    for _ in 1...100 { try desk.set("07:00") }
    #expect(refusal(&desk, .set(try AlarmDesk.plan("07:00"))) == .tooMany(.alarm))
    #expect(desk.alarms.count == 100)
  }

  @Test(
    "a name that cannot be used is refused",
    arguments: [
      "", "12", "a\nb", " school", String(repeating: "x", count: 41),
      String(repeating: "x", count: 10_000), "a" + String(repeating: "\u{301}", count: 100),
      "\u{1b}[31m", "a\u{2028}b", "a\u{202e}b", "\u{200b}", "\u{200b}\u{2060}", "\u{a0}school",
      "school\u{2003}", "\u{fe0f}", "\u{3164}",
    ])
  func badName(name: String) throws {
    var desk = AlarmDesk(at: Self.evening)
    let order = ReminderOrder.set(try AlarmDesk.plan("07:00", name: name))
    guard case .name(_, let flaw)? = refusal(&desk, order) else {
      Issue.record("\(name)")
      return
    }
    #expect((flaw == "it would be taken for the number of an alarm") == (name == "12"))
    #expect(desk.alarms.isEmpty)
  }

  @Test("a day that is over is refused") func over() throws {
    var desk = AlarmDesk(at: Self.evening)
    for day in ["2026-11-20", "2026-11-21", "1970-01-01"] {
      let plan = try AlarmDesk.plan("07:00", day)
      #expect(refusal(&desk, .set(plan)) == .over(plan.times))
    }
    try desk.set("22:01", "2026-11-21")
  }

  @Test("every refusal is one sentence that says what to do, with a key of its own") func words()
    throws
  {
    let times = try AlarmDesk.plan("07:00", "2026-11-20").times
    let refusals: [ReminderRefusal] = [
      .over(times), .name(.alarm, "empty"),
      .nameIsTaken(.alarm, "school"), .tooMany(.alarm), .unknown(.alarm, "soup"),
      .isNotRinging("alarm 1"), .noneRings,
      .isConfigured("alarm 1"),
    ]
    #expect(Set(refusals.map(\.key)).count == refusals.count)
    for refusal in refusals {
      #expect(refusal.description.contains(";"))
      #expect(!refusal.description.hasSuffix("."))
    }
    let long = String(repeating: "x", count: 10_000)
    #expect(ReminderRefusal.unknown(.alarm, long).description.count < 250)
    for flaw in [AlarmTextFlaw.time(long), .days(long), .date(long), .never(long), .rise(long)] {
      #expect(flaw.description.contains(";") && flaw.description.count < 250)
    }
    #expect(
      ReminderRefusal.over(times).description == "07:00 on 2026-11-20 is over; choose a later day")
  }

  @Test(
    "a day that its month does not have is told from a text that is no day",
    arguments: [
      ("2026-02-30", true), ("2027-02-29", true), ("2026-04-31", true), ("2026-13-01", false),
      ("2026-02-32", false), ("feb 30", false), ("2200-01-01", false),
    ]) func noMonth(text: String, isNever: Bool)
  {
    #expect(throws: isNever ? AlarmTextFlaw.never(text) : .date(text)) {
      try AlarmDays(date: text)
    }
  }

  // MARK: The configuration

  @Test("after a reload what has not changed goes on, and what is gone is told") func reload()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    let school = try AlarmDesk.plan("07:00", "mon-sun", name: "school")
    let church = try AlarmDesk.plan("07:00", "mon-sun", name: "church")
    let work = try AlarmDesk.plan("09:00", "mon-sun", name: "work")
    desk.configure([school, church, work])
    try desk.set("10:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze("school"))
    var louder = school
    louder.rise = AlarmRise(over: .seconds(60))
    desk.configure([louder, try AlarmDesk.plan("09:30", "mon-sun", name: "work")])
    #expect(desk.events == [.cancelled])
    #expect(desk.alarms.map(\.number) == [1, 3, 4])
    #expect(desk.alarms[0].isUp)
    #expect(desk.alarms[0].alarm == louder)
    #expect(desk.next == [nil, "2026-11-22T09:30:00", "2026-11-22T10:00:00"])
  }

  @Test("a reload neither repeats what was acknowledged nor forgets what is due") func reloadLate()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    let school = try AlarmDesk.plan("07:00", "mon-sun", name: "school")
    desk.configure([school])
    desk.now = desk.now.later(by: .seconds(9 * 3600 + 60))
    desk.configure([school])
    desk.settle()
    #expect(desk.events == [.rings(.due(late: .seconds(60)))])
    try desk.take(.stop(nil))
    desk.configure([school])
    desk.step(to: "2026-11-22T06:50:00")
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test("a start takes up what was saved of those that are configured still") func start() throws {
    var desk = AlarmDesk(at: Self.evening)
    let school = try AlarmDesk.plan("07:00", "mon-sun", name: "school")
    let work = try AlarmDesk.plan("06:30", "mon-sun", name: "work")
    desk.configure([school, work, try AlarmDesk.plan("06:00", "mon-sun", name: "old")])
    let moved = try AlarmDesk.plan("09:00", "mon-sun", name: "work")
    desk.restart(after: .seconds(9 * 3600 + 60), isSameBoot: false, plans: [school, moved])
    #expect(desk.events == [.rings(.due(late: .seconds(60)))])
    #expect(desk.next == [nil, "2026-11-22T09:00:00"])
  }

  @Test("a person's alarm gives its name to one of the configuration, and rings") func namesake()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("06:00", name: "school")
    desk.configure([try AlarmDesk.plan("07:00", "mon-sun", name: "school")])
    #expect(desk.alarms.map(\.title) == ["alarm 1", "alarm \"school\""])
    #expect(desk.next == ["2026-11-22T06:00:00", "2026-11-22T07:00:00"])
    #expect(desk.events == [.changed(.nameLost("school"))])
    desk.configure([try AlarmDesk.plan("07:30", "mon-sun", name: "school")])
    #expect(desk.events.isEmpty)
    desk.configure([])
    #expect(desk.events == [.cancelled])
    #expect(desk.alarms.map(\.title) == ["alarm 1"])
  }
}
