import TestSupport
import Testing

@testable import Relay

@Suite struct RelayMemoryTests {
  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/relay.json" }

  @Test("what was kept is found again") func kept() throws {
    var memory = RelayMemory()
    memory.waiting = [
      .init(topic: "a/command", line: #"{"command":"announce","at":1,"id":"\"x\""}"#)
    ]
    memory.retained = ["a/state", "a/availability"]
    try memory.save(path)
    let (found, complaint) = RelayMemory.load(path)
    #expect(found == memory && complaint == nil)
  }
}
