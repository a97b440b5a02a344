import Basics
@preconcurrency import CLinux
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Service
import Studio

/// Leads a person with a microphone through the phrases of a voice. It carries out the effects of
/// the session, and tells it about sounds and keys.
final class VoiceRecorder {
  private let loop: EventLoop
  private let terminal: Terminal
  private let folder: TakeFolder
  private let prompts: [RecordingPrompt]
  private let microphone: ALSASource
  private let player: () -> Player
  private let showsMeter = Screen.canRedraw

  private var session: RecordingSession
  /// The listeners: to the room, or for a phrase. They are changed in place, so that the samples
  /// that they have heard are not copied each time.
  private var tone: RoomTone?
  private var listener: PhraseListener?
  private var index = 0
  /// The noise of the room, in dBFS.
  private var room = -Double.infinity
  /// The last take that fits, until it is kept.
  private var fit: Take?
  private var playing: Player?
  private var meter = LevelMeter()
  /// Frames per second, once the microphone is open.
  private var rate: Int?
  private var ticks: EventSource?
  private var meterTicks: EventSource?
  private var overruns = 0
  private var isWhole = false
  private var failure: Fault?
  private let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)
  private static let mostBlocks = 8

  init(
    _ plan: RecordingPlan, into folder: TakeFolder, microphone: ALSASource, terminal: Terminal,
    speaker: ALSASink
  ) throws(Fault) {
    let loop = try EventLoop()
    self.loop = loop
    self.terminal = terminal
    self.folder = folder
    self.microphone = microphone
    prompts = plan.prompts
    player = { Player(loop: loop) { speaker } }
    let kept = folder.kept { complain("note: \($0)") }
    session = RecordingSession(prompts: plan.prompts, microphone: microphone.name, kept: kept)
  }

  deinit {
    block.deallocate()
  }

  /// Runs until all is recorded, the person stops, or the terminal or the microphone is gone.
  /// - Returns: true if all is recorded.
  func run() throws(Fault) -> Bool {
    var sources: [EventSource] = []
    sources += try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    sources.append(
      try loop.whenReady(terminal.descriptor, events: EPOLLIN.rawValue) { [unowned self] in
        readKeys()
      })
    // Before the person is asked for anything.
    if !session.isWhole { _ = try openedRate() }
    perform(session.begin())
    if failure == nil { try loop.run() }
    (playing, ticks, meterTicks) = (nil, nil, nil)
    microphone.close()
    clearMeter()
    if !isWhole { complain("\(session.progress); run it again to go on") }
    if let failure { throw failure }
    return isWhole
  }

  private func readKeys() {
    guard let bytes = terminal.readKeys() else { return loop.exit() }
    for byte in bytes {
      if let key = RecordingSession.Key(byte: byte) { handle(.key(key)) }
    }
  }

  private func handle(_ event: RecordingSession.Event) {
    perform(session.handle(event))
  }

  private func perform(_ effects: [RecordingSession.Effect]) {
    do throws(Fault) {
      for effect in effects where failure == nil { try carryOut(effect) }
    } catch {
      failure = error
      loop.exit()
    }
  }

  private func carryOut(_ effect: RecordingSession.Effect) throws(Fault) {
    switch effect {
    case .tell(let words): try printLine(words)
    case .hearRoom: tone = RoomTone(rate: try openedRate())
    case .hearPhrase(let index):
      listener = PhraseListener(rate: try openedRate(), room: room)
      self.index = index
    case .rest: (tone, listener) = (nil, nil)
    case .keep(let index):
      guard let take = fit, take.prompt == prompts[index] else { return }
      try folder.keep(take)
      fit = nil
      handle(.takeKept)
    case .playNew:
      if let fit { try play(fit) }
    case .playKept(let index): try play(try folder.take(prompts[index]))
    case .stopPlaying: playing = nil
    case .finish(let isWhole):
      self.isWhole = isWhole
      loop.exit()
    }
  }

  private func printLine(_ words: String) throws(Fault) {
    clearMeter()
    try say(words)
    try flushOutput()
    if outputIsUnread { loop.exit() }
  }

  private func play(_ take: Take) throws(Fault) {
    let score = try folder.score(of: take)
    let player = player()
    playing = player
    player.ended = { [unowned self] _, outcome in
      if case .failed(let why, _) = outcome { perform([.tell("cannot play it: \(why)")]) }
      handle(.playEnded)
    }
    do throws(Fault) {
      let anchor = SystemClock.now.instant + Announcer.requestLead
      try player.play(SoundingID(1), anchoredAt: .utc(anchor)) { score($0) }
    } catch {
      try printLine("cannot play it: \(error)")
      handle(.playEnded)
    }
  }

  // MARK: The microphone

  private func openedRate() throws(Fault) -> Int {
    if let rate { return rate }
    let opened: Int
    do throws(Fault) {
      opened = try microphone.open()
    } catch {
      throw Fault(
        error.operation, code: error.code, "\(error.detail); --device names another microphone")
    }
    rate = opened
    ticks = try loop.every(microphone.readInterval) { [unowned self] in listen() }
    if showsMeter {
      meterTicks = try loop.every(.milliseconds(100)) { [unowned self] in showMeter() }
    }
    return opened
  }

  private func listen() {
    do throws(Fault) {
      // Read no more than a microphone may have buffered: the null device of ALSA never ends.
      for _ in 0..<Self.mostBlocks {
        let count = try microphone.read(into: block)
        hear(UnsafeBufferPointer(rebasing: block[..<count]))
        if count < block.count { break }
      }
    } catch {
      failure = error
      loop.exit()
    }
  }

  private func hear(_ block: UnsafeBufferPointer<Float>) {
    meter.add(block)
    if let level = tone?.hear(block) {
      tone = nil
      room = level
      return handle(.roomHeard(level))
    }
    guard let heard = listener?.hear(block) else { return }
    let isTorn = microphone.overruns != overruns
    overruns = microphone.overruns
    if isTorn && listener?.isHearing == true {
      return handle(.phraseRefused("some of it was lost: the computer is busy; say it again"))
    }
    switch heard {
    case .nothing: break
    case .stillNothing(let loudest): handle(.stillNothing(loudest: loudest))
    case .phrase(let samples): judge(samples, prompts[index])
    }
  }

  private func judge(_ samples: [Float], _ prompt: RecordingPrompt) {
    do throws(Take.Refusal) {
      let take = try Take(of: prompt, samples: samples, rate: rate ?? 0, room: room)
      fit = take
      handle(.phraseFit(take.figures))
    } catch {
      handle(.phraseRefused(error.description))
    }
  }

  private func showMeter() {
    guard listener != nil else { return }
    // No error check: reading the keys shows that the terminal is gone.
    fputs("\r\(meter.line())\u{1B}[K", stdout)
    fflush(stdout)
  }

  /// Clears the line of the meter for other output.
  private func clearMeter() {
    if showsMeter { fputs("\r\u{1B}[K", stdout) }
    fflush(stdout)
  }
}
