import Basics
import Sound

/// How the words of timers and intervals are added to a pack that says the time.
extension VoicePack {
  /// - Throws: `Fault` if it has words for timers already, or cannot gain these.
  func checkThatItLacksTimers(_ words: [EnglishWord]) throws(Fault) {
    guard !hasTimers else {
      throw Fault(
        "cannot add timers to \(path)",
        "it has words of timers already; remove [left], [timer] and [interval] from its voice.conf "
          + "first")
    }
    try checkThatItCanGain(words)
  }

  /// - Throws: `Fault` if it lacks files, is of another language, or has a clip with one of the
  ///   names of these words that says something else.
  private func checkThatItCanGain(_ words: [EnglishWord]) throws(Fault) {
    let operation = "cannot add timers to \(path)"
    if let fault = filesMissing { throw Fault(operation, fault.detail) }
    guard ["en", "en-", "en_"].contains(language.lowercased().prefix(3)) else {
      throw Fault(
        operation,
        "the words of timers are English, and its voice.conf says "
          + "'language = \(language.excerpt)'; add them to a voice that has 'language = en'")
    }
    for word in words {
      guard let clip = clip(word.addedName), clip.text != word.text else { continue }
      throw Fault(
        operation,
        "its clip '\(clip.name)' says '\(clip.text)' and not '\(word.text)'; give it another name")
    }
  }

  /// The loudness, in LUFS, that matches its clips: that of the middle one.
  /// - Throws: `Fault` if it has a clip that is no word.
  func loudness() throws(Fault) -> Double {
    var levels: [Double] = []
    let (bad, _) = readClips { _, word throws(Fault) in
      levels.append(try Loudness(of: word.samples, rate: word.rate).momentary)
    }
    if let first = bad.first { throw first.fault }
    return levels.isEmpty ? VoiceDraft.usualLoudness : levels.sorted()[levels.count / 2]
  }

  /// How the words of timers and intervals that the pack lacks can be recorded, as an order to the
  /// reader that names `command`; nil if they cannot.
  /// - Parameter command: the command that records them into the pack.
  public func orderToRecordTimers(_ command: String) -> String? {
    do throws(Fault) {
      try checkThatItCanGain(RecordingPlan.timers.prompts.flatMap(\.words))
    } catch {
      return nil
    }
    return hasTimers
      ? "remove [left], [timer] and [interval] from its voice.conf, and record all of them ('\(command)')"
      : "add them ('\(command)')"
  }
}

extension VoiceDraft {
  /// Writes the clips and, last, adds them and their rules to `voice.conf`. Until then the pack is
  /// unchanged.
  func addTimers(to pack: VoicePack) throws(Fault) -> VoicePack {
    try pack.checkThatItLacksTimers(sortedWords)
    for (word, recording) in recordings {
      let path = "\(pack.path)/\(word.addedName).flac"
      try recording.write(to: path)
      try syncToDisk(path)
    }
    let path = "\(pack.path)/voice.conf"
    var lines = [""] + timerLines(numbers: EnglishWord.addedPrefix) + ["[clips]"]
    for word in sortedWords where pack.clip(word.addedName) == nil {
      lines.append("\(word.addedName) = \(word.text)")
    }
    let bytes = try readRegularFile(path)
    let end: [UInt8] = bytes.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
    try writeBytes(
      bytes + end + Array((lines.joined(separator: "\n") + "\n").utf8), to: path, isSynced: true)
    return try VoicePack(path: pack.path)
  }
}

extension EnglishWord {
  /// Before a number: a pack already has `7` for an hour.
  fileprivate static let addedPrefix = "number-"

  fileprivate var addedName: String {
    if case .number = self { Self.addedPrefix + clipName } else { clipName }
  }
}
