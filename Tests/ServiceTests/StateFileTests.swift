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

  @Test("a file that could be neither used nor set aside is not overwritten, and set aside later")
  func neverOverwritten() throws {
    try folder.write("state.json", "torn")
    for number in 1...8 {
      try folder.write("state.json.set-aside" + (number == 1 ? "" : "-\(number)"), "older")
    }
    // A folder with the last name keeps the file from being renamed, for root as well.
    let last = "\(path).set-aside-9"
    #expect(mkdir(last, 0o700) == 0)
    let journal = Journal()
    var told: [Notice] = []
    journal.heard = { told.append($0) }
    let file = StateFile(path: path)
    let memory = Memory(loop: try EventLoop(), file: file, journal: journal)
    #expect(throws: Fault.self) { try file.save(SavedState()) }
    let remedy = "move it away, and let the service write in \(folder.path)"
    #expect(told.first?.message.components(separatedBy: "; ").contains(remedy) == true)
    memory.keep { $0.mute = .on }
    memory.check()
    memory.write()
    #expect(told.map(\.event) == ["state_set_aside", "state_failed"])
    #expect(memory.trouble.hasSuffix("; \(remedy)"))
    // `status` shows both, each in a line.
    #expect(memory.loss.contains("it is torn") && !memory.loss.contains("cannot rename"))
    #expect(told.last?.message.hasPrefix("cannot rename \(path): ") == true)
    #expect(try text("state.json") == "torn")
    #expect(rmdir(last) == 0)
    memory.check()
    #expect(told.dropFirst(2).map(\.event) == ["state_set_aside", "state"])
    #expect(try text("state.json.set-aside-9") == "torn")
    #expect(StateFile(path: path).load().0 == memory.state)
    #expect(memory.trouble == "")
  }

  @Test(
    "what to do fits what is wrong",
    arguments: [
      (ENOENT, "make the folder /state, and let the service write in it"),
      (ENOTDIR, "move the file of that name away, and make the folder /state"),
      (ENOSPC, "make room on the disk of /state"), (EDQUOT, "make room on the disk of /state"),
      (EROFS, "mount the disk of /state so that it can be written"),
      (EACCES, "let the service write in /state"),
    ])
  func remedies(code: Int32, remedy: String) {
    let words = StateFile(path: "/state/state.json").withRemedy(Fault("cannot write", errno: code))
    #expect(words == "cannot write: \(String(cString: strerror(code))); \(remedy)")
  }

  @Test("a state with a file in place of its folder has no file, and an obstacle that says so")
  func fileForFolder() throws {
    try folder.write("state", "")
    let file = StateFile(path: "\(folder.path)/state/state.json")
    #expect(file.load().complaint == nil)
    #expect(file.obstacle?.contains("Not a directory; move the file of that name away") == true)
  }

  @Test("what a kill in the middle of a save has left is removed at the next start, and no more")
  func unfinished() throws {
    try StateFile(path: path).save(SavedState())
    // Linux gives no process a number above 4,194,304. This process has not written these files, so
    // an earlier one with its number has.
    for process in ["4194305", "\(getpid())"] {
      try folder.write("state.json.\(process).text.part", "half")
    }
    try folder.write("other.4194305.text.part", "half")
    #expect(folder.files.count == 4)
    #expect(StateFile(path: path).load().complaint == nil)
    #expect(folder.files == ["other.4194305.text.part", "state.json"])
  }

  @Test("what another clocksmith is writing is not removed") func unfinishedByAnother() throws {
    // The process 1 always runs.
    try folder.write("state.json.1.text.part", "half")
    #expect(StateFile(path: path).load().complaint == nil)
    #expect(folder.files == ["state.json.1.text.part"])
  }

  @Test("without a file it is told that nothing is kept, and with one it is not")
  func nowhere() throws {
    let journal = Journal()
    var told: [String] = []
    journal.heard = { told.append($0.event) }
    let loop = try EventLoop()
    Memory(loop: loop, file: StateFile(path: path), journal: journal).tellIfForgetful()
    #expect(told.isEmpty)
    Memory(loop: loop, file: nil, journal: journal).tellIfForgetful()
    #expect(told == ["state_nowhere"])
  }
}
