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
      return Countdown(
        number: number, name: name, length: .seconds(86_400), state: .running(zero: zero))
    }
    let path = "/" + String(repeating: "\u{1}", count: 1023)
    state.alarms = try (1...200).map { number in
      let name = String(repeating: "\u{1F514}", count: 36) + String(1000 + number)
      return Alarm(
        number: number,
        try Self.plan("07:00", "mon, wed, fri, sun", name) {
          $0.tune = Tune(name: path, description: "", movements: [:])
          $0.rise = AlarmRise(over: .seconds(3600))
        }, from: number > 100 ? .configuration : .person,
        state: .snoozing(ring: Self.ring, until: zero), acknowledged: Self.ring)
    }
    try file.save(state, isSynced: false)
    let (read, complaint, _) = file.load()
    #expect(complaint == nil)
    #expect(read.timers == state.timers && read.alarms.count == 200)
  }

  /// One alarm of each kind.
  private static func alarms() throws -> [Alarm] {
    let moment = TimedMoment(sinceBoot: .seconds(86_400), shown: shown)
    let following = TimedMoment(sinceBoot: .zero, shown: shown, followsClock: true)
    let tune = try Sounds.tune("whittington")
    return [
      Alarm(
        number: 1, try plan("07:00", "mon-fri", "school \"früh\""), from: .person,
        state: .waiting(next: ring, from: nil), acknowledged: ring - .seconds(86_400)),
      Alarm(
        number: 2, try plan("00:00", "once"), from: .person,
        state: .waiting(next: ring, from: following), lostName: "church"),
      Alarm(
        number: 3, try plan("23:59", "2199-12-31"), from: .person,
        state: .waiting(next: nil, from: nil), promised: ring),
      Alarm(
        number: 7,
        try plan("07:00", "mon, wed, sat-sun", "church") {
          $0.tune = tune
          $0.rise = AlarmRise(from: -12.345, over: .milliseconds(61_500))
        }, from: .configuration, state: .ringing(ring: ring, since: moment)),
      Alarm(
        number: 200, try plan("12:30", "sun"), from: .person,
        state: .snoozing(ring: ring, until: following), acknowledged: ring),
    ]
  }

  private static func text(_ alarms: [Alarm]) -> String {
    let line = JSONLine()
    line.set("alarms", alarms.map(\.saved))
    return line.text
  }

  private static func read(
    _ text: String, tune: (String) -> Tune? = { try? Sounds.tune($0) }
  ) throws -> [Alarm] {
    guard let object = try? JSONObject(text, path: "state") else { throw Fault("state", "torn") }
    return try Alarm.all(in: try object.objects("alarms"), path: "state", tune: tune)
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
      #expect(throws: Fault.self) { try Self.read(torn) }
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
    "an alarm that could not have been saved is told",
    arguments: [
      (#"{"time":"07:00","days":"once"}"#, "an alarm in it lacks its number"),
      (#"{"number":0,"time":"07:00","days":"once"}"#, "an alarm in it lacks its number"),
      (#"{"number":201,"time":"07:00","days":"once"}"#, "an alarm in it lacks its number"),
      (#"{"number":1,"days":"once"}"#, "alarm 1 in it lacks its time or its days"),
      (#"{"number":1,"time":"26:00","days":"once"}"#, "alarm 1 in it: '26:00' is no time of day"),
      (#"{"number":1,"time":"07:00","days":"2026-02-30"}"#, "'2026-02-30' never comes"),
      (#"{"number":1,"time":"07:00","days":"never"}"#, "'never' is not a weekday"),
      (#"{"number":1,"time":"07:00","days":"once","origin":"x"}"#, "origin 'x' of alarm 1"),
      (#"{"number":1,"time":"07:00","days":"once","rise_db":-24}"#, "lacks rise_db or rise_usec"),
      (
        #"{"number":1,"time":"07:00","days":"once","rise_db":9,"rise_usec":9}"#, "rises from 9.0 dB"
      ),
      (#"{"number":1,"time":"07:00","days":"once","next_usec":-1}"#, "no time from 1970 to 2200"),
      (
        #"{"number":1,"time":"07:00","days":"once","ring_usec":9}"#, "does not wait, ring or snooze"
      ),
      (
        #"{"number":1,"time":"07:00","days":"once","ringing_usec":9,"ringing_boot_usec":9}"#,
        "does not wait, ring or snooze"
      ),
      (
        #"{"number":1,"time":"07:00","days":"once","ring_usec":9,"ringing_usec":9,"ringing_boot_usec":9,"#
          + #""next_usec":9}"#, "does not wait, ring or snooze"
      ),
      (
        #"{"number":1,"time":"07:00","days":"once","ring_usec":9,"ringing_usec":9,"ringing_boot_usec":9,"#
          + #""from_usec":9,"from_boot_usec":9}"#, "does not wait, ring or snooze"
      ),
      (
        #"{"number":1,"time":"07:00","days":"once","ring_usec":9,"snoozing_usec":9,"snoozing_boot_usec":9,"#
          + #""next_usec":9}"#, "does not wait, ring or snooze"
      ),
      (
        #"{"number":1,"time":"07:00","days":"once","ring_usec":9,"snoozing_usec":9,"snoozing_boot_usec":9,"#
          + #""from_usec":9,"from_boot_usec":9}"#, "does not wait, ring or snooze"
      ),
      (
        #"{"number":1,"time":"07:00","days":"once","ring_usec":9,"snoozing_usec":9}"#,
        "lacks snoozing_usec or snoozing_boot_usec"
      ),
      (
        #"{"number":1,"time":"07:00","days":"once"},{"number":1,"time":"08:00","days":"once"}"#,
        "two alarms of one name or number"
      ),
    ])
  func impossible(alarms: String, words: String) {
    let fault = faultThrown { _ = try Self.read("{\"alarms\":[\(alarms)]}") }
    #expect(fault?.description.contains(words) == true, "\(String(describing: fault))")
  }

  @Test(
    "set by a clock that is far off, it can be read again",
    arguments: [Instant(nanoseconds: -9), Instant(nanoseconds: .max)])
  func farOff(shown: Instant) throws {
    let from = TimedMoment(sinceBoot: .seconds(-5), shown: shown)
    let alarm = Alarm(
      number: 1, try Self.plan("07:00", "once"), from: .person,
      state: .waiting(next: nil, from: from))
    #expect(try Self.read(Self.text([alarm])).count == 1)
  }

  @Test("two of one name are refused") func sameName() throws {
    let alarms = try (1...2).map {
      Alarm(
        number: $0, try Self.plan("07:00", "once", "school"), from: .person,
        state: .waiting(next: Self.ring, from: nil))
    }
    #expect(throws: Fault.self) { try Self.read(Self.text(alarms)) }
  }

  @Test("one whose tune is gone keeps its setting") func tuneIsGone() throws {
    let alarms = try Self.read(Self.text(try Self.alarms()), tune: { _ in nil })
    #expect(alarms.count == 5)
    #expect(alarms[3].plan.tune == .missing("whittington"))
    #expect(try Self.read(Self.text(alarms)) == Self.alarms())
    #expect(alarms[3].plan.rise != nil)
  }
}
