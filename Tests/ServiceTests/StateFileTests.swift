import Basics
import Daemon
import Foundation
import Horology
import TestSupport
import Testing

@testable import Service

@Suite struct StateFileTests {
  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/state.json" }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
  }

  @Test("nine files that could not be used are kept, the first of all among them")
  func keptAside() throws {
    for number in 1...10 {
      try folder.write("state.json", "torn \(number)")
      #expect(StateFile(path: path).load().complaint != nil)
    }
    #expect(folder.files.count == 9)
    #expect(try text("state.json.set-aside") == "torn 1")
    #expect(try text("state.json.set-aside-2") == "torn 2")
    #expect(try text("state.json.set-aside-9") == "torn 10")
  }
}
