import Basics
import Foundation
import Horology
import Service
import TestSupport
import Testing

@testable import Devices
@testable import Playing
@testable import Sound

/// These run in real time, a second each, on a file that takes sound as a speaker would.
@Suite(.serialized) struct PlayerTests {
  private let folder = TemporaryFolder()
  private var path: String { "\(folder.path)/clock" }

  /// A fifth of a second of constant level.
  private func makeScore() throws -> Score {
    let writer = try SoundFileWriter(path: "\(path)-clip.wav", rate: 48_000)
    try [Float](repeating: 0.5, count: 9600).withUnsafeBufferPointer { try writer.write($0) }
    try writer.finish()
    let part = Score.Part(path: "\(path)-clip.wav", start: 0, frames: 9600, isTimed: true)
    return Score(rate: 48_000, parts: [part], anchor: 0)
  }

  private func play(
    on sink: any Sink, _ score: Score, stoppingAfter delay: Duration? = nil
  ) throws -> (outcome: Outcome?, stoppedAt: Uptime?) {
    let loop = try EventLoop()
    var stoppedAt: Uptime?
    var outcome: Outcome?
    let player = Player(loop: loop) { sink }
    player.ended = {
      outcome = $1
      loop.exit()
    }
    try player.play(SoundingID(1), anchoredAt: .utc(SystemClock.now.instant + .milliseconds(500))) {
      _ throws(Fault) in score
    }
    let stop = try delay.map {
      try loop.after($0) {
        stoppedAt = SystemClock.uptime
        player.stop([SoundingID(1)], .serviceEnds)
      }
    }
    try loop.run()
    _ = stop
    return (outcome, stoppedAt)
  }

  private func recorded() throws -> [Float] {
    let file = try SoundFile(path: "\(path).wav")
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: file.frames)
    defer { block.deallocate() }
    _ = try file.read(into: block)
    return Array(block)
  }

  @Test("the anchor leaves the converter at its instant") func anchorIsOnTime() throws {
    let outcome = try play(on: try WAVSink(path: "\(path).wav"), try makeScore()).outcome
    guard case .finished(let timing)? = outcome else {
      Issue.record("it did not finish: \(String(describing: outcome))")
      return
    }
    #expect(try #require(timing.onsetError).magnitude < .milliseconds(1))
    #expect(timing.underruns == 0)
    let frames = try recorded()
    let sounding = frames.indices.filter { frames[$0] != 0 }
    #expect(sounding.count == 9600)
    #expect(sounding.last! - sounding.first! == 9599)
  }

  @Test("a sleep while the device is opened ends the phrase, and a slow device does not")
  func sleepWhileOpening() throws {
    let score = try makeScore()
    let span = Duration.seconds(8)
    for sleep in [Duration.zero, span] {
      let start = SystemClock.now
      var now = start
      let sink = try WAVSink(path: "\(path).wav")
      let opened = Now(
        instant: start.instant + span, uptime: start.uptime + span - sleep,
        sinceBoot: start.sinceBoot + span)
      let open: () -> any Sink = {
        now = opened
        return sink
      }
      let player = Player(loop: try EventLoop(), now: { now }, sink: open)
      let fault = faultThrown {
        try player.play(SoundingID(1), anchoredAt: .utc(start.instant)) { _ throws(Fault) in score }
      }
      #expect((fault?.description.contains("the machine slept for") == true) == (sleep == span))
      #expect(player.isPlaying == (sleep == .zero))
    }
  }

  @Test("a stop fades and tells its reason") func stopFades() throws {
    // 550 ms: the anchor is at 500, and the sink holds 200 ms that have been written already.
    let (outcome, stoppedAt) = try play(
      on: try WAVSink(path: "\(path).wav"), try makeScore(), stoppingAfter: .milliseconds(550))
    guard case .stopped(.serviceEnds, let silentAt?)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    // What the owner's switch is given. What this file has not played is taken back whole.
    #expect(silentAt - (try #require(stoppedAt)) < .milliseconds(30))
    let frames = try recorded()
    #expect((100..<9_500).contains(frames.filter { $0 != 0 }.count))
    let steps = zip(frames, frames.dropFirst()).map { abs($1 - $0) }
    // The clip's own beginning is the one step.
    #expect(steps.filter { $0 > 0.01 }.count == 1)
  }

  @Test("a stop writes the fade as soon as it has taken back what it fades")
  func stopWritesAtOnce() throws {
    let sink = TracingSink(try WAVSink(path: "\(path).wav"))
    _ = try play(on: sink, try makeScore(), stoppingAfter: .milliseconds(550))
    let taken = try #require(sink.calls.firstIndex { $0 == .takeBack })
    #expect(sink.calls[taken + 1] == .write(384))
  }

  @Test("what would begin later than it may does not begin, and tells by how much")
  func tooLate() throws {
    let loop = try EventLoop()
    var outcome: Outcome?
    let player = Player(loop: loop) { [path] in try! WAVSink(path: "\(path).wav") }
    player.ended = {
      outcome = $1
      loop.exit()
    }
    let score = try makeScore()
    let anchor = SystemClock.now.instant - .seconds(3)
    try player.play(SoundingID(1), anchoredAt: .utc(anchor), mayBeLateBy: .seconds(2)) {
      _ throws(Fault) in score
    }
    try loop.run()
    guard case .tooLate(let delay)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect((.seconds(3) ... .seconds(4)).contains(delay))
    #expect(!player.isPlaying)
    #expect(try recorded().allSatisfy { $0 == 0 })
  }

  @Test("a speaker that is torn out ends the announcement") func tornOut() throws {
    let outcome = try play(on: FailingSink(afterFrames: 36_000), try makeScore()).outcome
    #expect(outcome == .failed("cannot write to speaker test: it is gone", begun: true))
  }

  @Test("a speaker that takes no more sound is noticed") func stalled() throws {
    let outcome = try play(on: StallingSink(), try makeScore()).outcome
    guard case .failed(let why, begun: false)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(why.contains("has stopped taking sound"))
  }

  @Test("a speaker that is late goes on while it takes sound") func slow() throws {
    let due = SystemClock.uptime + .milliseconds(700)
    let outcome = try play(on: SlowSink(pace: 0.14), try makeScore()).outcome
    guard case .finished? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(SystemClock.uptime - due > .milliseconds(2500))
  }

  @Test("a speaker whose position stands still while it plays is noticed") func frozen() throws {
    let since = SystemClock.uptime
    let outcome = try play(on: FrozenSink(), try makeScore()).outcome
    guard case .failed(let why, _)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(why.contains("has stopped taking sound"))
    #expect(SystemClock.uptime - since < .seconds(2))
  }

  @Test("a speaker that takes nothing and tells nothing any more is noticed long before the end")
  func fallenSilent() throws {
    let part = Score.Part(
      path: try makeScore().parts[0].path, start: 0, frames: 60 * 48_000, isTimed: true)
    let since = SystemClock.uptime
    let outcome = try play(
      on: FallingSilentSink(), Score(rate: 48_000, parts: [part], anchor: 0)
    ).outcome
    guard case .failed(let why, begun: true)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(why.contains("has stopped taking sound"))
    #expect(SystemClock.uptime - since < .seconds(8))
  }

  @Test("while it plays it is known when the speaker last took sound") func lastTaken() throws {
    let loop = try EventLoop()
    let sink = FrozenSink()
    let player = Player(loop: loop) { sink }
    #expect(player.lastTaken == nil)
    let score = try makeScore()
    let since = SystemClock.uptime
    try player.play(SoundingID(1), anchoredAt: .utc(SystemClock.now.instant + .milliseconds(500))) {
      _ throws(Fault) in score
    }
    let taken = try #require(player.lastTaken)
    #expect(taken >= since && taken <= SystemClock.uptime)
    player.ended = { _, _ in loop.exit() }
    var lastSeen: Uptime?
    let look = try loop.every(.milliseconds(50)) { lastSeen = player.lastTaken ?? lastSeen }
    try loop.run()
    _ = look
    // All that it held was taken at once, and nothing since.
    #expect(try #require(lastSeen) - taken < .milliseconds(100))
    #expect(player.lastTaken == nil)
  }

  @Test("a torn clip is not begun") func tornClip() throws {
    let score = try makeScore()
    truncate("\(path)-clip.wav", 9_000)
    #expect(throws: Fault.self) { try play(on: try WAVSink(path: "\(path).wav"), score) }
  }
}

/// Takes sound in real time, until it is torn out.
private final class FailingSink: Sink {
  let name = "test"
  private let inner: WAVSink
  private var left: Int

  init(afterFrames frames: Int) throws {
    inner = try WAVSink(path: "/dev/null")
    left = frames
  }

  func open() throws(Fault) -> Int { try inner.open() }
  var feedInterval: Duration { inner.feedInterval }
  var capacity: Int { inner.capacity }
  var underruns: Int { 0 }
  func takeBack() -> Int { inner.takeBack() }
  func space() throws(Fault) -> Int { try inner.space() }
  func position() throws(Fault) -> StreamPosition? { try inner.position() }
  func close() { inner.close() }

  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    left -= block.count
    if left < 0 { throw Fault("cannot write to speaker test", "it is gone") }
    try inner.write(block)
  }
}

/// A file that tells what was asked of it.
private final class TracingSink: Sink {
  enum Call: Equatable {
    case other
    case takeBack
    case write(Int)
  }
  let name = "test"
  private let inner: WAVSink
  private(set) var calls: [Call] = []

  init(_ inner: WAVSink) { self.inner = inner }

  func open() throws(Fault) -> Int { try inner.open() }
  var feedInterval: Duration { inner.feedInterval }
  var capacity: Int { inner.capacity }
  var underruns: Int { 0 }
  func close() { inner.close() }

  func takeBack() -> Int {
    calls.append(.takeBack)
    return inner.takeBack()
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
  }
}

/// Takes what its buffer holds, says that it runs, and plays none of it.
private final class FrozenSink: Sink {
  let name = "test"
  private var held = 0
  func open() throws(Fault) -> Int { 48_000 }
  let feedInterval = Duration.milliseconds(20)
  let capacity = 9600
  let underruns = 0
  func takeBack() -> Int { 0 }
  func space() throws(Fault) -> Int { 9600 - held }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) { held += block.count }
  func close() {}

  func position() throws(Fault) -> StreamPosition? {
    StreamPosition(uptime: SystemClock.uptime, frame: 480)
  }
}

/// Plays for a second, and then takes nothing and tells nothing, as a sound server that was stopped.
private final class FallingSilentSink: Sink {
  let name = "test"
  let feedInterval = Duration.milliseconds(20)
  let capacity = 9600
  let underruns = 0
  private let opened = SystemClock.uptime
  private var written = 0

  private var played: Double? {
    let seconds = (SystemClock.uptime - opened).inSeconds
    return seconds < 1 ? seconds * 48_000 : nil
  }

  func open() throws(Fault) -> Int { 48_000 }
  func space() throws(Fault) -> Int { played.map { Int($0) + capacity - written } ?? 0 }
  func position() throws(Fault) -> StreamPosition? {
    played.map { StreamPosition(uptime: SystemClock.uptime, frame: $0) }
  }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) { written += block.count }
  func takeBack() -> Int { 0 }
  func close() {}
}

/// Opens, and then takes nothing.
private final class StallingSink: Sink {
  let name = "test"
  func open() throws(Fault) -> Int { 48_000 }
  let feedInterval = Duration.milliseconds(20)
  let capacity = 9600
  let underruns = 0
  func takeBack() -> Int { 0 }
  func space() throws(Fault) -> Int { 0 }
  func position() throws(Fault) -> StreamPosition? { nil }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {}
  func close() {}
}

/// A speaker whose converter runs at a part of its rate.
private final class SlowSink: Sink {
  let name = "test"
  let feedInterval = Duration.milliseconds(20)
  let capacity = 9600
  let underruns = 0
  private let pace: Double
  private let opened = SystemClock.uptime
  private var written = 0

  init(pace: Double) { self.pace = pace }

  private func played(at moment: Uptime) -> Double {
    (moment - opened).inSeconds * pace * 48_000
  }

  func open() throws(Fault) -> Int { 48_000 }
  func space() throws(Fault) -> Int { Int(played(at: SystemClock.uptime)) + 9_600 - written }
  func position() throws(Fault) -> StreamPosition? {
    let now = SystemClock.uptime
    return StreamPosition(uptime: now, frame: played(at: now))
  }
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) { written += block.count }
  func takeBack() -> Int { 0 }
  func close() {}
}
