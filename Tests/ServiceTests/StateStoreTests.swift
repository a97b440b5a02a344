import Basics
import Daemon
import Foundation
import Horology
import Sound
import TestSupport
import Testing

@testable import Service

@Suite struct StateStoreTests {
  private let folder = TemporaryFolder()
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func store() -> StateStore {
    StateStore(folder.path, loop: loop, journal: Journal())
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
  }

  @Test("nine files that could not be used are kept, the first of all among them")
  func keptAside() throws {
    for number in 1...10 {
      try folder.write("state.json", "torn \(number)")
      #expect(store().loss.hasPrefix("at the start: \(folder.path)/state.json: it is torn"))
    }
    #expect(folder.files.count == 9)
    #expect(try text("state.json.set-aside") == "torn 1")
    #expect(try text("state.json.set-aside-2") == "torn 2")
    #expect(try text("state.json.set-aside-9") == "torn 10")
  }

  @Test("the largest state that there can be is read as it was written") func largest() throws {
    let zero = TimedMoment(sinceBoot: .seconds(900), shown: Instant(seconds: 1_795_275_000))
    func name(_ number: Int) -> String {
      String(repeating: "\u{1F514}", count: 36) + String(1000 + number)
    }
    let path = "/" + String(repeating: "\u{1}", count: 1023)
    let store = store()
    store.keep { state in
      state.timers = (1...1000).map {
        Reminder(
          number: $0, .timer(TimerPlan(.seconds(86_400), name: name($0))), state: .waiting(zero))
      }
      state.alarms = (1...200).map {
        var plan = AlarmPlan(
          name: name($0),
          AlarmTimes(
            time: try! TimeOfDay(text: "07:00"), days: try! AlarmDays(text: "mon, wed, fri, sun")))
        plan.tune = .missing(path)
        plan.rise = AlarmRise(over: .seconds(3600))
        return Reminder(
          number: $0, .alarm(plan), from: $0 > 100 ? .configuration : .person,
          state: .snoozing(until: zero), after: zero.shown)
      }
    }
    store.save()
    let bytes = try readRegularFile("\(folder.path)/state.json", largest: 1 << 21)
    #expect(try SavedState.read(String(decoding: bytes, as: UTF8.self)) == store.state)
  }

  @Test("settings that the disk could not keep are written again, and told until they are kept")
  func settingsNotKept() throws {
    let store = store()
    store.maySync = { false }
    #expect(store.write(settings: "one", wasUnread: false) == nil)
    store.maySync = { true }
    rename(folder.path, "\(folder.path).away")
    store.save()
    #expect(store.trouble.hasPrefix("cannot write \(folder.path)/settings.conf: "))
    rename("\(folder.path).away", folder.path)
    #expect(unlink("\(folder.path)/settings.conf") == 0)
    store.save()
    #expect(store.trouble == "")
    #expect(try text("settings.conf") == "one")
  }

  @Test("when the RTC was last right is written once a day") func rtcSet() throws {
    let store = store()
    let first = Instant(seconds: 1_795_275_000)
    for hour in 0...25 {
      store.keep { $0.update(rtcSet: first + .seconds(hour * 3600)) }
      store.save()
      #expect(
        try SavedState.read(text("state.json")).rtcSet == first + .seconds(hour < 24 ? 0 : 86_400))
    }
    store.keep { $0.update(rtcSet: nil) }
    #expect(store.state.rtcSet == nil)
  }
}
