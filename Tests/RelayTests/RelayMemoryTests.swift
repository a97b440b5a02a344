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

  @Test("a second file that cannot be understood does not replace the first")
  func brokenAgain() throws {
    for text in ["first", "second"] {
      try writeText(text, to: path)
      _ = RelayMemory.load(path)
    }
    #expect(try readRegularFile("\(path).set-aside") == Array("first".utf8))
    #expect(try readRegularFile("\(path).set-aside-2") == Array("second".utf8))
  }
}
