import Basics
import Testing

@testable import Horology

@Suite struct RequestTests {
  private static let instant = Instant(seconds: 1_800_000_000)
  private static let requests: [Request] = [
    .announce(nil, at: nil), .announce(TimeOfDay(hour: 7, minute: 0), at: instant), .stop,
    .mute(for: nil), .mute(for: .seconds(60)), .muteNext, .unmute, .volume(-12.5),
    .reminder(.start(TimerPlan(.seconds(90)))),
    .reminder(.start(TimerPlan(.seconds(90), name: "tea"))),
    .reminder(.add(.seconds(9), to: "tea")), .reminder(.pause("tea")), .reminder(.resume("2")),
    .reminder(.cancel(.timer, "tea")), .reminder(.tell(nil)), .reminder(.tell("tea")),
    .reminder(.stop(.timer, nil)), .reminder(.stop(.timer, "tea")),
    .interval(.stop),
    .interval(.start(.plain(every: .seconds(30)), replaces: true)),
    .interval(
      .start(
        .rounds(
          IntervalRounds(
            work: .seconds(20), rest: .seconds(10), count: 8, prepare: .seconds(5), countdown: 0,
            saysWords: true)), replaces: false)),
    .reminder(.snooze(nil)), .reminder(.stop(.alarm, "school")), .reminder(.skip("school")),
    .reminder(.cancel(.alarm, "3")),
    .agenda(from: nil, to: nil), .agenda(from: instant, to: instant + .seconds(60)),
  ]

  @Test("what is written is read again", arguments: requests) func written(request: Request) throws
  {
    let (form, record) = request.written
    #expect(try form.request(record, from: .person) == request)
  }

  @Test(
    "a value that can only mean one thing is taken however it is typed",
    arguments: [
      ("timer", "seconds", Value.text("240"), Request.reminder(.start(TimerPlan(.seconds(240))))),
      ("timer", "seconds", .text("0:04:00"), .reminder(.start(TimerPlan(.seconds(240))))),
      ("timer", "seconds", .text("1h 30m"), .reminder(.start(TimerPlan(.seconds(5400))))),
      ("mute", "for", .text("4 min"), .mute(for: .seconds(240))),
      ("volume", "volume_db", .text("−6"), .volume(-6)),
      ("volume", "volume_db", .text("-6 dB"), .volume(-6)),
      ("setting", "value", .integer(15), .setting("announce.interval", to: "15")),
      ("alarm", "days", .list([.text("mon"), .text("Tuesday")]), at("06:45", "mon-tue")),
      ("alarm", "days", .text("Mondays – Fridays"), at("06:45", "mon-fri")),
      ("alarm", "time", .text("6:45 PM"), at("18:45", "once")),
      (
        "alarm", "rise", .text("−30 dB 5 min"),
        at("06:45", "once", AlarmRise(from: -30, over: .seconds(300)))
      ),
    ])
  func typed(name: String, key: String, value: Value, request: Request) throws {
    var record = Record()
    if name == "alarm" { record["time"] = .text("06：45：00") }
    if name == "setting" { record["key"] = .text("announce.interval") }
    record[key] = value
    #expect(try Request.form(named: name)?.request(record, from: .person) == request)
  }

  @Test(
    "a text that is no number is refused with its quotes",
    arguments: ["4 miles", "31d", "0x10", "nan", "inf", "1e3", ""])
  func noNumber(text: String) throws {
    let record = Record(["seconds": .text(text)])
    let form = try #require(Request.form(named: "timer"))
    #expect(throws: BadValue.self) { try form.request(record, from: .person) }
  }

  @Test("what only a file may give is no key of a request", arguments: [Giver.network, .person])
  func ofAFile(giver: Giver) throws {
    let form = try #require(Request.form(named: "alarm"))
    let record = Record(["time": .text("07:00"), "light": .text("GPIO5")])
    #expect(
      throws: BadValue(
        unknown: "light", known: ["time", "days", "name", "tune", "rise", "replace"])
    ) {
      try form.request(record, from: giver)
    }
  }

  private static func at(_ time: String, _ days: String, _ rise: AlarmRise? = nil) -> Request {
    var plan = AlarmPlan(
      AlarmTimes(time: try! TimeOfDay(text: time), days: try! AlarmDays(text: days)))
    plan.rise = rise
    return .reminder(.set(plan))
  }

  @Test("an alarm is written with its tune and its rise") func alarm() throws {
    var plan = AlarmPlan(
      name: "school",
      AlarmTimes(time: try TimeOfDay(text: "07:00"), days: try AlarmDays(text: "mon")))
    plan.tune = .missing("westminster")
    plan.rise = AlarmRise(over: .seconds(60))
    let (form, record) = Request.reminder(.set(plan)).written
    #expect(try form.request(record, from: .person) == .reminder(.set(plan)))
  }
}
