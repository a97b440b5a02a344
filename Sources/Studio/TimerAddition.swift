import Basics
import Sound

/// Adds the words of timers and intervals to a pack that says the time.
struct TimerAddition {
  /// The prefix of the names of its numbers: a pack already has `7` for an hour.
  private static let prefix = "number-"

  private let draft: VoiceDraft
  private let pack: VoicePack

  init(_ draft: VoiceDraft, to pack: VoicePack) throws(Fault) {
    try Self.check(pack, draft.sortedWords)
    self.draft = draft
    self.pack = pack
  }

  /// Throws if a pack already has words for timers, or cannot gain them.
  static func check(_ pack: VoicePack, _ words: [EnglishWord]) throws(Fault) {
    guard !pack.hasTimers else {
      throw Fault(
        operation(pack),
        "it has words of timers already; remove [left], [timer] and [interval] from its voice.conf "
          + "first")
    }
    try checkThatItCanGain(words, pack)
  }

  private static func operation(_ pack: VoicePack) -> String {
    "cannot add timers to \(pack.path)"
  }

  /// Throws if a pack lacks files, is of another language, or has a clip with one of the names of
  /// these words that says something else.
  fileprivate static func checkThatItCanGain(
    _ words: [EnglishWord], _ pack: VoicePack
  ) throws(Fault) {
    let operation = operation(pack)
    if let fault = pack.filesMissing { throw Fault(operation, fault.detail) }
    guard pack.isEnglish else {
      throw Fault(
        operation,
        "the words of timers are English, and its voice.conf says "
          + "'language = \(pack.language.excerpt)'; add them to a voice that has 'language = en'")
    }
    for word in words {
      guard let clip = pack.clip(name(word)), clip.text != word.text else { continue }
      throw Fault(
        operation,
        "its clip '\(name(word))' says '\(clip.text)' and not '\(word.text)'; give it another name")
    }
  }

  /// The loudness, in LUFS, that matches the clips of the pack: that of the middle one.
  /// - Throws: `Fault` if it has a clip that is no word.
  static func loudness(of pack: VoicePack) throws(Fault) -> Double {
    var levels: [Double] = []
    let (bad, _) = pack.readClips { _, word throws(Fault) in
      levels.append(try Loudness(of: word.samples, rate: word.rate).momentary)
    }
    if let first = bad.first { throw first.fault }
    levels.sort()
    return levels.isEmpty ? VoiceDraft.usualLoudness : levels[levels.count / 2]
  }

  /// Writes the clips and, last, adds them and their rules to `voice.conf`. Until then the pack is
  /// unchanged.
  func write() throws(Fault) -> VoicePack {
    for (word, recording) in draft.recordings {
      let path = "\(pack.path)/\(Self.name(word)).flac"
      try recording.write(to: path)
      try syncToDisk(path)
    }
    let path = "\(pack.path)/voice.conf"
    var lines = [""] + draft.timerLines(numbers: Self.prefix) + ["[clips]"]
    for word in draft.sortedWords where pack.clip(Self.name(word)) == nil {
      lines.append("\(Self.name(word)) = \(word.text)")
    }
    let bytes = try readRegularFile(path)
    let end: [UInt8] = bytes.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
    try writeBytes(
      bytes + end + Array((lines.joined(separator: "\n") + "\n").utf8), to: path, isSynced: true)
    return try VoicePack(path: pack.path)
  }

  private static func name(_ word: EnglishWord) -> String {
    if case .number = word { prefix + word.clipName } else { word.clipName }
  }
}

extension VoicePack {
  fileprivate var isEnglish: Bool {
    let language = language.lowercased()
    return language == "en" || language.hasPrefix("en-") || language.hasPrefix("en_")
  }

  /// How the words of timers and intervals that the pack lacks can be recorded, as an order to the
  /// reader that names `command`; nil if they cannot.
  /// - Parameter command: the command that records them into the pack.
  public func orderToRecordTimers(_ command: String) -> String? {
    do throws(Fault) {
      try TimerAddition.checkThatItCanGain(RecordingPlan.timers.prompts.flatMap(\.words), self)
    } catch {
      return nil
    }
    return hasTimers
      ? "remove [left], [timer] and [interval] from its voice.conf, and record all of them ('\(command)')"
      : "add them ('\(command)')"
  }
}
