import Basics
import Horology
import Service
import Sound

@testable import Devices

/// What a sink of these tests has if it says nothing else.
protocol TestSink: Sink {}

extension TestSink {
  var name: String { "test" }
  var feedInterval: Duration { .milliseconds(20) }
  var capacity: Int { 9600 }
  var underruns: Int { 0 }
  func open() throws(Fault) -> Int { 48_000 }
  func takeBack() -> Int { 0 }
  func close() {}
}

/// Plays sound until it is torn out, after `afterFrames` frames.
final class FailingSink: TestSink {
  private let inner: WAVSink
  private var left: Int

  init(_ loop: VirtualLoop, afterFrames frames: Int) throws {
    inner = try WAVSink(path: "/dev/null", uptime: { loop.uptime })
    left = frames
  }

  func open() throws(Fault) -> Int { try inner.open() }
  func takeBack() -> Int {
    let count = inner.takeBack()
    left += count
    return count
  }
  func space() throws(Fault) -> Int { try inner.space() }
  func position() throws(Fault) -> StreamPosition? { try inner.position() }
  func close() { inner.close() }

  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    left -= block.count
    if left < 0 { throw Fault("cannot write to speaker test", "it is gone") }
    try inner.write(block)
  }
}

/// A file that records the calls made to it.
final class TracingSink: TestSink {
  enum Call: Equatable {
    case other
    case clock
    case takeBack
    case write(Int)
  }
  private let inner: WAVSink
  private let takesBack: Bool
  private(set) var calls: [Call] = []
  /// Called with each block that was written.
  var wrote: (UnsafeBufferPointer<Float>) -> Void = { _ in }

  init(_ inner: WAVSink, takesBack: Bool = true) {
    self.inner = inner
    self.takesBack = takesBack
  }

  func note(_ call: Call) { calls.append(call) }

  func open() throws(Fault) -> Int { try inner.open() }
  func close() { inner.close() }

  func takeBack() -> Int {
    calls.append(.takeBack)
    return takesBack ? inner.takeBack() : 0
  }
  func space() throws(Fault) -> Int {
    calls.append(.other)
    return try inner.space()
  }
  func position() throws(Fault) -> StreamPosition? {
    calls.append(.other)
    return try inner.position()
  }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    calls.append(.write(block.count))
    try inner.write(block)
    wrote(block)
  }
}

/// Fills its buffer and says that it runs, but plays none of it.
final class FrozenSink: TestSink {
  private let loop: VirtualLoop
  private var held = 0
  init(_ loop: VirtualLoop) { self.loop = loop }
  func space() throws(Fault) -> Int { 9600 - held }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) { held += block.count }

  func position() throws(Fault) -> StreamPosition? {
    StreamPosition(uptime: loop.uptime, frame: 480)
  }
}

/// Plays for 1 s. After that it takes no sound and tells no position, like a stopped sound server. Or, like one
/// that has just begun, it takes sound and tells its position again after 4 s more.
final class FallingSilentSink: TestSink {
  private let loop: VirtualLoop
  private let opened: Uptime
  private let goesOn: Bool
  private var written = 0

  init(_ loop: VirtualLoop, goesOn: Bool = false) {
    self.loop = loop
    self.goesOn = goesOn
    opened = loop.uptime
  }

  private var seconds: Double { (loop.uptime - opened).inSeconds }
  private var isTelling: Bool { seconds < 1 || goesOn && seconds > 5 }

  func space() throws(Fault) -> Int {
    isTelling || goesOn ? Int(seconds * 48_000) + capacity - written : 0
  }
  func position() throws(Fault) -> StreamPosition? {
    isTelling ? StreamPosition(uptime: loop.uptime, frame: seconds * 48_000) : nil
  }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) { written += block.count }
}

/// Opens, and then takes nothing.
final class StallingSink: TestSink {
  func space() throws(Fault) -> Int { 0 }
  func position() throws(Fault) -> StreamPosition? { nil }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {}
}

/// A speaker whose converter runs at a fraction of its rate.
final class SlowSink: TestSink {
  private let pace: Double
  private let loop: VirtualLoop
  private let opened: Uptime
  private var written = 0

  init(_ loop: VirtualLoop, pace: Double) {
    self.pace = pace
    self.loop = loop
    opened = loop.uptime
  }

  private func played(at moment: Uptime) -> Double {
    (moment - opened).inSeconds * pace * 48_000
  }

  func space() throws(Fault) -> Int { Int(played(at: loop.uptime)) + 9_600 - written }
  func position() throws(Fault) -> StreamPosition? {
    let now = loop.uptime
    return StreamPosition(uptime: now, frame: played(at: now))
  }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) { written += block.count }
}
