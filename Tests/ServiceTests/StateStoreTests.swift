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
  private let journal = Journal()

  init() throws { loop = try EventLoop() }

  private func store(in path: String? = nil) throws -> StateStore {
    try StateStore(
      path ?? folder.path, loop: loop, journal: journal, firstRetry: .milliseconds(10))
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
  }

  /// Those in the folder, without the lock.
  private var files: [String] { folder.files.filter { $0 != "lock" } }

  /// What the next start would read.
  private func saved(_ name: String = "state.json") throws -> SavedState {
    try SavedState.read(try text(name))
  }

  private func make(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
  }

  @Test("nine files that could not be used are kept, the first of all among them")
  func keptAside() throws {
    for number in 1...10 {
      try folder.write("state.json", "torn \(number)")
      #expect(try store().loss.hasPrefix("at the start: \(folder.path)/state.json: it is torn"))
    }
    #expect(files.count == 9)
    #expect(try text("state.json.set-aside") == "torn 1")
    #expect(try text("state.json.set-aside-2") == "torn 2")
    #expect(try text("state.json.set-aside-9") == "torn 10")
  }

  @Test("what cannot be used of a file is told, and the rest is saved anew beside the file")
  func partlyUsed() throws {
    let file = #"{"version":3,"software_mute":"on","timers":[{},{}]}"#
    try folder.write("state.json", file)
    let loss = try store().loss
    #expect(loss.contains("timers: state is missing; write "))
    #expect(
      loss.hasSuffix(
        ", and 1 more; it is now \(folder.path)/state.json.set-aside; the rest of it is kept"))
    #expect(try text("state.json.set-aside") == file)
    #expect(try saved().mute == .on)
    #expect(try store().loss == "")
  }

  @Test("what a kill in the middle of a save has left is removed at the next start, and no more")
  func unfinished() throws {
    try folder.write("state.json.7.text.part", "half")
    try folder.write("other.7.text.part", "half")
    #expect(try store().loss == "")
    #expect(files == ["other.7.text.part"])
  }

  @Test("the largest state that there can be is read as it was written") func largest() throws {
    let zero = TimedMoment(sinceBoot: .seconds(900), shown: Instant(seconds: 1_795_275_000))
    func name(_ number: Int) -> String {
      String(repeating: "\u{1F514}", count: 36) + String(1000 + number)
    }
    let path = "/" + String(repeating: "\u{1}", count: 1023)
    let store = try store()
    store.keep { state in
      state.timers = (1...1000).map {
        Reminder(number: $0, .timer(.seconds(86_400), name: name($0)), state: .waiting(zero))
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

  @Test("what has sounded is written with what else changes, or at the end, and not by itself")
  func notWrittenByItself() throws {
    let store = try store()
    store.keep { $0.sounded = Instant(seconds: 1_795_275_000) }
    store.save()
    #expect(files.isEmpty)
    store.keep { $0.mute = .on }
    store.save()
    #expect(try saved() == store.state)
    store.keep { $0.sounded = Instant(seconds: 1_795_275_900) }
    store.save()
    #expect(try saved() != store.state)
    store.end()
    #expect(try saved() == store.state)
  }

  @Test("when the RTC was last right is written once a day") func rtcSet() throws {
    let store = try store()
    let first = Instant(seconds: 1_795_275_000)
    for hour in 0...25 {
      store.keep { $0.update(rtcSet: first + .seconds(hour * 3600)) }
      store.save()
      #expect(try saved().rtcSet == first + .seconds(hour < 24 ? 0 : 86_400))
    }
    store.keep { $0.update(rtcSet: nil) }
    #expect(store.state.rtcSet == nil)
  }

  @Test("what plays for hours delays no change") func busy() throws {
    let store = try store()
    store.maySync = { false }
    for mute in [SoftwareMute.on, .next] {
      store.keep { $0.mute = mute }
      store.save()
      #expect(try saved() == store.state)
    }
  }

  @Test(
    "a state that could not be written is written once that can be, and each is told once",
    arguments: [true, false])
  func triedAgain(maySync: Bool) throws {
    let store = try store(in: "\(folder.path)/absent")
    store.maySync = { maySync }
    #expect(
      store.trouble.hasSuffix(
        "make the folder \(folder.path)/absent, and let the service write in it"))
    var told: [String] = []
    journal.heard = { told.append($0.event) }
    store.keep { $0.mute = .on }
    for _ in 1...3 { store.save() }
    #expect(told == ["state_failed"])
    try make("absent")
    let late = try loop.after(.seconds(20)) { [loop] in loop.exit() }
    let look = try loop.every(.milliseconds(5)) { [loop, folder] in
      if FileManager.default.fileExists(atPath: "\(folder.path)/absent/state.json") { loop.exit() }
    }
    try withExtendedLifetime((late, look)) { try loop.run() }
    #expect(try saved("absent/state.json") == store.state)
    // What is only in the file is not safe from a power cut yet.
    #expect(told == (maySync ? ["state_failed", "state"] : ["state_failed"]))
    store.maySync = { true }
    store.save()
    #expect(told == ["state_failed", "state"])
    #expect(store.trouble == "")
  }

  @Test("a folder that was missing at the start and is there again is told, though nothing changed")
  func mended() throws {
    let store = try store(in: "\(folder.path)/absent")
    store.tellIfForgetful()
    var told: [String] = []
    journal.heard = { told.append($0.event) }
    store.save()
    #expect(told.isEmpty && !store.trouble.isEmpty)
    try make("absent")
    for _ in 1...2 { store.save() }
    #expect(told == ["state"] && store.trouble == "")
  }

  @Test("without a folder it is told that nothing is kept, and with one it is not")
  func nowhere() throws {
    var told: [String] = []
    journal.heard = { told.append($0.event) }
    try store().tellIfForgetful()
    #expect(told.isEmpty)
    try StateStore(nil, loop: loop, journal: journal).tellIfForgetful()
    #expect(told == ["state_nowhere"])
  }
}
