import Basics
import Devices
import TestSupport
import Testing

@testable import Horology
@testable import Service

@Suite struct SavedTimersTests {
  private static func state(_ timers: [Reminder]) -> SavedState {
    var state = SavedState()
    state.timers = timers
    state.timersBoot = SystemClock.boot
    return state
  }

  private static func running(_ number: Int, _ name: String?) -> Reminder {
    let zero = TimedMoment(sinceBoot: .seconds(900), shown: Instant(seconds: 1_795_275_000))
    return Reminder(
      number: number, .timer(.seconds(600), name: name), state: .waiting(zero))
  }

  @Test(
    "timers that could not have been saved are no state",
    arguments: [
      [running(1, "tea"), running(2, "tea")], [running(1, nil), running(1, nil)],
      [running(0, nil)], [running(1001, nil)],
      [
        Reminder(
          number: 1, .timer(.zero, name: nil), state: .paused(left: .zero))
      ],
    ])
  func impossible(timers: [Reminder]) {
    #expect(throws: Fault.self) {
      try SavedState(text: Self.state(timers).text, path: "state")
    }
  }

  @Test(
    "a name that is not allowed any more is lost alone",
    arguments: ["a\nb", "\u{200B}", "お茶\u{3000}", " tea", "7"])
  func oldName(name: String) throws {
    var state = Self.state([Self.running(1, name)])
    let plan = AlarmPlan(
      name: name, AlarmTimes(time: try TimeOfDay(text: "07:00"), days: .next))
    state.alarms = [
      Reminder(
        number: 1, .alarm(plan),
        state: .waiting(
          TimedMoment(
            sinceBoot: .zero, shown: Instant(seconds: 1_795_275_000), followsClock: true)))
    ]
    let read = try SavedState(text: state.text, path: "state")
    #expect(read.timers == [Self.running(1, nil)])
    let alarm = try #require(read.alarms.first)
    #expect(alarm.name == nil && alarm.next == state.alarms[0].next)
  }

  private static func state(_ plan: IntervalPlan) -> SavedState {
    var state = SavedState()
    state.interval = IntervalTimer(
      plan,
      start: TimedMoment(
        sinceBoot: .seconds(900), shown: Instant(seconds: 1_795_275_000), followsClock: true))
    state.timersBoot = SystemClock.boot
    return state
  }

  @Test(
    "an interval is read as it was written",
    arguments: [
      IntervalPlan.plain(every: .milliseconds(1500)), .rounds(IntervalRounds(work: .seconds(20))),
      .rounds(
        IntervalRounds(
          work: .seconds(20), rest: .seconds(10), count: 8, prepare: .seconds(5), countdown: 0,
          saysWords: true)),
    ])
  func interval(plan: IntervalPlan) throws {
    let state = Self.state(plan)
    #expect(try SavedState(text: state.text, path: "state") == state)
    #expect(try IntervalTimer(state.interval!.record.shown).plan == plan)
  }

  @Test("an interval that began before this start of the machine is read as it was written")
  func begunBefore() throws {
    var state = Self.state(IntervalPlan.plain(every: .seconds(30)))
    state.interval?.start = TimedMoment(
      sinceBoot: .seconds(-3600), shown: Instant(seconds: 1_795_275_000))
    #expect(try SavedState(text: state.text, path: "state") == state)
  }

  @Test(
    "an interval that cannot be is no state",
    arguments: [
      IntervalPlan.plain(every: .milliseconds(1)), .plain(every: .seconds(86_401)),
      .rounds(IntervalRounds(work: .zero)),
      .rounds(IntervalRounds(work: .seconds(2), count: 1001)),
      .rounds(IntervalRounds(work: .seconds(2), countdown: 11)),
    ])
  func impossible(plan: IntervalPlan) {
    #expect(throws: Fault.self) {
      try SavedState(text: Self.state(plan).text, path: "state")
    }
  }

  @Test("a thousand timers fit into the file") func thousand() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/state.json")
    let name = String(repeating: "ü", count: 36)
    let state = Self.state((1...1000).map { Self.running($0, "\(name)\($0)") })
    try file.save(state)
    let (read, complaint, _) = file.load()
    #expect(complaint == nil)
    #expect(read == state)
  }

  @Test("in the same start of the machine they are at zero when they would have been")
  func sameBoot() {
    let now = Now(
      instant: Instant(seconds: 1_795_270_000), uptime: Uptime(seconds: 100),
      sinceBoot: .seconds(800))
    let reminders = Self.state([Self.running(1, nil)]).reminders(at: now)
    #expect(reminders.timers.first?.left(at: now) == .seconds(100))
  }

  @Test("after another start they are at zero when the clock shows it") func otherBoot() {
    let now = Now(
      instant: Instant(seconds: 1_795_274_990), uptime: Uptime(seconds: 20),
      sinceBoot: .seconds(20))
    var state = Self.state([Self.running(1, nil)])
    state.timersBoot = "another"
    #expect(state.reminders(at: now).timers.first?.left(at: now) == .seconds(10))
  }
}
