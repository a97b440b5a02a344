import Basics
import Horology

/// Turns an announcement or a cue into a score.
public struct Composer {
  public let voice: VoicePack
  public let wording: Wording
  public private(set) var bells: BellRack
  private let signals: [Signal: StoredSound]
  private let voiceGain: Float
  private let bellsGain: Float

  /// - Parameter bellsVolume: the gain of blows and signals, in dB.
  public init(
    voice: VoicePack, wording: Wording, bells: BellRack = BellRack(folders: []),
    signals: [Signal: String] = [:],
    voiceVolume: Double = 0, bellsVolume: Double = 0
  ) {
    self.voice = voice
    self.wording = wording
    self.bells = bells
    self.signals = signals.mapValues(StoredSound.init)
    voiceGain = Mixer.gain(decibels: voiceVolume)
    bellsGain = Mixer.gain(decibels: bellsVolume)
  }

  public var saysTimers: Bool { voice.hasTimers }

  /// The score of a programme that speaks `time`.
  /// - Throws: `Fault` if a sound is missing, or is not a sound file, as all scores do.
  public func score(
    of time: CivilTime, _ programme: Programme = .wordsAlone, rate: Int
  ) throws(Fault) -> Score {
    var parts = try blows(programme, rate: rate)
    let firstBlow = parts.map(\.start).min() ?? 0
    func speak(_ start: (Score) -> Int) throws(Fault) {
      let phrase = try voice.score(of: time, wording: wording, rate: rate)
      parts += phrase.parts.map { $0.moved(by: start(phrase), amplifiedBy: voiceGain) }
    }
    switch programme.words {
    case .none: break
    case .at(let offset): try speak { _ in offset.frames(atRate: rate) }
    case .before(let gap, _): try speak { firstBlow - gap.frames(atRate: rate) - $0.frames }
    }
    // If a part begins before the anchor, move everything so that it begins at frame 0.
    let earliest = min(parts.map(\.start).min() ?? 0, 0)
    return Score(
      rate: rate, parts: parts.map { $0.moved(by: -earliest) }, anchor: -earliest)
  }

  /// - Throws: `Fault` also if the voice has no words for it, or if the words do not fit before the
  ///   next signal.
  public func score(of announcement: Announcement, rate: Int) throws(Fault) -> Score {
    if let signal = signal(of: announcement) { return try score(of: signal, rate: rate) }
    guard let words = try phrase(of: announcement) else {
      return try score(of: announcement.time, announcement.programme, rate: rate)
    }
    let phrase = try voice.score(of: voice.phrase(of: words) ?? [], rate: rate)
    let length = Duration.seconds(Double(phrase.frames) / Double(rate))
    if let room = announcement.room, length > room {
      throw Fault(
        "no room",
        "the words take \(length.roughly), and have \(room.roughly) before the next signal")
    }
    return Score(
      rate: rate, parts: phrase.parts.map { $0.moved(by: 0, amplifiedBy: voiceGain) }, anchor: 0)
  }

  public func score(of sounding: Sounding, rate: Int) throws(Fault) -> Score {
    switch sounding {
    case .announcement(let announcement): try score(of: announcement, rate: rate)
    case .cue(let cue): try score(of: cue, rate: rate)
    }
  }

  public mutating func add(_ tune: Tune) throws(Fault) { try bells.add(tune) }

  /// The score of a cue. Its first frame is the anchor.
  public func score(of cue: Cue, rate: Int) throws(Fault) -> Score {
    guard !cue.blows.isEmpty else { return try score(of: cue.signal, rate: rate) }
    let parts = try blows(Programme(blows: cue.blows, words: .none), rate: rate)
    return Score(rate: rate, parts: parts, anchor: 0)
  }

  /// The score of a cue whose tune cannot be played: its signal, repeated for as long as the tune
  /// would take.
  public func score(inSignalsOf cue: Cue, rate: Int) throws(Fault) -> Score {
    let signal = try score(of: cue.signal, rate: rate)
    let parts = cue.signalOffsets.flatMap { offset in
      signal.parts.map { $0.moved(by: offset.frames(atRate: rate)) }
    }
    return Score(rate: rate, parts: parts, anchor: 0)
  }

  /// Why the tune of a cue cannot be played; nil if it can, or the cue has no tune.
  public func flaw(ofTuneOf cue: Cue) -> Fault? {
    guard !cue.blows.isEmpty else { return nil }
    do throws(Fault) {
      try score(of: cue, rate: standardRate).verify()
      return nil
    } catch {
      return error
    }
  }

  private func score(of signal: Signal, rate: Int) throws(Fault) -> Score {
    guard let sound = signals[signal] else {
      throw Fault("signal '\(signal.rawValue)'", "it is missing; install clocksmith again")
    }
    return Score(
      rate: rate,
      parts: [
        Score.Part(
          sound, start: 0, frames: try sound.frames(atRate: rate), gain: bellsGain, isTimed: true,
          label: signal.rawValue)
      ], anchor: 0)
  }

  private func signal(of announcement: Announcement) -> Signal? {
    switch announcement.cause {
    case .start: .start
    case .untrusted: voice.phrase(of: .untrusted) == nil ? .untrusted : nil
    case .occasion, .request, .timer: nil
    }
  }

  /// What it says in place of the time: the first phrase that the voice has words for.
  private func phrase(of announcement: Announcement) throws(Fault) -> TimerPhrase? {
    if announcement.cause == .untrusted { return .untrusted }
    guard case .timer(let words) = announcement.cause, !words.isOfTime else { return nil }
    if let phrase = words.phrases.first(where: { voice.phrase(of: $0) != nil }) { return phrase }
    let phrases = words.phrases.map { "'\($0.text)'" }.joined(separator: " or ")
    throw Fault("voice \(voice.path)", "it has no words for \(phrases)")
  }

  /// How long a programme that speaks `time` sounds after its anchor.
  public func length(of time: CivilTime, _ programme: Programme) throws(Fault) -> Duration {
    let score = try score(of: time, programme, rate: standardRate)
    return .seconds(Double(score.frames - score.anchor) / Double(score.rate))
  }

  /// The blows, with the anchor as frame 0. Each bell uses its takes in turn.
  private func blows(_ programme: Programme, rate: Int) throws(Fault) -> [Score.Part] {
    var parts: [Score.Part] = []
    var struck: [String: Int] = [:]
    for blow in programme.blows {
      let sound = try bells.sound(ofBlow: struck[blow.bell, default: 0], of: blow.bell)
      struck[blow.bell, default: 0] += 1
      parts.append(
        Score.Part(
          sound, start: blow.offset.frames(atRate: rate),
          frames: try sound.frames(atRate: rate), gain: bellsGain, isTimed: true, label: blow.bell))
    }
    return parts
  }

  /// The words of an announcement, for a reader.
  public func text(of announcement: Announcement) throws(Fault) -> String {
    if signal(of: announcement) != nil { return "" }
    guard let words = try phrase(of: announcement) else { return try text(of: announcement.time) }
    return voice.text(of: words) ?? ""
  }

  /// Of the first phrase that the voice has words for; nil if it has none.
  public func text(of phrases: [TimerPhrase]) -> String? {
    phrases.lazy.compactMap { voice.text(of: $0) }.first
  }

  public func text(of time: CivilTime) throws(Fault) -> String {
    try voice.text(of: time, wording: wording)
  }
}
