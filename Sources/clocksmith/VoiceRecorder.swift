import Basics
@preconcurrency import CLinux
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Service
import Sound
import Studio

/// Leads a person with a microphone through the words of a voice. Each word that is fit is put into the
/// folder as a sound file of its own, and the next one is shown.
final class VoiceRecorder {
  private let loop: EventLoop
  private let terminal: Terminal
  private let folder: String
  /// The words of the plan, and those of them that were not recorded before.
  private let count: Int
  private let words: [EnglishWord]
  private let microphone: ALSASource
  private let speaker: ALSASink
  private let showsMeter = Screen.canRedraw

  /// The word that is due; their number once all are recorded.
  private var index = 0
  private var recorded: Set<EnglishWord> = []
  private var last: EnglishWord?
  private var listener: WordListener?
  /// Of the word that is played back.
  private var player: Player?
  private var isPlaying = false
  private var meter = LevelMeter()
  /// Frames per second.
  private var rate = 0
  /// Overruns of the microphone before the word.
  private var overruns = 0
  private var hasEnded = false
  private var failure: Fault?
  private var sources: [EventSource] = []
  private let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)
  private static let mostBlocks = 8

  private static let guidance = """
    Say each word as it is shown, in your ordinary voice. Let the voice stay up where dots
    follow, as if you went on. It is recorded when you speak, and the next word is shown when
    you are quiet. Sit a hand's breadth from the microphone, a little to its side; the meter
    should reach between its two marks. Turn off what hums, and what would read this aloud.
      b   back to the word before, to say it again
      p   play the last one
      q   stop; what is recorded stays, and the next run goes on from there
    """

  init(
    _ plan: RecordingPlan, into folder: String, microphone: ALSASource, terminal: Terminal,
    speaker: ALSASink
  ) throws(Fault) {
    loop = try EventLoop()
    self.terminal = terminal
    self.folder = folder
    self.microphone = microphone
    self.speaker = speaker
    let before = VoiceImport.sounds(in: folder).words
    count = plan.words.count
    words = plan.words.filter { before[$0] == nil }
  }

  deinit {
    block.deallocate()
  }

  /// Runs until all is recorded, the person stops, or the terminal or the microphone is gone.
  /// - Returns: true if all is recorded.
  func run() throws(Fault) -> Bool {
    guard !words.isEmpty else { return true }
    sources = try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    sources.append(
      try loop.whenReady(terminal.descriptor, events: EPOLLIN.rawValue) { [unowned self] in
        attempt { () throws(Fault) in try readKeys() }
      })
    do throws(Fault) {
      rate = try microphone.open()
    } catch {
      throw Fault(
        error.operation, code: error.code, "\(error.detail); --device names another microphone")
    }
    sources.append(
      try loop.every(microphone.readInterval) { [unowned self] in
        attempt { () throws(Fault) in try listen() }
      })
    if showsMeter {
      sources.append(try loop.every(.milliseconds(100)) { [unowned self] in showMeter() })
    }
    attempt { () throws(Fault) in
      try printLine(Self.guidance)
      try show()
    }
    if failure == nil { try loop.run() }
    (player, sources) = (nil, [])
    microphone.close()
    clearMeter()
    if !hasEnded {
      let done = count - words.count + recorded.count
      complain("\(done) of \(count) words are recorded; run it again to go on")
    }
    if let failure { throw failure }
    return hasEnded
  }

  private func attempt(_ body: () throws(Fault) -> Void) {
    do throws(Fault) {
      try body()
    } catch {
      failure = error
      loop.exit()
    }
  }

  private func readKeys() throws(Fault) {
    guard let bytes = terminal.readKeys() else { return loop.exit() }
    for byte in bytes {
      let wasPlaying = isPlaying
      (player, isPlaying) = (nil, false)
      switch Character(UnicodeScalar(byte)).lowercased() {
      case "q", "\u{4}": return loop.exit()
      case "b":
        index = max(index - 1, 0)
        try show()
      case "p" where wasPlaying: try show()
      case "p": try play()
      case "\r", "\n", " ":
        if index == words.count {
          hasEnded = true
          return loop.exit()
        }
        if recorded.contains(words[index]) { index += 1 }
        try show()
      default: if wasPlaying { try show() }
      }
    }
  }

  /// Shows the word that is due, and listens for it.
  private func show() throws(Fault) {
    guard index < words.count else {
      listener = nil
      return try printLine("all words are recorded: Enter makes the voice, b goes back")
    }
    overruns = microphone.overruns
    listener = WordListener(rate: rate)
    try printLine("\(count - words.count + index + 1) of \(count)    \(words[index].prompt)")
  }

  private func printLine(_ words: String) throws(Fault) {
    clearMeter()
    try say(words)
    try flushOutput()
    if outputIsUnread { loop.exit() }
  }

  private func path(_ word: EnglishWord) -> String { "\(folder)/\(word.clipName).wav" }

  private func play() throws(Fault) {
    guard let last else { return try printLine("nothing is recorded yet") }
    listener = nil
    let sound = StoredSound(path(last))
    let seconds = try sound.seconds()
    let player = Player(loop: loop) { [speaker] in speaker }
    (self.player, isPlaying) = (player, true)
    player.ended = { [unowned self] _, outcome in
      attempt { () throws(Fault) in
        if case .failed(let why, _) = outcome { try printLine("cannot play it: \(why)") }
        isPlaying = false
        try show()
      }
    }
    let anchor = SystemClock.now.instant + Announcer.requestLead
    try player.play(SoundingID(1), anchoredAt: .utc(anchor)) { rate throws(Fault) in
      let frames = Int((seconds * Double(rate)).rounded())
      return Score(rate: rate, parts: [Score.Part(sound, start: 0, frames: frames)], anchor: 0)
    }
  }

  // MARK: The microphone

  private func listen() throws(Fault) {
    // Read no more than a microphone may have buffered: the null device of ALSA never ends.
    for _ in 0..<Self.mostBlocks {
      let count = try microphone.read(into: block)
      try hear(UnsafeBufferPointer(rebasing: block[..<count]))
      if count < block.count { break }
    }
  }

  private func hear(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    meter.add(block)
    switch listener?.hear(block) {
    case .word(let word):
      if microphone.overruns != overruns {
        try printLine("some of it was lost: the computer is busy; say it again")
      } else if let flaw = word.flaw {
        try printLine(flaw)
      } else {
        try keep(word)
      }
      try show()
    case .stillNothing(let loudest):
      let level =
        loudest > -120 ? "\(loudest.text(decimals: 0)) dBFS at the most" : "not even noise"
      try printLine(
        "no voice is heard from microphone \(microphone.name), \(level): come closer, turn it up "
          + "(alsamixer, F4), or choose another by --device (arecord -L)")
    case .nothing, nil: break
    }
  }

  /// Puts the word on the disk, and goes on to the next one that is missing.
  private func keep(_ word: SpokenWord) throws(Fault) {
    let due = words[index]
    try word.recording.write(to: path(due))
    try syncToDisk(path(due))
    try syncToDisk(folder)
    recorded.insert(due)
    last = due
    try printLine("good: \(word.figures)")
    index = words.firstIndex { !recorded.contains($0) } ?? words.count
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
