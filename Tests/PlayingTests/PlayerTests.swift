import Basics
import Foundation
import Horology
import TestSupport
import Testing

@testable import Devices
@testable import Playing
@testable import Sound

@Suite struct PlayerTests {
  private let folder = TemporaryFolder()
  private let loop = VirtualLoop()
  private let sink: SimulatedSink

  init() {
    sink = SimulatedSink(loop)
  }

  /// A constant level, a fifth of a second by default.
  private func makeScore(
    _ name: String = "clip.wav", level: Float = 0.5, frames: Int = 9600, anchor: Int = 0
  ) throws -> Score {
    let path = try folder.write(name, samples: [Float](repeating: level, count: frames))
    let part = Score.Part(StoredSound(path), start: 0, frames: frames, isTimed: true)
    return Score(rate: 48_000, parts: [part], anchor: anchor)
  }

  private func makePlayer() -> Player {
    Player(
      loop: loop,
      now: { [loop, sink] in
        sink.calls.append("clock")
        return loop.now
      }, sink: { [sink] in sink })
  }

  /// Plays it half a second from now.
  private func play(_ score: Score, stoppingAfter delay: Duration? = nil) throws -> Outcome? {
    var outcome: Outcome?
    let player = makePlayer()
    player.ended = {
      outcome = $1
      loop.exit()
    }
    try player.play(SoundingID(1), anchoredAt: .utc(loop.now.instant + .milliseconds(500))) {
      _ throws(Fault) in score
    }
    let stop = delay.map { loop.after($0) { player.stop([SoundingID(1)], .serviceEnds) } }
    try loop.run()
    _ = stop
    #expect(!player.isPlaying && !player.isAwake)
    return outcome
  }

  @Test("the anchor leaves the converter at its instant") func anchorIsOnTime() throws {
    let timing = try #require(try play(try makeScore())?.timing)
    #expect(try #require(timing.onsetError).magnitude < .milliseconds(1))
    #expect(timing.underruns == 0)
    #expect(sink.sounding == Array(24_000..<33_600))
  }

  @Test("a sleep while the device is opened ends the phrase, and a slow device does not")
  func sleepWhileOpening() throws {
    let score = try makeScore()
    let span = Duration.seconds(8)
    for sleep in [Duration.zero, span] {
      let start = loop.now
      var now = start
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
      sink.close()
    }
  }

  @Test("a device that did not open in time holds up the loop once, not for each sound that is due")
  func opensTooLate() throws {
    let (score, start) = (try makeScore(), loop.now)
    sink.flaw = Fault("speaker test", code: ETIMEDOUT, "its sound server does not answer")
    var openings: [Int] = []
    var passed = Duration.zero
    let now = {
      Now(
        instant: start.instant + passed, uptime: start.uptime + passed,
        sinceBoot: start.sinceBoot + passed)
    }
    let player = Player(loop: loop, now: now) { [sink] in sink }
    for (seconds, reloads) in [(0, false), (4, false), (4, true), (6, false), (10, false)] {
      passed = .seconds(seconds)
      if reloads { player.closeWhenIdle() }
      let fault = faultThrown {
        try player.play(SoundingID(1), anchoredAt: .utc(now().instant)) { _ throws(Fault) in score }
      }
      #expect(fault?.code == ETIMEDOUT)
      openings.append(sink.openings)
    }
    #expect(openings == [1, 1, 2, 2, 3])
  }

  @Test("what was heard is told when it begins and at its anchor, and what is due later waits")
  func tellsWhatIsHeard() throws {
    let score = try makeScore(anchor: 4800)
    let player = makePlayer()
    var told: [Heard] = []
    player.heard = {
      #expect($0 == SoundingID(1))
      told.append($1)
    }
    player.ended = { _, _ in loop.exit() }
    for (number, delay) in [(2, 3600), (1, 1)] {
      let anchor = loop.now.instant + .seconds(delay)
      try player.play(SoundingID(number), anchoredAt: .utc(anchor)) { _ throws(Fault) in score }
    }
    try loop.run()
    #expect(told == [.begun, .anchor])
  }

  @Test(
    "a stop fades within 30 ms, and writes the fade before anything is rendered",
    .rule("mute-fades", "switch-fades", "stop-fades"))
  func stopFades() throws {
    let stop = loop.uptime + .milliseconds(550)
    let outcome = try play(try makeScore(), stoppingAfter: .milliseconds(550))
    guard case .stopped(.serviceEnds, let silentAt?)? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    #expect(silentAt - stop < .milliseconds(30))
    #expect((100..<9_500).contains(sink.sounding.count))
    #expect(sink.steps == 1, "the beginning of the clip")
    // The player reads the clock before it renders.
    let taken = try #require(sink.calls.lastIndex(of: "take back"))
    #expect(sink.calls[taken + 1] == "write 384")
  }

  @Test("what would begin later than it may does not begin, and tells by how much")
  func tooLate() throws {
    var outcome: Outcome?
    let player = makePlayer()
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
    #expect(sink.sounding == [])
  }

  @Test(
    "a stop before the first sound is heard ends it unheard, and one after the last leaves it whole",
    arguments: [(430, true), (450, true), (480, true), (730, false), (760, false), (785, false)],
    [true, false])
  func stopAtTheEnds(_ when: (milliseconds: Int, isBefore: Bool), takesBack: Bool) throws {
    sink.takesBack = takesBack
    let outcome = try play(
      try makeScore(), stoppingAfter: .milliseconds(when.milliseconds))
    switch outcome {
    case .stopped(.serviceEnds, silentAt: nil)?: #expect(when.isBefore && sink.sounding == [])
    case .stopped(.serviceEnds, .some)?: #expect(!takesBack && sink.sounding != [])
    case .finished?: #expect(!when.isBefore && sink.sounding.count == 9_600)
    default: Issue.record("\(String(describing: outcome))")
    }
  }

  @Test("of two one is stopped and the other goes on; the device is closed after the last")
  func two() throws {
    let player = makePlayer()
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
    // From now on, a new gain counts.
    player.settings.gain = 0.5
    try player.play(
      SoundingID(2), anchoredAt: .elapsed(loop.now.sinceBoot + .milliseconds(600))
    ) { _ throws(Fault) in score }
    let stop = loop.after(.milliseconds(650)) { player.stop([SoundingID(1)], .byHand) }
    try loop.run()
    _ = stop
    guard case .stopped(.byHand, .some)? = ends[SoundingID(1)] else {
      Issue.record("\(ends)")
      return
    }
    let timing = try #require(ends[SoundingID(2)]?.timing)
    #expect(try #require(timing.onsetError).magnitude < .milliseconds(1))
    #expect(wereAwake == [true, false])
    #expect(sink.steps == 3, "two beginnings, and the end of the one that was not faded")
    #expect(sink.heard.max()! > 0.7 && sink.heard[sink.sounding.last!] == 0.25)
  }

  @Test(
    "what cannot be read any more is unheard, and ends what sounds with it",
    arguments: [false, true])
  func failsUnheard(isAlone: Bool) throws {
    let score = try makeScore("torn.wav", frames: 96_000)
    // As soon as some of it is queued, before that would be heard.
    sink.wrote = { [folder] in
      if $0.contains(where: { $0 != 0 }) { folder.tear("torn.wav", to: 100) }
    }
    let player = makePlayer()
    player.settings.keepOpen = nil
    var left = isAlone ? 1 : 2
    player.ended = { _, outcome in
      guard case .failed(_, heard: .nothing) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      left -= 1
      if left == 0 { loop.exit() }
    }
    let anchor = loop.now.instant + .milliseconds(500)
    for (number, score) in [(1, score), (2, try makeScore())].prefix(left) {
      try player.play(SoundingID(number), anchoredAt: .utc(anchor)) { _ throws(Fault) in score }
    }
    try loop.run()
    #expect(!player.isAwake && sink.sounding == [])
  }

  @Test(
    "a speaker that is torn out ends the announcement, which was heard for a while or not at all",
    arguments: [(0, 60_000, Heard.anchor), (19_200, 36_000, .begun), (0, 40_000, .nothing)])
  func tornOut(anchor: Int, after frames: Int, heard: Heard) throws {
    sink.framesLeft = frames
    let outcome = try play(try makeScore(frames: 48_000, anchor: anchor))
    #expect(outcome == .failed("cannot write to speaker test: it is gone", heard: heard))
  }

  @Test(
    "a speaker that takes no more sound is noticed long before the end, whatever it tells",
    arguments: [(0, Heard.nothing), (1, .anchor)], [true, false])
  func stalled(_ stall: (after: Int, heard: Heard), tells: Bool) throws {
    sink.gap = (.seconds(stall.after), .seconds(600))
    sink.tells = { tells || $0 < .seconds(stall.after) }
    let since = loop.uptime
    let outcome = try play(try makeScore(frames: 10 * 48_000))
    #expect(outcome == .failed("speaker test: it has stopped taking sound", heard: stall.heard))
    #expect(loop.uptime - since < .seconds(stall.after + 5))
  }

  @Test("a speaker that is late goes on while it takes sound, and one that tells no position")
  func slow() throws {
    sink.pace = 0.14
    let due = loop.uptime + .milliseconds(700)
    #expect(try play(try makeScore())?.timing != nil)
    #expect(loop.uptime - due > .milliseconds(2500))
    sink.pace = 1
    sink.tells = { $0 < .seconds(1) || $0 > .seconds(5) }
    #expect(try play(try makeScore(frames: 7 * 48_000))?.timing != nil)
  }

  @Test("while it plays it is known when the speaker last took sound") func lastTaken() throws {
    sink.gap = (.zero, .seconds(600))
    let player = makePlayer()
    #expect(player.lastTaken == nil)
    let score = try makeScore()
    let since = loop.uptime
    try player.play(SoundingID(1), anchoredAt: .utc(loop.now.instant + .milliseconds(500))) {
      _ throws(Fault) in score
    }
    player.ended = { _, _ in loop.exit() }
    var lastSeen: Uptime?
    let look = loop.every(.milliseconds(50)) { lastSeen = player.lastTaken ?? lastSeen }
    try loop.run()
    _ = look
    // The sink took all that it holds at once, and nothing since.
    #expect(try #require(lastSeen) - since < .milliseconds(100))
    #expect(player.lastTaken == nil)
  }

  @Test(
    "underruns are told of each sounding, by a speaker that is kept open and by one that is not",
    arguments: [(Duration?.none, 2), (.zero, 3)])
  func keptOpen(length: Duration?, openings: Int) throws {
    let player = makePlayer()
    player.settings.keepOpen = length
    let score = try makeScore()
    var underruns: [Int] = []
    func playNext() {
      let anchor = loop.now.instant + .milliseconds(300)
      #expect(throws: Never.self) {
        try player.play(SoundingID(1), anchoredAt: .utc(anchor)) { _ throws(Fault) in score }
      }
      if underruns.isEmpty { sink.otherUnderruns = 3 }
      if underruns.count == 1 { player.closeWhenIdle() }
    }
    // Without this the player would hold itself by way of `playNext`.
    defer { player.ended = { _, _ in } }
    player.ended = {
      underruns.append($1.timing?.underruns ?? -1)
      if underruns.count < 3 { playNext() } else { loop.exit() }
    }
    playNext()
    try loop.run()
    #expect(underruns == [3, 0, 0] && sink.openings == openings)
  }
}

extension Outcome {
  fileprivate var timing: Timing? { if case .finished(let timing) = self { timing } else { nil } }
}
