import Basics
import Daemon
import Foundation
import Testing

@testable import Relay

@Suite struct RelayEventTests {
  @Test("every event has an ID and a name of its own") func identity() {
    let all = RelayEvent.allCases
    #expect(Set(all.map(\.messageID)).count == all.count)
    #expect(all.allSatisfy { $0.messageID.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    #expect(all.allSatisfy { $0.name.wholeMatch(of: /relay_[a-z_]+/) != nil })
  }

  private func catalog() throws -> String {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../systemd/clocksmith-relay.catalog")
    return try String(contentsOf: path, encoding: .utf8)
  }

  @Test("the catalog explains every event, and nothing else") func catalogue() throws {
    let explained = try catalog().split(separator: "\n")
      .filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
    #expect(explained.sorted() == RelayEvent.allCases.map(\.messageID).sorted())
  }
}
