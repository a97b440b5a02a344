import Basics
import TestSupport
import Testing

@testable import Horology

@Suite struct AlarmTimesTests {
  private static let london = TestZone { second in
    // The summer times of 2026 and 2027.
    let summers: [Range<Int64>] = [1_774_746_000..<1_792_890_000, 1_806_195_600..<1_824_944_400]
    return summers.contains { $0.contains(second) } ? 3600 : 0
  }
  private static let everyDay = AlarmDays.weekly(Set(Weekday.allCases))

  private func next(
    _ time: String, _ days: AlarmDays = everyDay, after start: String, in zone: TestZone = .utc
  ) throws -> Instant? {
    AlarmTimes(time: try TimeOfDay(text: time), days: days)
      .nextRing(after: Instant(start), in: zone)
  }

  @Test("it rings at its time, on its days") func onItsDays() throws {
    // 2026-11-21 is a Saturday.
    #expect(try next("07:00", after: "2026-11-21T06:00:00") == Instant("2026-11-21T07:00:00"))
    #expect(try next("07:00", after: "2026-11-21T07:00:00") == Instant("2026-11-22T07:00:00"))
    let weekdays = try AlarmDays(weekdays: "mon-fri")
    #expect(
      try next("07:00", weekdays, after: "2026-11-21T06:00:00") == Instant("2026-11-23T07:00:00"))
    let saturday = try AlarmDays(weekdays: "sat")
    #expect(
      try next("07:00", saturday, after: "2026-11-21T07:00:00") == Instant("2026-11-28T07:00:00"))
  }

  @Test("on a date it rings once") func date() throws {
    let day = try AlarmDays(date: "2026-12-24")
    #expect(try next("17:30", day, after: "2026-11-21T00:00:00") == Instant("2026-12-24T17:30:00"))
    #expect(try next("17:30", day, after: "2026-12-24T17:30:00") == nil)
  }

  @Test("a day that a zone leaves out is the next one", .rule("alarm-skipped")) func apia() throws {
    let zone = TestZone.changing(
      from: -36_000, to: 50_400, at: Instant("2011-12-30T10:00:00").seconds)
    let friday = try AlarmDays(weekdays: "fri")
    // It rings on Saturday the 31st at 07:00: Friday at 07:00, had the clocks not changed.
    #expect(
      try next("07:00", friday, after: "2011-12-29T00:00:00", in: zone)
        == Instant("2011-12-30T17:00:00"))
    #expect(
      try next("07:00", after: "2011-12-30T17:00:00", in: zone) == Instant("2011-12-31T17:00:00"))
  }

  @Test(
    "no instant is too far away to be asked about",
    arguments: [
      Int64.min, .min + 1, -9_000_000_000_000_000_000, -1, 0, 1, 7_289_654_398_999_999_999,
      7_289_654_399_000_000_000, 9_000_000_000_000_000_000, .max - 1, .max,
    ])
  func extremes(nanoseconds: Int64) throws {
    let instant = Instant(nanoseconds: nanoseconds)
    let zones = [TestZone.utc, .fixed(minutes: 14 * 60), .fixed(minutes: -12 * 60), Self.london]
    for zone in zones {
      for days in [Self.everyDay, .next, .weekly([]), try AlarmDays(date: "1970-01-01")] {
        for time in ["00:00", "23:59"] {
          let times = AlarmTimes(time: try TimeOfDay(text: time), days: days)
          if let ring = times.nextRing(after: instant, in: zone) {
            #expect(ring > instant)
            #expect(Instant.allowed.contains(ring))
          } else {
            #expect(days == .weekly([]) || days.isOnce || nanoseconds > 7_289_000_000_000_000_000)
          }
        }
      }
    }
  }

  // MARK: Texts

  @Test(
    "a time of day is read as people type it",
    arguments: [
      ("06:45", 405), ("6:45", 405), ("06:45:00", 405), ("06：45", 405), ("０６:45", 405),
      ("\u{a0}06:45 ", 405), ("6:45 AM", 405), ("6:45\u{202f}pm", 1125), ("7am", 420),
      ("12 PM", 720),
      ("12:00 am", 0), ("12:30AM", 30), ("0:00", 0), ("6∶45", 405),
    ])
  func time(text: String, minutes: Int) throws {
    #expect(try TimeOfDay(text: text).minutes == minutes)
  }

  @Test(
    "what is no time of day is refused",
    arguments: [
      "26:00", "24:00", "7:0", "07:60", "07", "07:00:01", "07:00:", "", "07.00", "٠٧:٠٠", "-1:00",
      "0700",
      "13:00 PM", "0am", "7xm", "7 m", "am", "7:00:00:00",
    ])
  func noTime(text: String) {
    #expect(throws: TextFlaw.time(text)) { try TimeOfDay(text: text) }
  }

  @Test(
    "what is no weekday is refused",
    arguments: [
      "", "mo", "mon-", "-fri", "mon-wed-fri", "mon,", "mon tue", "mo", "daily", "none",
    ])
  func noDays(text: String) {
    #expect(throws: TextFlaw.days(text)) { try AlarmDays(weekdays: text) }
  }

  @Test(
    "a day that does not exist is refused",
    arguments: [
      "2026-02-30", "2026-13-01", "feb 30", "1969-12-31", "2201-01-01", "26-12-24", "",
    ])
  func noDate(text: String) {
    #expect(throws: TextFlaw.date(text)) { try AlarmDays(date: text) }
  }

  @Test(
    "weekdays are told in the fewest words, which mean the same",
    arguments: [
      ("mon-fri", "mon-fri"), ("fri-mon", "mon, fri-sun"), ("sun", "sun"), ("sat,sun", "sat-sun"),
      ("mon-sun", "mon-sun"), ("wed, mon , tue", "mon-wed"), ("sat-fri", "mon-sun"),
    ])
  func weekdays(text: String, words: String) throws {
    let days = try AlarmDays(weekdays: text)
    #expect(days.description == words)
    #expect(try AlarmDays(text: words) == days)
  }

  @Test("all days are read as they are told") func daysText() throws {
    #expect(try AlarmDays(text: "once") == .next)
    #expect(AlarmDays.next.description == "once")
    let day = try AlarmDays(date: "2026-12-24")
    #expect(day.description == "2026-12-24")
    #expect(try AlarmDays(text: "2026-12-24") == day)
    #expect(throws: TextFlaw.days("")) { try AlarmDays(text: "") }
  }
}
