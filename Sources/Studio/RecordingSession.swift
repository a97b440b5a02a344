import Basics

/// Leads a person with a microphone through the phrases: which one is due, what each key does, and
/// what is kept. It does no input or output itself: it takes events and returns effects.
public struct RecordingSession: Sendable {
  public enum Key: Character, CaseIterable, Sendable {
    case next = "n"
    case again = "a"
    case play = "p"
    case back = "b"
    case help = "?"
    case quit = "q"

    /// The key of a byte from a terminal; Enter and the space bar are `next`. Nil for any other.
    public init?(byte: UInt8) {
      switch byte {
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: " "): self = .next
      case UInt8(ascii: "h"), UInt8(ascii: "H"): self = .help
      case 4: self = .quit  // Ctrl-D
      default:
        guard let key = Key(rawValue: Character(Character(UnicodeScalar(byte)).lowercased()))
        else { return nil }
        self = key
      }
    }
  }

  public enum Event: Sendable {
    case key(Key)
    /// How loud the room was, in dBFS.
    case roomHeard(Double)
    /// A phrase was fit, with its figures; it waits to be kept.
    case phraseFit(String)
    case phraseRefused(String)
    /// No voice was heard for a long while; the loudest level, in dBFS.
    case stillNothing(loudest: Double)
    case takeKept
    case playEnded
  }

  public enum Effect: Hashable, Sendable {
    case tell(String)
    case hearRoom
    /// Listens for the phrase of this index.
    case hearPhrase(Int)
    case rest
    /// Puts the fit phrase on the disk, as the take of this index.
    case keep(Int)
    case playNew
    case playKept(Int)
    case stopPlaying
    /// All phrases are kept, or the person quits.
    case finish(isWhole: Bool)
  }

  private indirect enum State: Sendable {
    case start
    case room
    case roomUnfit(isSilent: Bool)
    case speaking(Int)
    /// A phrase of this index was fit.
    case fit(Int)
    /// The take of this index is being written to the disk.
    case keeping(Int)
    /// The person reviews the take of this index.
    case kept(Int)
    case playing(State)
    case whole
    case over
  }

  private let prompts: [RecordingPrompt]
  private let microphone: String
  private var kept: Set<Int>
  private var state = State.start

  public init(prompts: [RecordingPrompt], microphone: String, kept: Set<Int>) {
    self.prompts = prompts
    self.microphone = microphone
    self.kept = kept
  }

  public var isWhole: Bool { kept.count == prompts.count }

  public var progress: String { "\(kept.count) of \(prompts.count) phrases are recorded" }

  public static let help = """
      Enter or n   keep it and go on         a   say it again
      p            play it                   b   back to the one before
      q            stop; what was kept stays, and the next run goes on from there
      ? or h       this help
    """

  public static let guidance = """
    Say each phrase as one sentence, in your ordinary voice, with a short pause at each
    '...' as in dictating a telephone number: three ... fifteen ... P M. Let the voice come
    down with the last word only. It is recorded when you speak, and ends when you are quiet.
    Sit a hand's breadth from the microphone, a little to its side; the meter should reach
    between its two marks. Turn off what hums, and what would read this aloud into it.
    """

  /// Begins with the room, or with the end if every phrase is recorded.
  public mutating func begin() -> [Effect] {
    let start = [Effect.tell(Self.guidance), .tell(Self.help)]
    if !kept.isEmpty && kept.count < prompts.count {
      return start + [.tell("going on: \(progress)")] + hearRoom()
    }
    return start + (kept.isEmpty ? hearRoom() : becomeWhole())
  }

  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .key(let key): return press(key)
    case .roomHeard(let level): return judgeRoom(level)
    case .phraseFit(let figures):
      guard case .speaking(let index) = state else { return [] }
      state = .fit(index)
      return [.rest, .tell("good: \(figures) (Enter keeps, a again, p play)")]
    case .phraseRefused(let why):
      guard case .speaking(let index) = state else { return [] }
      return [.tell(why), .hearPhrase(index)]
    case .stillNothing(let loudest):
      guard case .speaking = state else { return [] }
      return [.tell(nothingHeard(loudest))]
    case .takeKept:
      guard case .keeping(let index) = state else { return [] }
      kept.insert(index)
      return goOnToMissing(after: index)
    case .playEnded:
      if case .playing(let before) = state { state = before }
      return []
    }
  }

  // MARK: The room

  private mutating func hearRoom() -> [Effect] {
    state = .room
    return [.tell("quiet, please: listening to the room"), .hearRoom]
  }

  private mutating func judgeRoom(_ level: Double) -> [Effect] {
    guard case .room = state else { return [] }
    guard level > -120 else {
      state = .roomUnfit(isSilent: true)
      return [
        .rest,
        .tell(
          "nothing comes from microphone \(microphone), not even noise: unmute it (alsamixer, F4), "
            + "or choose another by --device (arecord -L); a listens again, Enter goes on"),
      ]
    }
    guard level <= RoomTone.most else {
      state = .roomUnfit(isSilent: false)
      return [
        .rest,
        .tell(
          "the room is too noisy: \(level.text(decimals: 1, .up)) dBFS, over -55: shut windows, "
            + "turn off fans, or turn the microphone down and come closer; Enter listens again"),
      ]
    }
    let text = "the room is quiet enough: \(level.text(decimals: 0)) dBFS"
    return [.tell(text)] + goOnToMissing(after: -1)
  }

  // MARK: The keys

  private mutating func press(_ key: Key) -> [Effect] {
    switch (key, state) {
    case (_, .over), (_, .start), (_, .keeping): return []
    case (.quit, _):
      let stops = isPlaying ? [Effect.stopPlaying] : []
      state = .over
      return stops + [.rest, .finish(isWhole: false)]
    case (.help, _): return [.tell(Self.help)]
    case (_, .playing(let before)):
      state = before
      // `play` stops a take that is playing.
      return [.stopPlaying] + (key == .play ? [] : press(key))
    case (_, .room): return []
    case (.next, .roomUnfit(isSilent: true)): return goOnToMissing(after: -1)
    case (_, .roomUnfit): return hearRoom()
    case (.again, .speaking(let index)), (.again, .fit(let index)), (.again, .kept(let index)):
      return show(index, anew: true)
    case (.back, .speaking(let index)): return [.rest] + show(max(index - 1, 0))
    case (.next, .speaking(let index)) where kept.contains(index):
      return [.rest] + goOn(from: index)
    case (.play, .speaking(let index)) where kept.contains(index):
      return play(.playKept(index), thenBack: .kept(index))
    case (_, .speaking): return [.tell("nothing is recorded of it yet: say it")]
    case (.back, .fit(let index)): return [.tell("not kept")] + show(max(index - 1, 0))
    case (.next, .fit(let index)):
      state = .keeping(index)
      return [.keep(index)]
    case (_, .fit): return play(.playNew, thenBack: state)
    case (.back, .kept(let index)): return show(max(index - 1, 0))
    case (.next, .kept(let index)): return goOn(from: index)
    case (_, .kept(let index)): return play(.playKept(index), thenBack: state)
    case (.next, .whole):
      state = .over
      return [.finish(isWhole: true)]
    case (.back, .whole): return show(prompts.count - 1)
    case (_, .whole): return [.tell(wholeText)]
    }
  }

  private var isPlaying: Bool {
    if case .playing = state { true } else { false }
  }

  private mutating func play(_ effect: Effect, thenBack before: State) -> [Effect] {
    state = .playing(before)
    return [.rest, effect]
  }

  // MARK: The phrases

  /// Shows a phrase. Listens for it if it has no take, or if `anew`.
  private mutating func show(_ index: Int, anew: Bool = false) -> [Effect] {
    let number = String(index + 1)
    let total = String(prompts.count)
    let padding = String(repeating: " ", count: total.count - number.count)
    let line = "\(padding)\(number) of \(total)    \(prompts[index].text)"
    if kept.contains(index) && !anew {
      state = .kept(index)
      return [.tell("\(line)    (recorded; a says it again)")]
    }
    state = .speaking(index)
    return [.tell(line), .hearPhrase(index)]
  }

  /// Shows the next phrase; after the last one, a phrase without a take.
  private mutating func goOn(from index: Int) -> [Effect] {
    index + 1 < prompts.count ? show(index + 1) : goOnToMissing(after: index)
  }

  /// Shows the next phrase without a take, otherwise the first one.
  private mutating func goOnToMissing(after index: Int) -> [Effect] {
    let missing = prompts.indices.filter { !kept.contains($0) }
    guard let next = missing.first(where: { $0 > index }) ?? missing.first else {
      return becomeWhole()
    }
    return show(next)
  }

  private mutating func becomeWhole() -> [Effect] {
    state = .whole
    return [.tell(wholeText)]
  }

  private var wholeText: String {
    "all \(prompts.count) phrases are recorded: Enter makes the voice, b goes back"
  }

  private func nothingHeard(_ loudest: Double) -> String {
    let heard =
      loudest > -120 ? "\(loudest.text(decimals: 0)) dBFS at the most" : "not even noise"
    return "no voice is heard from microphone \(microphone), \(heard): come closer, turn it up "
      + "(alsamixer, F4), or choose another by --device (arecord -L)"
  }
}
