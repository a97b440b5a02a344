import Daemon
import Foundation
import TestSupport
import Testing

@testable import Service

@Suite struct ZoneWatchTests {
  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/localtime" }

  /// Moves the file away, and writes these texts into a new one, a moment after each other.
  /// - Returns: what is in the file when it is to be read, with why.
  private func read(_ texts: [String], patience: Duration = .seconds(60)) throws -> [String] {
    try folder.write("localtime", "Europe/London")
    let (loop, path, folder) = (try EventLoop(), path, folder)
    var zones: [String] = []
    let watch = try ZoneWatch(loop: loop, path: path, patience: patience) { why in
      zones.append(((try? String(contentsOfFile: path, encoding: .utf8)) ?? "none") + why)
      loop.exit()
    }
    #expect(rename(path, "\(path).old") == 0)
    var rest = texts[...]
    let writing = try loop.every(.milliseconds(50)) {
      if let text = rest.popFirst() { try? folder.write("localtime", text) }
    }
    let late = try loop.after(.seconds(10)) { loop.exit() }
    try withExtendedLifetime((watch, writing, late)) { try loop.run() }
    return zones
  }

  @Test("a zone that is moved away and written in parts is read once it is whole")
  func kept() throws {
    #expect(try read(["torn", "Asia/Tokyo", "Asia/Kathmandu"]) == ["Asia/Kathmandu"])
  }

  @Test("a zone that stays away is given up, and the journal says why") func givenUp() throws {
    #expect(try read([], patience: .milliseconds(100)) == ["none; \(path) is not there"])
  }
}
