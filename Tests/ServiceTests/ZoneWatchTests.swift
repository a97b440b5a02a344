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
