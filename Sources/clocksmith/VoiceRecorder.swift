import Basics
@preconcurrency import CLinux
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Service
import Studio

final class VoiceRecorder {
  private enum State {
    /// Hears the room. Without `tone` it was too noisy, and Enter hears it again.
    case room
    case speaking
    case fit(Take)
    /// A kept take is shown again.
    case kept
    case whole
  }

  private let loop: EventLoop
  private let terminal: Terminal
  private let folder: TakeFolder
  private let prompts: [RecordingPrompt]
  private let microphone: ALSASource
  private let speaker: ALSASink

  private var state = State.room
  private var kept: Set<Int>
  private var index = 0
  /// Changed in place, so that the samples that they have heard are not copied each time.
  private var tone: RoomTone?
  private var listener: PhraseListener?
  /// The noise of the room, in dBFS.
  private var room = -Double.infinity
  private var playing: Player?
  private var peak: Float = 0
  /// Frames per second, once the microphone is open.
  private var rate: Int?
  private var ticks: EventSource?
  private var overruns = 0
  private var isWhole = false
  private let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)
  private static let mostBlocks = 8

  init(
    _ plan: RecordingPlan, into folder: TakeFolder, microphone: ALSASource, terminal: Terminal,
    speaker: ALSASink
  ) throws(Fault) {
    loop = try EventLoop()
    (self.terminal, self.folder, self.microphone) = (terminal, folder, microphone)
    self.speaker = speaker
    prompts = plan.prompts
    kept = folder.kept { complain("note: \($0)") }
  }

  deinit {
    block.deallocate()
  }

  private var progress: String { "\(kept.count) of \(prompts.count) phrases are recorded" }

  private static let guidance = """
    Say each phrase as one sentence, in your ordinary voice, with a short pause at each
    '...' as in dictating a telephone number: three ... fifteen ... P M. Let the voice come
    down with the last word only. It is recorded when you speak, and ends when you are quiet.
    Sit a hand's breadth from the microphone, a little to its side; the meter should reach
    between its two marks. Turn off what hums, and what would read this aloud into it.
    """

  private static let help = """
      Enter or n   keep it and go on         a   say it again
      p            play it                   b   back to the one before
      q            stop; what was kept stays, and the next run goes on from there
      ? or h       this help
    """

  /// - Returns: true if all is recorded.
  func run() throws(Fault) -> Bool {
    var sources = try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    sources.append(
      try loop.whenReady(terminal.descriptor, events: EPOLLIN.rawValue) { [unowned self] in
        loop.attempt { () throws(Fault) in try readKeys() }
      })
    // Before the person is asked for anything.
    if kept.count < prompts.count { _ = try openedRate() }
    loop.attempt { () throws(Fault) in
      try printLine("\(Self.guidance)\n\(Self.help)")
      if !kept.isEmpty { try printLine("going on: \(progress)") }
      kept.count < prompts.count ? try hearRoom() : try goOn()
    }
    defer {
      (playing, ticks) = (nil, nil)
      microphone.close()
      clearMeter()
      if !isWhole { complain("\(progress); run it again to go on") }
    }
    try loop.run()
    return isWhole
  }

  private func printLine(_ words: String) throws(Fault) {
    clearMeter()
    try say(words)
    try flushOutput()
    if outputIsUnread { loop.exit() }
  }

  private func readKeys() throws(Fault) {
    guard let bytes = terminal.readKeys() else { return loop.exit() }
    for byte in bytes { try press(byte) }
  }

  private func press(_ byte: UInt8) throws(Fault) {
    let wasPlaying = playing?.isPlaying == true
    playing = nil
    // Enter, the space bar and Ctrl-D.
    let others: [UInt8: String] = [10: "n", 13: "n", 32: "n", 4: "q"]
    switch (others[byte] ?? Character(UnicodeScalar(byte)).lowercased(), state) {
    case ("q", _): loop.exit()
    case ("?", _), ("h", _): try printLine(Self.help)
    case ("p", _) where wasPlaying: break
    case ("n", .room) where tone == nil: try hearRoom()
    case (_, .room): break
    case ("n", .whole):
      isWhole = true
      loop.exit()
    case ("b", .whole): try show(prompts.count - 1)
    case (_, .whole): break
    case ("b", _): try show(max(index - 1, 0))
    case ("a", _): try show(index, anew: true)
    case ("n", .fit(let take)):
      try folder.keep(take)
      kept.insert(index)
      try goOn()
    case ("p", .fit(let take)): try play(take)
    case ("n", _) where kept.contains(index): try goOn()
    case ("p", _) where kept.contains(index):
      (state, listener) = (.kept, nil)
      try play(try folder.take(prompts[index]))
    case ("n", _), ("p", _): try printLine("nothing is recorded of it yet: say it")
    default: break
    }
  }

  private func play(_ take: Take) throws(Fault) {
    let score = try folder.score(of: take)
    let player = Player(loop: loop) { [speaker] in speaker }
    playing = player
    player.ended = { [unowned self] _, outcome in
      guard case .failed(let why, _) = outcome else { return }
      loop.attempt { () throws(Fault) in try printLine("cannot play it: \(why)") }
    }
    do throws(Fault) {
      let anchor = SystemClock.now.instant + Announcer.requestLead
      try player.play(SoundingID(1), anchoredAt: .utc(anchor)) { score($0) }
    } catch {
      try printLine("cannot play it: \(error)")
    }
  }

  private func show(_ index: Int, anew: Bool = false) throws(Fault) {
    self.index = index
    let line = "\(index + 1) of \(prompts.count)    \(prompts[index].text)"
    if kept.contains(index) && !anew {
      (state, listener) = (.kept, nil)
      return try printLine("\(line)    (recorded; a says it again)")
    }
    try printLine(line)
    try hearPhrase()
  }

  /// Shows the next phrase without a take, otherwise the first one.
  private func goOn() throws(Fault) {
    let missing = prompts.indices.filter { !kept.contains($0) }
    if let next = missing.first(where: { $0 >= index }) ?? missing.first { return try show(next) }
    (state, listener) = (.whole, nil)
    try printLine("all \(prompts.count) phrases are recorded: Enter makes the voice, b goes back")
  }

  private func hearPhrase() throws(Fault) {
    state = .speaking
    listener = PhraseListener(rate: try openedRate(), room: room)
  }

  private func hearRoom() throws(Fault) {
    try printLine("quiet, please: listening to the room")
    tone = RoomTone(rate: try openedRate())
  }

  private func judgeRoom(_ level: Double) throws(Fault) {
    (tone, room) = (nil, level)
    guard level <= RoomTone.most else {
      return try printLine(
        "the room is too noisy: \(level.text(decimals: 1, .up)) dBFS, over -55: shut windows, "
          + "turn off fans, or turn the microphone down and come closer; Enter listens again")
    }
    try printLine(
      level > -120
        ? "the room is quiet enough: \(level.text(decimals: 0)) dBFS"
        : "nothing comes from microphone \(microphone.name), not even noise: unmute it "
          + "(alsamixer, F4), or choose another by --device (arecord -L)")
    try goOn()
  }

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
    ticks = try loop.every(microphone.readInterval) { [unowned self] in
      loop.attempt { () throws(Fault) in try listen() }
    }
    return opened
  }

  private func listen() throws(Fault) {
    // The meter falls by 1 dB each time.
    peak *= 0.89
    // Read no more than a microphone may have buffered: the null device of ALSA never ends.
    for _ in 0..<Self.mostBlocks {
      let count = try microphone.read(into: block)
      try hear(UnsafeBufferPointer(rebasing: block[..<count]))
      if count < block.count { break }
    }
    guard Screen.canRedraw, listener != nil else { return }
    // No error check: reading the keys shows that the terminal is gone.
    fputs("\r\(levelMeter(peak))\u{1B}[K", stdout)
    fflush(stdout)
  }

  private func hear(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    peak = block.reduce(peak) { max($0, $1.magnitude) }
    if let level = tone?.hear(block) { return try judgeRoom(level) }
    let phrase = listener?.hear(block)
    let isTorn = microphone.overruns != overruns && listener?.hasBegun == true
    overruns = microphone.overruns
    do throws(Fault) {
      if isTorn {
        throw Fault("microphone", "some of it was lost: the computer is busy; say it again")
      }
      guard let phrase else { return }
      let take = try Take(of: prompts[index], samples: phrase, rate: rate ?? 0, room: room)
      (state, listener) = (.fit(take), nil)
    } catch {
      try printLine(error.detail)
      return try hearPhrase()
    }
    try printLine("good: Enter keeps it, a says it again, p plays it")
  }

  private func clearMeter() {
    if Screen.canRedraw { fputs("\r\u{1B}[K", stdout) }
    fflush(stdout)
  }
}
