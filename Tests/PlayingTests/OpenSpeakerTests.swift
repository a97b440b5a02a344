import Basics
import Horology
import Service
import TestSupport
import Testing

@testable import Devices
@testable import Playing
@testable import Sound

/// A speaker that stays open between announcements, or that holds less than it promised.
@Suite struct OpenSpeakerTests {
  private let folder = TemporaryFolder()
  private let loop = VirtualLoop()

  /// A tenth of a second of constant level, or `frames`.
  private func makeScore(frames: Int = 4800) throws -> Score {
    let path = try folder.write(
      "clip.wav", rate: 48_000, samples: [Float](repeating: 0.5, count: frames))
    let part = Score.Part(StoredSound(path), start: 0, frames: frames, isTimed: true)
    return Score(rate: 48_000, parts: [part], anchor: 0)
  }

  /// Plays a score `times` times in a row, on a player that keeps its speaker open.
  private func play(
    times: Int, frames: Int = 4800, _ sink: @escaping () -> any Sink,
    during: @escaping (Player, _ announcement: Int) -> Void = { _, _ in }
  ) throws -> [Outcome] {
    let player = Player(in: loop, sink: sink)
    player.settings.keepOpen = .always
    let score = try makeScore(frames: frames)
    var outcomes: [Outcome] = []
    func playNext() {
      do throws(Fault) {
        try player.play(
          SoundingID(1), anchoredAt: .utc(loop.now.instant + .milliseconds(300))
        ) {
          _ throws(Fault) in score
        }
        during(player, outcomes.count)
      } catch {
        Issue.record("\(error)")
        loop.exit()
      }
    }
    // Without this the player would hold itself, and the folder, by way of `playNext`.
    defer { player.ended = { _, _ in } }
    player.ended = {
      outcomes.append($1)
      if outcomes.count < times { playNext() } else { loop.exit() }
    }
    playNext()
    try loop.run()
    return outcomes
  }

  private func underruns(_ outcome: Outcome) -> Int? {
    if case .finished(let timing) = outcome { timing.underruns } else { nil }
  }

  @Test("a device that is set while something sounds is opened for the next announcement")
  func newDevice() throws {
    var opened = 0
    _ = try play(times: 3) {
      opened += 1
      return TimedSink(loop)
    } during: { player, announcement in
      if announcement == 1 { player.closeWhenIdle() }
    }
    #expect(opened == 2)
  }

  @Test("the times that a speaker ran dry are told of the announcement in which it did")
  func underrunsOfEach() throws {
    let sink = TimedSink(loop)
    let outcomes = try play(times: 2) {
      sink
    } during: { _, announcement in
      if announcement == 0 { sink.underruns = 3 }
    }
    #expect(outcomes.map(underruns) == [3, 0])
  }

  @Test("a speaker that proves to hold little is fed often from then on, and never runs dry")
  func shortened() throws {
    let sink = TimedSink(loop, shortening: true)
    let outcomes = try play(times: 1) { sink }
    #expect(outcomes.map(underruns) == [0])
  }

  @Test("a server that takes sound may tell no position for some seconds")
  func tellsLater() throws {
    let outcomes = try play(times: 1, frames: 7 * 48_000) {
      FallingSilentSink(loop, goesOn: true)
    }
    guard case .finished? = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
  }
}

/// Takes sound as time passes. With `shortening`, it holds only 0.2 s from its second write on, and
/// `feedInterval` tells so.
private final class TimedSink: TestSink {
  let capacity = 48_000
  var underruns = 0
  private let isShortening: Bool
  private let loop: VirtualLoop
  private var opened: Uptime
  private var written = 0
  private var writes = 0

  init(_ loop: VirtualLoop, shortening: Bool = false) {
    isShortening = shortening
    self.loop = loop
    opened = loop.uptime
  }

  private var isShort: Bool { isShortening && writes > 1 }
  var feedInterval: Duration { isShort ? .milliseconds(40) : .milliseconds(250) }
  private var played: Double { (loop.uptime - opened).inSeconds * 48_000 }

  func open() throws(Fault) -> Int {
    opened = loop.uptime
    written = 0
    writes = 0
    return 48_000
  }

  func space() throws(Fault) -> Int {
    if played > Double(written) && written > 0 {
      underruns += 1
      opened = loop.uptime - .seconds(Double(written) / 48_000)
    }
    return max(Int(played) + (isShort ? 9_600 : 12_000 + (isShortening ? 0 : 36_000)) - written, 0)
  }

  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    written += block.count
    writes += 1
  }

  func position() throws(Fault) -> StreamPosition? {
    StreamPosition(uptime: loop.uptime, frame: played)
  }

}
