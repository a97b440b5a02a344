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

  /// Moves the file away, and writes these texts into a new one, a moment after each other.
  /// - Returns: the zones that are told until the first entry in the journal, and that entry.
  private func told(
    _ texts: [String], patience: Duration = .seconds(60)
  ) throws -> (zones: [String], message: String) {
    try folder.write("localtime", "Europe/London")
    let (loop, journal, path, folder) = (try EventLoop(), Journal(), path, folder)
    var (zones, message): ([String], String) = ([], "")
    journal.heard = {
      message = $0.message
      loop.exit()
    }
    let watch = try ZoneWatch(
      loop: loop, journal: journal, path: path, patience: patience,
      read: { () throws(Fault) -> any Zone in
        let name = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "UTC"
        guard name != "torn" else { throw Fault("localtime", "torn") }
        return NamedZone(name: name)
      },
      changed: { zones.append($0.name) })
    #expect(rename(path, "\(path).old") == 0)
    var rest = texts[...]
    let writing = try loop.every(.milliseconds(50)) {
      if let text = rest.popFirst() { try? folder.write("localtime", text) }
    }
    let late = try loop.after(.seconds(10)) { loop.exit() }
    try withExtendedLifetime((watch, writing, late)) { try loop.run() }
    return (zones, message)
  }

  @Test("a zone that is moved away and written in parts is read once it is whole") func kept()
    throws
  {
    let told = try told(["torn", "Asia/Tokyo", "Asia/Kathmandu"])
    #expect(told.zones == ["Asia/Kathmandu"] && told.message == "the zone is Asia/Kathmandu")
  }

  @Test("a zone that cannot be read is told, and the one before stays") func torn() throws {
    let told = try told(["torn"])
    #expect(told.zones.isEmpty && told.message == "localtime: torn")
  }

  @Test("a zone that stays away is given up, and the journal says why") func givenUp() throws {
    let told = try told([], patience: .milliseconds(100))
    #expect(told.zones == ["UTC"] && told.message == "the zone is UTC; \(path) is not there")
  }
}
