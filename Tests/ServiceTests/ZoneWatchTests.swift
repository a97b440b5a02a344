import Basics
import Daemon
import Foundation
import Horology
import TestSupport
import Testing

@testable import Service

@Suite struct ZoneWatchTests {
  private struct NamedZone: Zone {
    let name: String
    func civil(at instant: Instant) -> CivilTime { CivilTime(hour: 0, minute: 0)! }
    func instants(of time: CivilDateTime) -> [Instant] { [] }
  }

  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/localtime" }

  /// Moves the file away, and brings another a moment later if it has a name.
  /// - Returns: the first zone that is told then, and the journal.
  private func told(
    next: String?, patience: Duration
  ) throws -> (zones: [String], journal: [String]) {
    try folder.write("localtime", "Europe/London")
    let (loop, journal, path) = (try EventLoop(), Journal(), path)
    var zones: [String] = []
    var messages: [String] = []
    journal.heard = { messages.append($0.message) }
    let watch = try ZoneWatch(
      loop: loop, journal: journal, path: path, patience: patience,
      read: { () throws(Fault) -> any Zone in
        NamedZone(name: (try? String(contentsOfFile: path, encoding: .utf8)) ?? "UTC")
      },
      changed: {
        zones.append($0.name)
        loop.exit()
      })
    #expect(rename(path, "\(path).old") == 0)
    let comes = try loop.after(.milliseconds(50)) {
      guard let next else { return }
      try? folder.write("fresh", next)
      rename("\(folder.path)/fresh", path)
    }
    let late = try loop.after(.seconds(10)) { loop.exit() }
    try withExtendedLifetime((watch, comes, late)) { try loop.run() }
    return (zones, messages)
  }

  /// Puts a link in the place of the file, and lets `read` read the zone, with the number of the
  /// reading.
  /// - Returns: the zones that are told until the first entry in the journal, the entries, and how
  ///   often it was read.
  private func toldReading(
    _ read: @escaping (Int) throws(Fault) -> String
  ) throws -> (zones: [String], journal: [String], readings: Int) {
    try folder.write("localtime", "Europe/London")
    let (loop, journal, path) = (try EventLoop(), Journal(), path)
    var zones: [String] = []
    var messages: [String] = []
    var readings = 0
    journal.heard = {
      messages.append($0.message)
      loop.exit()
    }
    let watch = try ZoneWatch(
      loop: loop, journal: journal, path: path,
      read: { () throws(Fault) -> any Zone in
        readings += 1
        return NamedZone(name: try read(readings))
      },
      changed: { zones.append($0.name) })
    try folder.write("zone", "Asia/Kathmandu")
    #expect(symlink("\(folder.path)/zone", "\(folder.path)/fresh") == 0)
    #expect(rename("\(folder.path)/fresh", path) == 0)
    let late = try loop.after(.seconds(10)) { loop.exit() }
    try withExtendedLifetime((watch, late)) { try loop.run() }
    return (zones, messages, readings)
  }

  @Test("a zone that is replaced while it is read is read again") func replaced() throws {
    let folder = self.folder
    let told = try toldReading { (reading: Int) throws(Fault) -> String in
      guard reading == 1 else { return "Asia/Kathmandu" }
      // The file behind the link. Nothing tells of that but the file itself.
      try? folder.write("next", "Asia/Kathmandu")
      rename("\(folder.path)/next", "\(folder.path)/zone")
      return "neither"
    }
    #expect(told.zones == ["Asia/Kathmandu"])
    #expect(told.journal == ["the zone is Asia/Kathmandu"])
    #expect(told.readings == 2)
  }

  @Test("a zone that cannot be read in the middle of its writing is no trouble")
  func halfWritten() throws {
    let told = try toldReading { (reading: Int) throws(Fault) -> String in
      if reading == 1 { throw Fault("localtime", "torn") }
      return "Asia/Kathmandu"
    }
    #expect(told.zones == ["Asia/Kathmandu"])
    #expect(told.journal == ["the zone is Asia/Kathmandu"])
  }

  @Test("a zone that still cannot be read a moment later is told once") func torn() throws {
    let told = try toldReading { (_: Int) throws(Fault) -> String in
      throw Fault("localtime", "torn")
    }
    #expect(told.zones.isEmpty)
    #expect(told.journal == ["localtime: torn"])
    #expect(told.readings == 2)
  }

  @Test("a zone that is moved away is kept until the next one is there") func kept() throws {
    let told = try told(next: "Asia/Kathmandu", patience: .seconds(60))
    #expect(told.zones == ["Asia/Kathmandu"])
    #expect(told.journal == ["the zone is Asia/Kathmandu"])
  }

  @Test("a zone that stays away is given up, and the journal says why") func givenUp() throws {
    let told = try told(next: nil, patience: .milliseconds(100))
    #expect(told.zones == ["UTC"])
    #expect(told.journal == ["the zone is UTC; \(path) is not there"])
  }
}
