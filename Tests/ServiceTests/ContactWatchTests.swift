import Basics
import Devices
import Foundation
import Testing

@testable import Service

@Suite struct ContactWatchTests {
  private func watch(
    _ open: @escaping () throws(Fault) -> any InputLine
  ) throws -> ContactWatch {
    ContactWatch(loop: try EventLoop(), debounce: .zero, open: open) { _, _ in }
  }

  @Test("a contact that was never looked at is not accounted for") func never() throws {
    let watch = try watch { () throws(Fault) in PipeLine() }
    #expect(!watch.isAccountedFor)
  }

  @Test("one that answers is accounted for") func answers() throws {
    let watch = try watch { () throws(Fault) in PipeLine() }
    watch.start()
    #expect(watch.state == .inactive)
    #expect(watch.isAccountedFor)
  }

  @Test("one that is lost is accounted for, since another try is due") func lost() throws {
    let line = PipeLine()
    let watch = try watch { () throws(Fault) in line }
    watch.start()
    line.isGone = true
    watch.check()
    #expect(watch.state == .lost(PipeLine.gone))
    #expect(watch.isAccountedFor)
  }
}

/// A line without edges, which may go.
private final class PipeLine: InputLine {
  static let gone = Fault("cannot read the line", "it is gone")
  private let pipe = Pipe()
  var isGone = false
  var descriptor: Int32 { pipe.fileHandleForReading.fileDescriptor }

  func isActive() throws(Fault) -> Bool {
    if isGone { throw Self.gone }
    return false
  }

  func readEdges() throws(Fault) -> [Edge] { [] }
}
