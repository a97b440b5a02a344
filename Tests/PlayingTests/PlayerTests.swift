import Basics
import Foundation
import Horology
import Service
import TestSupport
import Testing

@testable import Devices
@testable import Playing
@testable import Sound

/// The Player on a file that takes sound like a speaker.
@Suite struct PlayerTests {
  private let folder = TemporaryFolder()
  private let loop = VirtualLoop()
  private var path: String { "\(folder.path)/clock" }

  private func file() throws(Fault) -> WAVSink {
    try WAVSink(path: "\(path).wav", uptime: { [loop] in loop.uptime })
  }

  /// A fifth of a second of constant level, or `frames`.
  private func makeScore(frames: Int = 9600) throws -> Score {
    let writer = try SoundFileWriter(path: "\(path)-clip.wav", rate: 48_000)
    try [Float](repeating: 0.5, count: frames).withUnsafeBufferPointer { try writer.write($0) }
    try writer.finish()
    let part = Score.Part(StoredSound("\(path)-clip.wav"), start: 0, frames: frames, isTimed: true)
    return Score(rate: 48_000, parts: [part], anchor: 0)
  }

  private func play(
    on sink: any Sink, _ score: Score, stoppingAfter delay: Duration? = nil
  ) throws -> (outcome: Outcome?, stoppedAt: Uptime?) {
    var stoppedAt: Uptime?
    var outcome: Outcome?
    let player = Player(
      loop: loop,
      now: { [loop] in
        (sink as? TracingSink)?.note(.clock)
        return loop.now
      }, sink: { sink })
    player.ended = {
      outcome = $1
      loop.exit()
    }
    let now = loop.now
    try player.play(SoundingID(1), anchoredAt: .utc(now.instant + .milliseconds(500))) {
      _ throws(Fault) in score
    }
    let stop = delay.map {
      // The anchor counts from before the device was opened, and so does the delay.
      loop.after(max(now.uptime + $0 - loop.uptime, .zero)) {
        stoppedAt = loop.uptime
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
    let outcome = try play(on: try file(), try makeScore()).outcome
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
      let start = loop.now
      var now = start
      let sink = try file()
      let opened = Now(
        instant: start.instant + span, uptime: start.uptime + span - sleep,
        sinceBoot: start.sinceBoot + span)
      let open: () -> any Sink = {
        now = opened
        return sink
      }
      let player = Player(loop: loop, now: { now }, sink: open)
      let fault = faultThrown {
        try player.play(SoundingID(1), anchoredAt: .utc(start.instant)) { _ throws(Fault) in score }
      }
      #expect((fault?.description.contains("the machine slept for") == true) == (sleep == span))
      #expect(player.isPlaying == (sleep == .zero))
    }
  }

  @Test("what is due later than the queue reaches waits, and what is due begins")
  func waiting() throws {
    let score = try makeScore()
    let player = Player(in: loop) { try! file() }
    var told: [(SoundingID, Heard)] = []
    player.heard = { told.append(($0, $1)) }
    let later = loop.now.instant + .seconds(3600)
    try player.play(SoundingID(1), anchoredAt: .utc(later)) { _ throws(Fault) in score }
    try player.play(SoundingID(2), anchoredAt: .utc(loop.now.instant)) {
      _ throws(Fault) in score
    }
    let look = loop.after(.milliseconds(500)) { loop.exit() }
    try loop.run()
    _ = look
    #expect(told.map(\.0) == [SoundingID(2)])
    #expect(told.map(\.1) == [.anchor])
  }

  @Test("what was heard is told when it begins and at its anchor, before the end")
  func tellsWhatIsHeard() throws {
    let score = try makeScore()
    let late = Score(rate: score.rate, parts: score.parts, anchor: 4800)
    let player = Player(in: loop) { try! file() }
    var told: [Heard] = []
    var atEnd: [Heard] = []
    player.heard = { told.append($1) }
    player.ended = { [loop] _, _ in
      atEnd = told
      loop.exit()
    }
    try player.play(SoundingID(1), anchoredAt: .utc(loop.now.instant + .seconds(1))) {
      _ throws(Fault) in late
    }
    try loop.run()
    #expect(atEnd == [.begun, .anchor])
  }

  @Test("a stop fades and tells its reason") func stopFades() throws {
    // 550 ms: the anchor is at 500, and the sink holds 200 ms that have been written already.
    let (outcome, stoppedAt) = try play(
      on: try file(), try makeScore(), stoppingAfter: .milliseconds(550))
    guard case .stopped(.serviceEnds, let silentAt?)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    // A switch has 30 ms to silence the speaker. This file takes back all that it has not played.
    #expect(silentAt - (try #require(stoppedAt)) < .milliseconds(30))
    let frames = try recorded()
    #expect((100..<9_500).contains(frames.filter { $0 != 0 }.count))
    let steps = zip(frames, frames.dropFirst()).map { abs($1 - $0) }
    // The only step is the beginning of the clip.
    #expect(steps.filter { $0 > 0.01 }.count == 1)
  }

  /// Before it renders, the Player reads the clock, and the sink notes that as `.clock`.
  @Test("between taking back and writing the fade nothing is rendered")
  func stopWritesAtOnce() throws {
    let sink = TracingSink(try file())
    _ = try play(on: sink, try makeScore(), stoppingAfter: .milliseconds(550))
    let taken = try #require(sink.calls.firstIndex { $0 == .takeBack })
    #expect(sink.calls[taken + 1] == .write(384))
  }

  @Test("what would begin later than it may does not begin, and tells by how much")
  func tooLate() throws {
    var outcome: Outcome?
    let player = Player(in: loop) { try! file() }
    player.ended = {
      outcome = $1
      loop.exit()
    }
    let score = try makeScore()
    let anchor = loop.now.instant - .seconds(3)
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

  @Test(
    "a stop before the first sound is heard ends it unheard, and one after the last leaves it whole",
    arguments: [(430, true), (450, true), (480, true), (730, false), (760, false), (785, false)],
    [true, false])
  func stopAtTheEnds(_ when: (milliseconds: Int, isBefore: Bool), takesBack: Bool) throws {
    let file = try file()
    let sink: any Sink = takesBack ? file : TracingSink(file, takesBack: false)
    let outcome = try play(
      on: sink, try makeScore(), stoppingAfter: .milliseconds(when.milliseconds)
    ).outcome
    let frames = try recorded().filter { $0 != 0 }.count
    switch outcome {
    case .stopped(.serviceEnds, silentAt: nil)?: #expect(when.isBefore && frames == 0)
    case .stopped(.serviceEnds, .some)?: #expect(!takesBack && frames > 0)
    case .finished?: #expect(!when.isBefore && frames == 9_600)
    default: Issue.record("\(String(describing: outcome))")
    }
  }

  @Test("a volume set while something sounds counts for what is played from then on")
  func volume() throws {
    let sink = try file()
    let player = Player(in: loop) { sink }
    var left = 2
    player.ended = { _, _ in
      left -= 1
      if left == 0 { loop.exit() }
    }
    let score = try makeScore()
    let start = loop.now.instant
    func play(_ number: Int, after delay: Int) throws {
      try player.play(
        SoundingID(number), anchoredAt: .utc(start + .milliseconds(delay))
      ) { _ throws(Fault) in score }
    }
    try play(1, after: 500)
    let turn = loop.after(.milliseconds(600)) {
      player.settings.gain = 0.5
      try! play(2, after: 1500)
    }
    try loop.run()
    _ = turn
    let heard = try recorded().filter { $0 != 0 }
    #expect(heard == [Float](repeating: 0.5, count: 9600) + [Float](repeating: 0.25, count: 9600))
  }

  @Test("of two one is stopped and the other goes on; the device is closed after the last")
  func two() throws {
    let sink = try file()
    let player = Player(in: loop) { sink }
    var ends: [SoundingID: Outcome] = [:]
    var wereAwake: [Bool] = []
    player.ended = { [unowned player] in
      ends[$0] = $1
      wereAwake.append(player.isAwake)
      if ends.count == 2 { loop.exit() }
    }
    let score = try makeScore()
    let anchor = loop.now.instant + .milliseconds(500)
    try player.play(SoundingID(1), anchoredAt: .utc(anchor)) { _ throws(Fault) in score }
    try player.play(
      SoundingID(2), anchoredAt: .elapsed(loop.now.sinceBoot + .milliseconds(600)), decibels: -6
    ) { _ throws(Fault) in score }
    let stop = loop.after(.milliseconds(650)) { player.stop([SoundingID(1)], .byHand) }
    try loop.run()
    _ = stop
    guard case .stopped(.byHand, .some)? = ends[SoundingID(1)] else {
      Issue.record("\(ends)")
      return
    }
    guard case .finished(let timing)? = ends[SoundingID(2)] else {
      Issue.record("\(ends)")
      return
    }
    #expect(try #require(timing.onsetError).magnitude < .milliseconds(1))
    #expect(wereAwake == [true, false])
    let frames = try recorded()
    // The only steps are the two beginnings and the end of the one that was not faded.
    #expect(zip(frames, frames.dropFirst()).filter { abs($1 - $0) > 0.01 }.count == 3)
    #expect(frames.max()! > 0.7)
  }

  /// Plays 2 s of a constant level from 500 ms on, beside `other` if given. Its file is torn as
  /// soon as some of the level is queued, before that would be heard.
  private func playTorn(beside other: Score?) throws -> (ends: [SoundingID: Outcome], Player) {
    let torn = try folder.write(
      "torn.wav", rate: 48_000, samples: [Float](repeating: 0.1, count: 96_000))
    let part = Score.Part(StoredSound(torn), start: 0, frames: 96_000, isTimed: true)
    let file = try file()
    let sink = TracingSink(file)
    sink.wrote = { [folder] in
      if $0.contains(where: { $0 != 0 }) { folder.tear("torn.wav", to: 100) }
    }
    let player = Player(in: loop) { sink }
    player.settings.keepOpen = .always
    var ends: [SoundingID: Outcome] = [:]
    player.ended = {
      ends[$0] = $1
      if ends.count == (other == nil ? 1 : 2) { loop.exit() }
    }
    let anchor = loop.now.instant + .milliseconds(500)
    try player.play(SoundingID(1), anchoredAt: .utc(anchor)) { _ throws(Fault) in
      Score(rate: 48_000, parts: [part], anchor: 0)
    }
    if let other {
      try player.play(SoundingID(2), anchoredAt: .utc(anchor)) { _ throws(Fault) in other }
    }
    try loop.run()
    return (ends, player)
  }

  @Test(
    "what cannot be read any more is unheard, and ends what sounds with it",
    arguments: [false, true])
  func failsUnheard(isAlone: Bool) throws {
    let (ends, player) = try playTorn(beside: isAlone ? nil : try makeScore())
    for outcome in ends.values {
      guard case .failed(_, heard: .nothing) = outcome else {
        Issue.record("\(ends)")
        return
      }
    }
    #expect(!player.isAwake)
    #expect(try recorded().allSatisfy { $0 == 0 })
  }

  @Test(
    "a speaker that is torn out ends the announcement, which was heard for a while or not at all",
    arguments: [(0, 60_000, Heard.anchor), (19_200, 36_000, .begun), (0, 40_000, .nothing)])
  func tornOut(anchor: Int, after frames: Int, heard: Heard) throws {
    let score = Score(
      rate: 48_000, parts: try makeScore(frames: 48_000).parts, anchor: anchor)
    let outcome = try play(on: FailingSink(loop, afterFrames: frames), score).outcome
    #expect(outcome == .failed("cannot write to speaker test: it is gone", heard: heard))
  }

  @Test("a speaker that takes no more sound is noticed") func stalled() throws {
    let outcome = try play(on: StallingSink(), try makeScore()).outcome
    guard case .failed(let why, heard: .nothing)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(why.contains("has stopped taking sound"))
  }

  @Test("a speaker that is late goes on while it takes sound") func slow() throws {
    let due = loop.uptime + .milliseconds(700)
    let outcome = try play(on: SlowSink(loop, pace: 0.14), try makeScore()).outcome
    guard case .finished? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(loop.uptime - due > .milliseconds(2500))
  }

  @Test("a speaker whose position stands still while it plays is noticed") func frozen() throws {
    let since = loop.uptime
    let outcome = try play(on: FrozenSink(loop), try makeScore()).outcome
    guard case .failed(let why, _)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(why.contains("has stopped taking sound"))
    #expect(loop.uptime - since < .seconds(2))
  }

  @Test("a speaker that takes nothing and tells nothing any more is noticed long before the end")
  func fallenSilent() throws {
    let part = Score.Part(
      try makeScore().parts[0].sound, start: 0, frames: 60 * 48_000, isTimed: true)
    let since = loop.uptime
    let outcome = try play(
      on: FallingSilentSink(loop), Score(rate: 48_000, parts: [part], anchor: 0)
    ).outcome
    guard case .failed(let why, heard: .anchor)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(why.contains("has stopped taking sound"))
    #expect(loop.uptime - since < .seconds(8))
  }

  @Test("while it plays it is known when the speaker last took sound") func lastTaken() throws {
    let sink = FrozenSink(loop)
    let player = Player(in: loop) { sink }
    #expect(player.lastTaken == nil)
    let score = try makeScore()
    let since = loop.uptime
    try player.play(SoundingID(1), anchoredAt: .utc(loop.now.instant + .milliseconds(500))) {
      _ throws(Fault) in score
    }
    let taken = try #require(player.lastTaken)
    #expect(taken >= since && taken <= loop.uptime)
    player.ended = { _, _ in loop.exit() }
    var lastSeen: Uptime?
    let look = loop.every(.milliseconds(50)) { lastSeen = player.lastTaken ?? lastSeen }
    try loop.run()
    _ = look
    // The sink took all that it holds at once, and nothing since.
    #expect(try #require(lastSeen) - taken < .milliseconds(100))
    #expect(player.lastTaken == nil)
  }

  @Test("a torn clip is not begun") func tornClip() throws {
    let score = try makeScore()
    truncate("\(path)-clip.wav", 9_000)
    #expect(throws: Fault.self) { try play(on: try file(), score) }
  }
}
