import Basics
import Glibc
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

  @Test("without a file there is nothing, and nothing to complain of") func none() {
    let (found, complaint) = RelayMemory.load(path)
    #expect(found == RelayMemory() && complaint == nil)
  }

  @Test(
    "a file that cannot be understood is set aside",
    arguments: ["{", "", "[]", String(repeating: "x", count: 2_000_000)])
  func broken(_ text: String) throws {
    let file = fopen(path, "w")!
    fputs(text, file)
    fclose(file)
    let (found, complaint) = RelayMemory.load(path)
    #expect(found == RelayMemory())
    #expect(complaint?.hasSuffix("the commands that waited are lost") == true)
    #expect(access(path, F_OK) != 0 && access("\(path).set-aside", F_OK) == 0)
  }
}
