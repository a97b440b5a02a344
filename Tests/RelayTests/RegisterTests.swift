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
}

extension Instant {
  static func second(_ second: Int64) -> Instant { Instant(microseconds: second * 1_000_000) }
}

@Suite struct RegisterTests {
  @Test("a device that has gone is told again when it is registered again") func returns() throws {
    let test = try TestRegister()
    let register = test.register
    let device = try TestRegister.device(1)
    try register.add([device], at: .second(10))
    let number = try #require(try register.receivers(.production, of: .alarm).first)
    // It has registered since.
    #expect(
      try register.deactivate(number, "Unregistered", since: .second(9), at: .second(30)) == nil)
    #expect(
      try register.deactivate(number, "Unregistered", since: .second(20), at: .second(30))
        == device.token)
    let gone = try register.devices().first
    #expect(gone?.deactivated == .second(30) && gone?.reason == "Unregistered")
    #expect(try register.receivers(.production, of: .alarm).isEmpty)
    try register.add([device], at: .second(40))
    #expect(try register.receivers(.production, of: .alarm) == [number])
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
    try test.register.add([device], at: .second(1))
    try test.register.add([TestRegister.device(1)], at: .second(2))
    #expect(try test.register.devices().first?.device == device)
    let other = try TestRegister.device(1, Record(["events": .text("timer")]))
    try test.register.add([other], at: .second(3))
    let kept = try test.register.devices().first?.device
    #expect(kept?.events == .timer && kept?.environment == .sandbox && kept?.platform == .watchos)
  }

  @Test("a register with a torn page is set aside") func tornPage() throws {
    let test = try TestRegister()
    try test.register.add(try (1...200).map { try TestRegister.device($0) }, at: .second(0))
    try test.register.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let path = "\(test.folder.path)/copy.sqlite"
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let source = open(test.path, O_RDONLY)
    let count = read(source, &bytes, bytes.count)
    close(source)
    // Only the pages of the tables are overwritten: the schema stays whole.
    for index in (count / 2)..<count { bytes[index] = 0xA5 }
    try writeBytes(Array(bytes[..<count]), to: path, isSynced: false)
    var complaints: [String] = []
    let register = try Register.openedForService(path: path) { complaints.append($0) }
    #expect(complaints.count == 1)
    #expect(try register.devices().isEmpty)
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

  @Test("what is not sent yet outlasts the relay, with its ids") func deliveries() throws {
    let test = try TestRegister()
    let message = PushMessage(
      event: .alarm, kind: "alarm_rings", title: "hall", body: "alarm 1 rings",
      details: Record(["ALARM": .text("1")]), collapse: "alarm-1", created: .second(0),
      expires: .second(60))
    let publication = Publication(message)
    let sent = ["ntfy a", "ntfy b", "ntfy c"].map { Delivery(publication, lane: $0) }
    try test.register.save(sent)
    try test.register.remove(delivery: sent[1].id)
    let kept = try test.register.deliveries()
    #expect(kept.map(\.id) == [sent[0].id, sent[2].id])
    #expect(kept.map(\.message) == [message, message])
    #expect(kept[0].publication === kept[1].publication)
    let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
    #expect(kept[0].id.wholeMatch(of: form) != nil)
  }
}
