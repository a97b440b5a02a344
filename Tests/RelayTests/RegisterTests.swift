import Basics
import Daemon
import Glibc
import Horology
import TestSupport
import Testing

@testable import Relay

/// A register in a temporary folder.
final class TestRegister {
  let folder = TemporaryFolder()
  let register: Register
  var path: String { "\(folder.path)/register.sqlite" }

  init() throws(Fault) {
    register = try Register(path: "\(folder.path)/register.sqlite")
  }

  /// - Parameter more: what the registration names, besides the token.
  static func device(_ number: Int, _ more: Record = Record()) throws(BadValue) -> Device {
    try Device(Record(["token": .text(token(number))]).merging(more))
  }

  static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.utf8.count) + digits
  }

  /// - Returns: the number of the device.
  @discardableResult
  func add(_ number: Int, at second: Int64 = 0) throws -> Int64 {
    try register.add(Self.device(number), at: .second(second))
    return try register.devices().first { $0.device.token == Self.token(number) }!.number
  }
}

extension Instant {
  static func second(_ second: Int64) -> Instant { Instant(microseconds: second * 1_000_000) }
}

@Suite struct RegisterTests {
  @Test("a device that has gone is told again when it is registered again") func returns() throws {
    let test = try TestRegister()
    let number = try test.add(1, at: 10)
    #expect(
      try test.register.deactivate(number, "Unregistered", since: .second(20), at: .second(30)))
    let gone = try test.register.devices().first?.gone
    #expect(gone == .init(at: .second(30), reason: "Unregistered"))
    #expect(try test.register.countOfDevices() == 0)
    let renewed = try TestRegister.device(1)
    #expect(try test.register.add([renewed], at: .second(40)) == 0)
    #expect(try test.register.devices().first?.gone == nil)
    // The provider's report is older than the new registration.
    #expect(
      try !test.register.deactivate(number, "Unregistered", since: .second(20), at: .second(50)))
    #expect(try test.register.countOfDevices() == 1)
  }

  @Test("a device that is registered again keeps what the registration does not name")
  func renewed() throws {
    let test = try TestRegister()
    let device = try TestRegister.device(
      1,
      Record([
        "platform": .text("watchos"), "environment": .text("sandbox"),
        "events": .text("hour,alarm"),
      ]))
    try test.register.add(device, at: .second(1))
    #expect(try test.register.add([TestRegister.device(1)], at: .second(2)) == 0)
    #expect(try test.register.devices().first?.device == device)
    let other = try TestRegister.device(1, Record(["events": .text("timer")]))
    try test.register.add(other, at: .second(3))
    let kept = try test.register.devices().first?.device
    #expect(kept?.events == .timer && kept?.environment == .sandbox && kept?.platform == .watchos)
  }

  @Test("a register that is set aside replaces no other, and gets no log of another")
  func tornAgain() throws {
    let test = try TestRegister()
    let path = "\(test.folder.path)/torn.sqlite"
    for text in ["first", "second"] {
      try test.folder.write("torn.sqlite", text)
      try test.folder.write("torn.sqlite.set-aside-2-wal", "a log of another")
      #expect(Register.setAside(path).hasPrefix("it is now \(path).set-aside"))
    }
    #expect(try readRegularFile("\(path).set-aside") == Array("first".utf8))
    #expect(try readRegularFile("\(path).set-aside-2") == Array("second".utf8))
    #expect(!test.folder.files.contains("torn.sqlite.set-aside-2-wal"))
  }

  @Test("one with a torn page is set aside as well") func tornPage() throws {
    let test = try TestRegister()
    for number in 1...200 { try test.add(number) }
    try test.register.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let path = "\(test.folder.path)/copy.sqlite"
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let source = open(test.path, O_RDONLY)
    let count = read(source, &bytes, bytes.count)
    close(source)
    // Only the pages of the tables are overwritten: the schema stays whole.
    for index in (count / 2)..<count { bytes[index] = 0xA5 }
    try writeBytes(Array(bytes[..<count]), to: path, isSynced: false)
    do {
      let torn = try Register(path: path)
      #expect(throws: Fault.self) { try torn.devices() }
      #expect(torn.database.isBroken)
    }
    var complaints: [String] = []
    let register = try Register.openedForService(path: path) { complaints.append($0) }
    #expect(complaints.count == 1)
    #expect(try register.countOfDevices() == 0)
  }

  @Test("a register without phones keeps what is not sent yet") func third() throws {
    let test = try TestRegister()
    try test.register.publish("hello", title: "hall", at: .second(0))
    try test.register.database.execute("DROP TABLE phones; PRAGMA user_version = 3")
    let register = try Register(path: test.path)
    #expect(try register.words().count == 1 && register.phones().isEmpty)
  }

  @Test("a pairing that has ended is confirmed no more") func ended() throws {
    let (test, now) = (try TestRegister(), Instant.now)
    func pairing(_ cookie: String, for span: Duration) -> Pairing {
      Pairing(
        cookie: cookie, words: "amber fox", name: "x", address: "::1", ends: uptime + span)
    }
    let (late, early) = (pairing("a", for: .zero), pairing("b", for: .seconds(60)))
    try test.register.begin(late)
    #expect(try test.register.pairing() == nil)
    #expect(try test.register.confirm(late, at: now) == nil)
    try test.register.begin(early)
    #expect(try test.register.confirm(late, at: now) == nil)
    #expect(try test.register.confirm(early, at: now)?.since == now)
    try test.register.end(cookie: "a")
    #expect(try test.register.phones().count == 1)
  }

  @Test("of a register of an earlier version, the devices are kept") func earlier() throws {
    let test = try TestRegister()
    try test.add(1)
    try test.register.database.execute("CREATE TABLE messages (id); PRAGMA user_version = 2")
    #expect(try Register(path: test.path).countOfDevices() == 1)
  }

  @Test("one of a later version is left as it is") func later() throws {
    let test = try TestRegister()
    try test.register.database.execute("PRAGMA user_version = 9")
    let fault = faultThrown { _ = try Register.openedForService(path: test.path) { _ in } }
    #expect(fault?.detail.hasPrefix("it was made by a later version") == true)
  }

  @Test("what is not sent yet outlasts the relay, with its ids") func deliveries() throws {
    let test = try TestRegister()
    let message = PushMessage(
      event: .alarm, kind: "alarm_rings", title: "hall", body: "alarm 1 rings",
      fields: ["ALARM": "1"], collapse: "alarm-1", created: .second(0), expires: .second(60))
    let publication = Publication(message)
    let sent = ["ntfy a", "ntfy b", "ntfy c"].map { Delivery(publication, lane: $0) }
    try test.register.save(sent, [])
    try test.register.save([], [sent[1].id])
    let kept = try test.register.deliveries()
    #expect(kept.map(\.id) == [sent[0].id, sent[2].id])
    #expect(kept.map(\.message) == [message, message])
    #expect(kept[0].publication === kept[1].publication)
    #expect(kept[0].publication.waiting == 2)
    let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
    #expect(kept[0].id.wholeMatch(of: form) != nil)
  }
}
