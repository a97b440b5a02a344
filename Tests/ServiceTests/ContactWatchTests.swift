import Basics
import Daemon
import Devices
import Foundation
import Horology
import TestSupport
import Testing

@testable import Service

@Suite struct ContactWatchTests {
  @Test("its edges are served before all else that is due", .rule("first-edge"))
  func first() throws {
    let loop = try EventLoop()
    let line = PipeLine()
    let other = Pipe()
    var served: [String] = []
    let before = try loop.whenReady(other.fileHandleForReading.fileDescriptor, events: 1) {
      served.append("another")
      loop.exit()
    }
    let watch = ContactWatch(
      loop: loop, open: { line },
      changed: { state, _ in served.append("\(state)") })
    watch.start()
    other.fileHandleForWriting.write(Data([0]))
    line.close()
    try loop.run()
    _ = before
    #expect(served == ["inactive", "active", "another"])
  }

  @Test("a line whose edges never end leaves the rest its turn") func noise() throws {
    let loop = try EventLoop()
    let line = PipeLine()
    line.isNoisy = true
    line.close()
    let watch = ContactWatch(loop: loop, open: { line }, changed: { _, _ in })
    watch.start()
    var ticks = 0
    let ticker = try loop.every(.milliseconds(20)) {
      ticks += 1
      if ticks == 10 { loop.exit() }
    }
    let start = SystemClock.uptime
    let guarding = try loop.after(.seconds(3)) { loop.exit() }
    try loop.run()
    _ = (ticker, guarding)
    #expect(ticks == 10)
    #expect(SystemClock.uptime - start < .seconds(1))
    #expect((5...200).contains(line.reads))
  }

  @Test("it is accounted for while it answers, and while it is lost, since another try is due")
  func accountedFor() throws {
    let line = PipeLine()
    let watch = ContactWatch(loop: try EventLoop(), open: { line }, changed: { _, _ in })
    #expect(!watch.isAccountedFor)
    watch.start()
    #expect(watch.state == .inactive && watch.isAccountedFor)
    line.isGone = true
    watch.check()
    #expect(watch.state == .lost(PipeLine.gone) && watch.isAccountedFor)
  }
}

/// A line that can disappear.
private final class PipeLine: InputLine {
  static let gone = Fault("cannot read the line", "it is gone")
  private let pipe = Pipe()
  var isGone = false
  private var isClosed = false
  /// Edges stay unread, so there is always one to read.
  var isNoisy = false
  private(set) var reads = 0

  /// Closes the contact and leaves an edge to be read.
  func close() {
    isClosed = true
    pipe.fileHandleForWriting.write(Data([0]))
  }

  var descriptor: Int32 { pipe.fileHandleForReading.fileDescriptor }

  func isActive() throws(Fault) -> Bool {
    if isGone { throw Self.gone }
    return isClosed
  }

  func readEdges() throws(Fault) -> [Edge] {
    reads += 1
    if isClosed && !isNoisy { _ = pipe.fileHandleForReading.availableData }
    return []
  }
}
