import Basics
import Testing

@testable import Horology

@Suite struct RequestTests {
  private static let instant = Instant(seconds: 1_800_000_000)
  private static let requests: [Request] = [
    .announce(nil, at: nil), .announce(TimeOfDay(hour: 7, minute: 0), at: instant), .stop,
    .mute(for: nil), .mute(for: .seconds(60)), .muteNext, .unmute, .volume(-12.5),
    .reminder(.start(.seconds(90), name: nil)), .reminder(.start(.seconds(90), name: "tea")),
    .reminder(.add(.seconds(9), to: "tea")), .reminder(.pause("tea")), .reminder(.resume("2")),
    .reminder(.cancel(.timer, "tea")), .reminder(.tell(nil)), .reminder(.tell("tea")),
    .interval(.stop),
    .interval(.start(.plain(every: .seconds(30)), replaces: true)),
    .interval(
      .start(
        .rounds(
          IntervalRounds(
            work: .seconds(20), rest: .seconds(10), count: 8, prepare: .seconds(5), countdown: 0,
            saysWords: true)), replaces: false)),
    .reminder(.snooze(nil)), .reminder(.stop("school")), .reminder(.skip("school")),
    .reminder(.cancel(.alarm, "3")),
    .agenda(from: nil, to: nil), .agenda(from: instant, to: instant + .seconds(60)),
  ]

  @Test("what is written is read again", arguments: requests) func written(request: Request) throws
  {
    let (name, record) = request.written
    let form = try #require(Request.form(named: name))
    #expect(try form.request(record) { .missing($0) } == request)
  }

  @Test("an alarm is written with its tune and its rise") func alarm() throws {
    var plan = AlarmPlan(
      name: "school",
      AlarmTimes(time: try TimeOfDay(text: "07:00"), days: try AlarmDays(text: "mon")))
    plan.tune = .missing("westminster")
    plan.rise = AlarmRise(over: .seconds(60))
    let (name, record) = Request.reminder(.set(plan)).written
    #expect(
      try Request.form(named: name)?.request(record) { .missing($0) } == .reminder(.set(plan)))
  }
}
