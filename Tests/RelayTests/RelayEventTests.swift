import Testing

@testable import Relay

@Suite struct RelayEventTests {
  @Test("every event has an ID and a name of its own") func identity() {
    let all = RelayEvent.allCases
    #expect(Set(all.map(\.messageID)).count == all.count)
    #expect(all.allSatisfy { $0.messageID.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    #expect(all.allSatisfy { $0.rawValue.wholeMatch(of: /relay_[a-z_]+/) != nil })
  }
}
