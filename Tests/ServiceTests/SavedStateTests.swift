import Basics
import TestSupport
import Testing

@testable import Horology
@testable import Service
@testable import Sound

extension SavedState {
  static func read(_ text: String) throws -> SavedState {
    try SavedState(text: text, path: "state")
  }
}

@Suite struct SavedStateTests {
  @Test("the end of a mute is read before its kind or after it") func orderOfMute() throws {
    let fields: [Field<SavedState>] = [SoftwareMute.field(\.mute), SoftwareMute.fieldOfEnd(\.mute)]
    let muted = Self.state { $0.mute = .until(Self.shown) }
    for order in [fields, fields.reversed()] {
      var read = SavedState()
      try Record(muted, fields).fill(&read, order)
      #expect(read.mute == .until(Instant(rfc3339: Self.shown.rfc3339)!))
    }
  }

  private static let shown = Instant(nanoseconds: 1_795_275_000_000_007_000)
  private static let moment = TimedMoment(sinceBoot: .seconds(86_400), shown: shown)
  private static let following = TimedMoment(sinceBoot: .zero, shown: shown, followsClock: true)
  private static let boot = "0123456789abcdef0123456789abcdef"

  private static func plan(
    _ time: String, _ days: String, _ name: String? = nil,
    _ change: (inout AlarmPlan) -> Void = { _ in }
  ) throws -> AlarmPlan {
    var plan = AlarmPlan(
      name: name, AlarmTimes(time: try TimeOfDay(text: time), days: try AlarmDays(text: days)))
    change(&plan)
    return plan
  }

  private static func state(_ change: (inout SavedState) throws -> Void) rethrows -> SavedState {
    var state = SavedState()
    try change(&state)
    return state
  }

  /// A timer and an alarm in each state.
  private static let kitchen = try! state {
    $0.boot = boot
    $0.rtcSet = Instant(seconds: 1_795_275_000)
    $0.timers = [
      Reminder(
        number: 1, .timer(TimerPlan(.seconds(600), name: "tea \"hot\"")), state: .waiting(moment)),
      Reminder(number: 2, .timer(TimerPlan(.seconds(60))), state: .paused(left: .seconds(7))),
      Reminder(
        number: 7, .timer(TimerPlan(.seconds(1), name: "über")), state: .ringing(since: moment)),
      Reminder(number: 8, .timer(TimerPlan(.seconds(9))), state: .waiting(following)),
    ]
    $0.alarms = [
      Reminder(
        number: 1, .alarm(try plan("07:00", "mon-fri", "school \"früh\"")),
        state: .waiting(following), after: shown),
      Reminder(number: 3, .alarm(try plan("23:59", "2199-12-31")), state: .waiting(nil)),
      Reminder(
        number: 7,
        .alarm(
          try plan("07:00", "mon, wed, sat-sun", "church") {
            $0.tune = try? Sounds.tune("whittington")
            $0.rise = AlarmRise(from: -12.345, over: .milliseconds(61_500))
          }), from: .configuration, state: .ringing(since: moment), after: shown),
      Reminder(
        number: 200, .alarm(try plan("12:30", "sun")), state: .snoozing(until: following),
        after: shown),
    ]
  }

  private static let states =
    [.off, .on, .next].map { mute in state { $0.mute = mute } } + [
      state { $0.mute = .until(shown) },
      state { ($0.mute, $0.muteEndsSinceBoot, $0.boot) = (.until(shown), .seconds(86_400), boot) },
      kitchen,
    ]
    + [
      .plain(every: .milliseconds(1500)),
      .rounds(
        IntervalRounds(
          work: .seconds(20), rest: .seconds(10), count: 8, prepare: .seconds(5), countdown: 0,
          saysWords: true)),
    ].map { (plan: IntervalPlan) in
      // It may have begun before the machine started.
      let start = TimedMoment(sinceBoot: .seconds(-3600), shown: shown)
      return state { ($0.interval, $0.boot) = (IntervalTimer(plan, start: start), boot) }
    }

  @Test("what is written is what is read", arguments: states)
  func roundTrip(state: SavedState) throws {
    #expect(try SavedState.read(state.text) == state)
  }

  @Test("a text that is torn at any byte is no state", arguments: [kitchen])
  func torn(state: SavedState) throws {
    // The last byte is only the end of the line.
    for length in 0..<(state.text.utf8.count - 1) {
      let torn = String(decoding: state.text.utf8.prefix(length), as: UTF8.self)
      #expect(throws: Fault.self) { try SavedState.read(torn) }
    }
  }

  @Test("a state in which two timers have one number is refused") func impossible() {
    let timer = #"{"number":1,"seconds":9,"state":"paused","left":9}"#
    let fault = faultThrown {
      _ = try SavedState.read(#"{"version":3,"timers":[\#(timer),\#(timer)]}"#)
    }
    #expect(fault?.description.contains("two timers or two alarms have one number") == true)
  }

  @Test(
    "a key that cannot be used is left out alone",
    arguments: [
      #""rtc_set":"noon""#, #""software_mute":"odd""#, #""alarms":"tea""#, #""last_alarm":0"#,
      #""intervals":[{"seconds":0.001}]"#,
    ])
  func oneBadKey(part: String) throws {
    let timer = #"{"number":1,"seconds":9,"state":"paused","left":9}"#
    let read = try SavedState.read(#"{"version":3,\#(part),"timers":[\#(timer)]}"#)
    #expect(read.lost == 1)
    #expect(read.timers.map(\.number) == [1])
  }

  @Test("a timer or an alarm that cannot be used is left out alone")
  func oneBad() throws {
    var record = try Record(json: Self.kitchen.text, path: "state")
    for key in ["timers", "alarms"] {
      guard case .list(let all)? = record[key] else { continue }
      // Without its length, or its time.
      let bad = Record(["number": .integer(1), "state": .text("waiting")])
      record[key] = .list([.record(bad)] + all + [.text("tea")])
    }
    let read = try SavedState.read(record.json)
    #expect(read.lost == 4)
    #expect(read.timers == Self.kitchen.timers)
    #expect(read.alarms == Self.kitchen.alarms)
  }

  @Test("the numbers that were given last are kept; an older state has the highest in use")
  func numbers() throws {
    let now = Now(instant: Self.shown, uptime: Uptime(seconds: 0), sinceBoot: .zero)
    let parts = [("", 8), (#","last_timer":41"#, 42), (#","last_timer":9999"#, 1)]
    for (part, expected) in parts {
      let timer = #"{"number":7,"seconds":9,"state":"paused","left":9}"#
      let state = try SavedState.read(#"{"version":3,"timers":[\#(timer)]\#(part)}"#)
      var announcer = state.announcer(
        AnnouncerSettings(), in: UTCZone(), trust: .untrusted, boot: nil, at: now)
      _ = announcer.handle(.reminder(.start(TimerPlan(.seconds(60)))), at: now)
      #expect(announcer.reminders.timers.contains { $0.number == expected })
      var again = SavedState()
      again.update(from: announcer, boot: nil)
      #expect(try SavedState.read(again.text).text.contains(#""last_timer":\#(expected)"#))
    }
  }

  @Test(
    "what was set by a clock that is far off can be read again", arguments: [-1000, 9_000_000_000])
  func farOff(seconds: Int64) throws {
    let shown = Instant(seconds: seconds)
    var state = SavedState()
    let since = TimedMoment(sinceBoot: .seconds(-5), shown: shown)
    state.mute = .until(shown)
    state.alarms = [
      Reminder(
        number: 1, .alarm(try Self.plan("07:00", "once")), state: .ringing(since: since))
    ]
    #expect(try SavedState.read(state.text).alarms.count == 1)
  }

  @Test("moments count from the start of the machine only until it starts again")
  func anotherBoot() {
    var state = Self.state {
      ($0.mute, $0.muteEndsSinceBoot) = (.until(Self.shown), .seconds(86_400))
      $0.timers = [
        Reminder(number: 1, .timer(TimerPlan(.seconds(604_800))), state: .waiting(Self.moment))
      ]
    }
    let now = Now(
      instant: Self.shown - .seconds(10), uptime: Uptime(seconds: 20), sinceBoot: .seconds(86_300))
    state.boot = "this"
    for (boot, end, left) in [("this", 86_400, 100), ("another", nil, 10), (nil, nil, 10)] {
      let announcer = state.announcer(
        AnnouncerSettings(), in: UTCZone(), trust: .synchronised, boot: boot, at: now)
      #expect(announcer.muteEndsSinceBoot == end.map { .seconds($0) })
      #expect(announcer.reminders.timers[0].moment?.left(at: now) == .seconds(left))
    }
  }
}
