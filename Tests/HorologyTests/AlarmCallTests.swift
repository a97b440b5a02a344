import Testing

@testable import Horology

@Suite struct AlarmCallTests {
  private static func call(_ text: String, _ options: [String: String] = [:]) throws -> AlarmCall {
    try AlarmCall(text.split(separator: " ").map(String.init), options: options)
  }

  @Test("a time alone rings once, the next time that the clock shows it") func once() throws {
    let time = try TimeOfDay(text: "07:00")
    let plan = AlarmPlan(AlarmTimes(time: time, days: .next))
    #expect(try Self.call("07:00") == .set(plan, tune: nil))
    #expect(try Self.call("07:00", ["tune": "none"]) == .set(plan, tune: nil))
  }

  @Test("every option is taken") func options() throws {
    let call = try Self.call(
      "07:00",
      [
        "days": "mon-fri", "name": "school", "tune": "whittington", "rise": "5m",
        "even-if-quiet": "",
      ])
    var plan = AlarmPlan(
      name: "school",
      AlarmTimes(time: try TimeOfDay(text: "07:00"), days: try AlarmDays(weekdays: "mon-fri")))
    plan.rise = AlarmRise(over: .seconds(300))
    plan.quietHours = .override
    #expect(call == .set(plan, tune: "whittington"))
    guard case .set(let plan, _) = try Self.call("17:30", ["date": "2026-12-24"]) else {
      Issue.record("it is not set")
      return
    }
    #expect(plan.times.days == .date(try #require(CivilDate(year: 2026, month: 12, day: 24))))
  }

  @Test("the other words") func words() throws {
    #expect(try Self.call("list") == .list(asJSON: false))
    #expect(try Self.call("list", ["json": ""]) == .list(asJSON: true))
    #expect(try Self.call("snooze") == .snooze(nil))
    #expect(try Self.call("snooze school") == .snooze("school"))
    #expect(try Self.call("stop 7") == .stop("7"))
    #expect(try Self.call("stop") == .stop(nil))
    #expect(try Self.call("cancel school") == .cancel("school"))
  }

  @Test(
    "what is wrong is told with what to do",
    arguments: [
      ("", [:], "alarm wants a time, as in 07:00; see 'clocksmith alarm --help'"),
      ("26:00", [:], "'26:00' is no time of day; write it as 07:00, from 00:00 to 23:59"),
      ("7", [:], "'7' is no time of day; write it as 07:00, from 00:00 to 23:59"),
      ("soon", [:], "'soon' is neither a time, as in 07:00, nor list, snooze, stop or cancel"),
      ("07:00 mon-fri", [:], "unexpected 'mon-fri'; days are given as --days mon-fri"),
      ("07:00", ["date": "2026-02-30"], "--date '2026-02-30' is no day; write it as 2026-12-24"),
      ("07:00", ["date": "feb 30"], "--date 'feb 30' is no day"),
      ("07:00", ["days": "none"], "--days 'none' is not a weekday"),
      ("07:00", ["days": ""], "--days '' is not a weekday"),
      ("07:00", ["days": "mon", "date": "2026-12-24"], "--days and --date exclude each other"),
      ("07:00", ["rise": "loud"], "--rise 'loud' is no rise"),
      ("07:00", ["name": "a\nb"], "--name cannot be used: it has a control character"),
      ("07:00", ["name": String(repeating: "x", count: 10_000)], "it has more than 40 characters"),
      ("07:00", ["json": ""], "--json means nothing for an alarm that is set; leave it out"),
      ("list", ["name": "a"], "--name means nothing for 'alarm list'; leave it out"),
      ("stop", ["json": ""], "--json means nothing for 'alarm stop'; leave it out"),
      (
        "cancel", [:], "'alarm cancel' wants a name or a number; 'clocksmith alarm list' shows them"
      ),
      ("stop a b", [:], "'alarm stop' has too many words; see 'clocksmith alarm --help'"),
      ("list a", [:], "'alarm list' has too many words"),
    ] as [(String, [String: String], String)])
  func misuse(text: String, options: [String: String], words: String) {
    do {
      Issue.record("\(try Self.call(text, options)) from \(text)")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
      #expect("\(error)".count < 250)
    }
  }
}
