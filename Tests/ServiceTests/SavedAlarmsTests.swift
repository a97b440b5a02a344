import Basics
import Devices
import Horology
import Sound
import TestSupport
import Testing

@testable import Service

@Suite struct SavedAlarmsTests {
  private static let shown = Instant(nanoseconds: 1_795_275_000_000_007_000)
  private static let ring = Instant(seconds: 1_795_275_000)

  private static func plan(
    _ time: String, _ days: String, _ name: String? = nil,
    _ change: (inout AlarmPlan) -> Void = { _ in }
  ) throws -> AlarmPlan {
    var plan = AlarmPlan(
      name: name,
      AlarmTimes(time: try TimeOfDay(text: time), days: try AlarmDays(text: days)))
    change(&plan)
    return plan
  }

  @Test("the largest state that there can be is read as it was written") func largest() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/state.json")
    let zero = TimedMoment(sinceBoot: .seconds(900), shown: Self.shown)
    var state = SavedState()
    state.timersBoot = SystemClock.boot
    state.timers = (1...1000).map { number in
      let name = String(repeating: "\u{1F514}", count: 36) + String(1000 + number)
      return Reminder(
        number: number, .timer(.seconds(86_400), name: name), state: .waiting(zero))
    }
    let path = "/" + String(repeating: "\u{1}", count: 1023)
    state.alarms = try (1...200).map { number in
      let name = String(repeating: "\u{1F514}", count: 36) + String(1000 + number)
      return Reminder(
        number: number,
        .alarm(
          try Self.plan("07:00", "mon, wed, fri, sun", name) {
            $0.tune = Tune(name: path, description: "", movements: [:])
            $0.rise = AlarmRise(over: .seconds(3600))
          }), from: number > 100 ? .configuration : .person,
        state: .snoozing(until: zero), occasion: Self.ring, done: Self.done)
    }
    try file.save(state, isSynced: false)
    let (read, complaint, _) = file.load()
    #expect(complaint == nil)
    #expect(read.timers == state.timers && read.alarms.count == 200)
  }

  private static let done = CivilDate(text: "2026-11-20")

  /// One alarm of each kind.
  private static func alarms() throws -> [Reminder] {
    let moment = TimedMoment(sinceBoot: .seconds(86_400), shown: shown)
    let following = TimedMoment(sinceBoot: .zero, shown: shown, followsClock: true)
    let tune = try Sounds.tune("whittington")
    return [
      Reminder(
        number: 1, .alarm(try plan("07:00", "mon-fri", "school \"früh\"")),
        state: .waiting(following), done: done),
      Reminder(number: 2, .alarm(try plan("00:00", "once")), state: .waiting(following)),
      Reminder(number: 3, .alarm(try plan("23:59", "2199-12-31")), state: .waiting(nil)),
      Reminder(
        number: 7,
        .alarm(
          try plan("07:00", "mon, wed, sat-sun", "church") {
            $0.tune = tune
            $0.rise = AlarmRise(from: -12.345, over: .milliseconds(61_500))
          }), from: .configuration, state: .ringing(since: moment), occasion: ring),
      Reminder(
        number: 200, .alarm(try plan("12:30", "sun")), state: .snoozing(until: following),
        occasion: ring, done: done),
    ]
  }

  private static func text(_ alarms: [Reminder]) -> String {
    var record = Record()
    record["alarms"] = .list(alarms.map { .record($0.record) })
    return record.json
  }

  private static func read(
    _ text: String, tune: (String) -> Tune? = { try? Sounds.tune($0) }
  ) throws -> [Reminder] {
    try Record(json: text, path: "state").value(.records("alarms")).map {
      try Reminder.alarm($0, tune: tune)
    }
  }

  @Test("what is written is what is read") func roundTrip() throws {
    let alarms = try Self.alarms()
    #expect(try Self.read(Self.text(alarms)) == alarms)
    #expect(try Self.read(Self.text([])).isEmpty)
  }

  @Test("a text that is torn at any byte is no state") func torn() throws {
    let text = Self.text(try Self.alarms())
    for length in 0..<text.utf8.count {
      let torn = String(decoding: text.utf8.prefix(length), as: UTF8.self)
      #expect(throws: (any Error).self) { try Self.read(torn) }
    }
  }

  @Test("whatever a hand makes of it, it is refused or could have been saved") func damaged() throws
  {
    var chance = SplitMix64(seed: 14)
    let whole = Array(Self.text(try Self.alarms()).utf8)
    for _ in 0..<3000 {
      let start = Int(chance.next() % UInt64(whole.count))
      let end = min(start + 1 + Int(chance.next() % 40), whole.count)
      var damaged = whole
      switch chance.next() % 4 {
      case 0: damaged[start] = UInt8(33 + chance.next() % 90)
      case 1: damaged.removeSubrange(start..<end)
      case 2: damaged.insert(contentsOf: whole[start..<end], at: start)
      default: damaged.replaceSubrange(start..<end, with: repeatElement(57, count: end - start))
      }
      let text = String(decoding: damaged, as: UTF8.self)
      guard let alarms = try? Self.read(text) else { continue }
      #expect(try Self.read(Self.text(alarms)) == alarms, "\(text)")
    }
  }

  @Test(
    "an alarm that cannot be is told by its key",
    arguments: [
      (#""time":"07:00""#, "number is missing; write 1 to 200"),
      (#""number":201"#, "number 201 is not allowed; write 1 to 200"),
      (#""number":1"#, "time is missing; write HH:MM, as 07:00"),
      (#""number":1,"time":"26:00""#, #"time "26:00" is not allowed; write HH:MM, as 07:00"#),
      (#""number":1,"time":"07:00","days":"2026-02-30""#, #"days "2026-02-30" is not allowed; "#),
      (#""number":1,"time":"07:00","days":"once","rise":"9dB 5min""#, #"rise "9dB 5min" is not"#),
      (#""number":1,"time":"07:00","days":"once""#, "state is missing; write "),
      (#""number":1,"time":"07:00","days":"once","state":"x""#, #"state "x" is not allowed"#),
      (
        #""number":1,"time":"07:00","days":"once","state":"ringing""#,
        "since is missing; write an instant, as 2026-12-24T18:00:00Z"
      ),
      (
        #""number":1,"time":"07:00","days":"once","state":"waiting","rings":"1969-12-31T07:00:00Z""#,
        "rings \"1969-12-31T07:00:00Z\" is not allowed"
      ),
    ])
  func impossible(alarm: String, words: String) throws {
    do {
      _ = try Self.read("{\"alarms\":[{\(alarm)}]}")
      Issue.record("it was read")
    } catch let error as BadValue {
      #expect(error.description.contains(words), "\(error)")
    }
  }

  @Test(
    "set by a clock that is far off, it can be read again",
    arguments: [Instant(nanoseconds: -9), Instant(nanoseconds: .max)])
  func farOff(shown: Instant) throws {
    let since = TimedMoment(sinceBoot: .seconds(-5), shown: shown)
    let alarm = Reminder(
      number: 1, .alarm(try Self.plan("07:00", "once")), state: .ringing(since: since))
    #expect(try Self.read(Self.text([alarm])).count == 1)
  }

  @Test("two of one name are refused") func sameName() throws {
    var state = SavedState()
    state.alarms = try (1...2).map {
      Reminder(
        number: $0, .alarm(try Self.plan("07:00", "once", "school")), state: .waiting(nil))
    }
    #expect(throws: Fault.self) { try SavedState(text: state.text, path: "state") }
  }

  @Test("one whose tune is gone keeps its setting") func tuneIsGone() throws {
    let alarms = try Self.read(Self.text(try Self.alarms()), tune: { _ in nil })
    #expect(alarms.count == 5)
    #expect(alarms[3].alarm?.tune == .missing("whittington"))
    #expect(try Self.read(Self.text(alarms)) == Self.alarms())
    #expect(alarms[3].alarm?.rise != nil)
  }
}
