import Basics
import Daemon
@preconcurrency import Glibc
import Horology
import TestSupport
import Testing

@testable import Relay

extension Instant {
  static func second(_ second: Int64) -> Instant { Instant(microseconds: second * 1_000_000) }
}

enum TestRegister {
  /// - Parameter more: what the registration names, besides the token.
  static func device(_ number: Int, _ more: Record = Record()) throws(BadValue) -> Device {
    try Device(Record(["token": .text(token(number))]).merging(more))
  }

  static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.utf8.count) + digits
  }
}

@Suite struct RegisterTests {
  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/register.sqlite" }

  @Test("a register with a torn page is none") func tornPage() throws {
    let register = try Register(path: path)
    try register.add(try (1...200).map { try TestRegister.device($0) }, at: .second(0))
    try register.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = try readRegularFile(path)
    // Only the pages of the tables are overwritten: the schema stays whole.
    for index in (bytes.count / 2)..<bytes.count { bytes[index] = 0xA5 }
    try writeBytes(bytes, to: "\(folder.path)/copy.sqlite", isSynced: false)
    #expect(throws: Fault.self) { try Register.checked(path: "\(folder.path)/copy.sqlite") }
  }

  @Test("a link is no register, whatever it leads to") func link() throws {
    _ = try Register(path: path)
    #expect(symlink(path, "\(folder.path)/link.sqlite") == 0)
    #expect(throws: Fault.self) { try Register(path: "\(folder.path)/link.sqlite") }
  }

  @Test("a pairing that has ended is confirmed no more") func ended() throws {
    let register = try Register(path: path)
    let pairing = Pairing(cookie: "a", words: "amber fox", name: "x", address: "::1", ends: uptime)
    try register.begin(pairing)
    #expect(try register.pairing() == nil)
    #expect(try register.confirm(pairing, at: .now) == nil)
  }
}
