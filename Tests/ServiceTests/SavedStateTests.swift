import Basics
import Daemon
import Devices
import Foundation
import Horology
import TestSupport
import Testing

@testable import Service
@testable import Sound

@Suite struct SavedStateTests {
  private static let states: [SavedState] = {
    var states: [SavedState] = []
    let mutes: [SoftwareMute] = [
      .off, .on, .next, .until(Instant(nanoseconds: 1_795_275_000_000_007_000)),
    ]
    for mute in mutes {
      let fine = SavedState.Volume(decibels: -12.345678, configured: -0.333333)
      for volume in [nil, SavedState.Volume(decibels: -12, configured: 0), fine] {
        var state = SavedState()
        (state.mute, state.volume) = (mute, volume)
        states.append(state)
        state.sounded = Instant(seconds: 1_795_275_000)
        states.append(state)
        if case .until = mute {
          state.muteEnd = SavedState.End(
            boot: "0123456789abcdef0123456789abcdef", sinceBoot: .seconds(86_400))
          states.append(state)
        }
      }
    }
    var kitchen = SavedState()
    let zero = TimedMoment(
      sinceBoot: .seconds(86_400), shown: Instant(nanoseconds: 1_795_275_000_000_007_000))
    kitchen.timers = [
      Reminder(
        number: 1, .timer(.seconds(600), name: "tea \"hot\""), state: .waiting(zero)),
      Reminder(
        number: 2, .timer(.seconds(60), name: nil), state: .paused(left: .seconds(7))),
      Reminder(
        number: 7, .timer(.seconds(1), name: "über"), state: .ringing(since: zero)),
      Reminder(
        number: 8, .timer(.seconds(9), name: nil),
        state: .waiting(
          TimedMoment(sinceBoot: .zero, shown: Instant(seconds: 9), followsClock: true))),
    ]
    kitchen.rtcSet = Instant(seconds: 1_795_275_000)
    kitchen.timersBoot = "0123456789abcdef0123456789abcdef"
    states.append(kitchen)
    return states
  }()

  @Test("what is written is what is read", arguments: states)
  func roundTrip(state: SavedState) throws {
    #expect(try SavedState(text: state.text, path: "state") == state)
  }

  @Test("a text that is torn at any byte is no state", arguments: states)
  func torn(state: SavedState) throws {
    // The last byte is only the end of the line.
    for length in 0..<(state.text.utf8.count - 1) {
      let torn = String(decoding: state.text.utf8.prefix(length), as: UTF8.self)
      #expect(throws: Fault.self) { try SavedState(text: torn, path: "state") }
    }
  }

  @Test("a text that is damaged anywhere is no state, or the same one", arguments: states)
  func damaged(state: SavedState) throws {
    var chance = SplitMix64(seed: 7)
    let whole = Array(state.text.utf8)
    for _ in 0..<2000 {
      let start = Int(chance.next() % UInt64(whole.count))
      let end = min(start + 1 + Int(chance.next() % 40), whole.count)
      var damaged = whole
      switch chance.next() % 4 {
      case 0: damaged[start] ^= 1 << UInt8(chance.next() % 7)
      case 1: damaged.removeSubrange(start..<end)
      case 2: damaged.insert(contentsOf: whole[start..<end], at: start)
      default: damaged.replaceSubrange(start..<end, with: repeatElement(32, count: end - start))
      }
      let read = try? SavedState(text: String(decoding: damaged, as: UTF8.self), path: "state")
      #expect(read == nil || read == state, "\(String(decoding: damaged, as: UTF8.self))")
    }
  }

  @Test("a state of the first version, which had no checksum, is read") func firstVersion() throws {
    let text = #"{"version":1,"mute":"on","volume_db":-12,"volume_configured_db":0.0}"#
    let state = try SavedState(text: text, path: "state")
    #expect(state.mute == .on)
    #expect(state.volume == SavedState.Volume(decibels: -12, configured: 0))
  }

  @Test("a state that does not say what has sounded is read") func withoutWhatHasSounded() throws {
    let state = try SavedState(
      text: #"{"version":2,"mute":"next","checksum":"b944f53f"}"# + "\n", path: "state")
    #expect(state.mute == .next)
    #expect(state.sounded == nil)
  }

  @Test("what has sounded is written with what else changes, or at the end, and not by itself")
  func notWrittenByItself() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/state.json")
    let memory = Memory(loop: try EventLoop(), file: file, journal: Journal())
    memory.keep { $0.sounded = Instant(seconds: 1_795_275_000) }
    memory.check()
    #expect(file.load().0 == SavedState())
    memory.keep { $0.mute = .on }
    memory.check()
    #expect(file.load().0 == memory.state)
    memory.keep { $0.sounded = Instant(seconds: 1_795_275_900) }
    memory.check()
    #expect(file.load().0 != memory.state)
    memory.save()
    #expect(file.load().0 == memory.state)
  }

  @Test("when the RTC was last right is written once a day") func rtcSet() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/state.json")
    let memory = Memory(loop: try EventLoop(), file: file, journal: Journal())
    let first = Instant(seconds: 1_795_275_000)
    for hour in 0...25 {
      memory.keep { $0.update(rtcSet: first + .seconds(hour * 3600)) }
      memory.check()
      #expect(file.load().0.rtcSet == first + .seconds(hour < 24 ? 0 : 86_400))
    }
    memory.keep { $0.update(rtcSet: nil) }
    #expect(memory.state.rtcSet == nil)
  }

  @Test("a clock that is far off makes no state that is refused later", arguments: [-1000, 8e9])
  func farOff(seconds: Double) throws {
    let last = Instant(seconds: Int64(seconds))
    var state = SavedState()
    let configuration = Configuration()
    state.update(
      from: Announcer(
        settings: configuration.announcer, zone: SystemZone.universal, trust: .synchronised,
        sounded: last,
        at: Now(instant: last, uptime: Uptime(nanoseconds: 0), sinceBoot: .zero)))
    #expect(state.sounded == nil)
    #expect(try SavedState(text: state.text, path: "state") == state)
  }

  @Test("an alarm of an earlier version is done with the date on which it rang last")
  func doneInstant() throws {
    let alarm =
      #""number":1,"time":"01:30","days":"mon-sun","state":"waiting","rings":"2026-11-21T22:30:00Z""#
    let text =
      #"{"version":1,"zone_offset":7200,"alarms":[{\#(alarm),"acknowledged":"2026-11-20T23:30:00Z"}]}"#
    let state = try SavedState(text: text, path: "state")
    #expect(state.alarms.first?.done == CivilDate(text: "2026-11-21"))
    #expect(state.alarms.first?.from == Instant(rfc3339: "2026-11-21T22:29:59Z"))
  }

  @Test(
    "a value of another type, or without its other half, is told and not forgotten",
    arguments: [
      (
        #""volume_db":"-12","volume_configured_db":0"#,
        #"volume_db "-12" is not allowed; write -60"#
      ),
      (#""volume_db":-12"#, "volume_configured_db is missing"),
      (#""mute":true"#, "software_mute true is not allowed; write on, next, until"),
      (#""mute_until_usec":1.5"#, "muted_until 1.5 is not allowed"),
      (#""mute_until_usec":1,"mute_boot":"a""#, "muted_until_boot is missing"),
    ])
  func anotherType(values: String, told: String) {
    let fault = faultThrown {
      _ = try SavedState(text: #"{"version":1,\#(values)}"#, path: "state")
    }
    #expect(fault?.detail.contains(told) == true, "\(String(describing: fault))")
  }

  @Test("a state whose checksum was taken out is none") func withoutChecksum() throws {
    let fault = faultThrown { _ = try SavedState(text: #"{"version":2}"#, path: "state") }
    #expect(fault?.detail == "its checksum is wrong: it is torn, or was edited")
  }

  @Test("the checksum is the CRC-32 of IEEE 802.3") func checksum() {
    #expect(CRC32.of("123456789") == 0xCBF4_3926)
  }

  @Test("a mute counts from the start of the machine only until it starts again")
  func anotherBoot() {
    var state = SavedState()
    state.mute = .until(Instant(seconds: 1_795_275_000))
    state.muteEnd = SavedState.End(boot: SystemClock.boot ?? "", sinceBoot: .seconds(86_400))
    #expect(state.muteEndInThisBoot == .seconds(86_400))
    state.muteEnd = SavedState.End(boot: "another", sinceBoot: .seconds(86_400))
    #expect(state.muteEndInThisBoot == nil)
  }

  @Test("a state that could not be written is written once that can be, and each is told once")
  func triedAgain() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/absent/state.json")
    let (loop, journal) = (try EventLoop(), Journal())
    let memory = Memory(loop: loop, file: file, journal: journal, firstRetry: .milliseconds(10))
    var told: [String] = []
    journal.heard = {
      told.append($0.event)
      if told.count == 2 { loop.exit() }
    }
    memory.keep { $0.mute = .on }
    for _ in 1...3 { memory.check() }
    #expect(told == ["state_failed"])
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/absent", withIntermediateDirectories: false)
    let late = try loop.after(.seconds(20)) { loop.exit() }
    try withExtendedLifetime(late) { try loop.run() }
    #expect(told == ["state_failed", "state"])
    #expect(file.load().0 == memory.state)
  }

  @Test("what sounds for hours keeps no order from being written once that can be")
  func triedAgainWhileBusy() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/absent/state.json")
    let (loop, journal) = (try EventLoop(), Journal())
    let memory = Memory(loop: loop, file: file, journal: journal, firstRetry: .milliseconds(10))
    memory.isBusy = { true }
    journal.heard = { if $0.event == "state" { loop.exit() } }
    memory.keep { $0.mute = .on }
    memory.write()
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/absent", withIntermediateDirectories: false)
    let late = try loop.after(.seconds(20)) { loop.exit() }
    try withExtendedLifetime(late) { try loop.run() }
    #expect(file.load().0 == memory.state)
  }

  @Test("the end of a mute that is later than what can be saved is saved as the latest that can")
  func endOfMute() throws {
    var state = SavedState()
    state.mute = .until(Instant(nanoseconds: .max))
    let read = try SavedState(text: state.text, path: "state")
    #expect(read.mute == .until(Instant(seconds: 7_258_118_400)))
  }

  @Test("a state that cannot be kept is no reason to stop") func noFolder() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/absent/state.json")
    #expect(throws: Fault.self) { try file.save(SavedState()) }
    let (state, complaint, _) = file.load()
    #expect(state == SavedState())
    #expect(complaint == nil)
  }

  @Test("on a disk that is full not every event is a try to write") func inPassing() throws {
    let folder = TemporaryFolder()
    let file = StateFile(path: "\(folder.path)/absent/state.json")
    let memory = Memory(loop: try EventLoop(), file: file, journal: Journal())
    memory.isBusy = { true }
    memory.keep { $0.mute = .on }
    memory.writeInPassing()
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/absent", withIntermediateDirectories: false)
    memory.writeInPassing()
    #expect(file.load().0 == SavedState())
    memory.write()
    #expect(file.load().0 == memory.state)
    memory.keep { $0.mute = .next }
    memory.writeInPassing()
    #expect(file.load().0 == memory.state)
  }

  @Test("a file that can be written, and not brought to the disk, is told once and not as saved")
  func notSynced() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/state.json"
    let journal = Journal()
    let memory = Memory(loop: try EventLoop(), file: StateFile(path: path), journal: journal)
    var told: [String] = []
    journal.heard = { told.append($0.event) }
    // A pipe is written in place, but a synced write needs a temporary file beside it.
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    let beside = "\(path).\(getpid()).text.part"
    try FileManager.default.createDirectory(atPath: beside, withIntermediateDirectories: false)
    memory.keep { $0.mute = .on }
    for _ in 1...3 {
      memory.check()
      memory.write()
    }
    #expect(told == ["state_failed"])
    #expect(rmdir(beside) == 0)
    memory.check()
    #expect(told == ["state_failed", "state"])
  }
}
