import Basics
import Horology
import Sound

/// The words of a voice before they are a pack.
struct VoiceDraft {
  private(set) var problems: [Fault] = []
  private(set) var recordings: [EnglishWord: Recording]

  /// The loudness of the clips of a pack, in LUFS.
  private static let usualLoudness = -20.0

  /// Brings every word to one loudness: the usual one, or a lower one at which none is clipped.
  init(levelling words: [EnglishWord: Recording]) {
    recordings = words
    var loudness = Self.usualLoudness
    var measured: [EnglishWord: Loudness] = [:]
    for (word, recording) in words.sorted(by: { $0.key.clipName < $1.key.clipName }) {
      let found = Loudness(of: recording.samples, rate: recording.rate)
      measured[word] = found
      if found.hasClick {
        problems.append(
          Fault(
            "cannot use '\(word.text)'",
            "it peaks \((found.truePeak - found.momentary).text(decimals: 0)) dB above its "
              + "loudness, as a click does; record it again"))
      } else {
        loudness = min(loudness, found.possible)
      }
    }
    for (word, found) in measured {
      recordings[word]?.amplify(by: loudness - found.momentary)
      recordings[word]?.fade()
    }
  }

  var rules: EnglishRules { EnglishRules(words: Set(recordings.keys)) }

  /// Writes the clips, the licence and, last, `voice.conf`, which makes the folder a pack.
  /// - Parameter licence: nil leaves a text that asks for one.
  func write(to folder: String, source: String, licence: [UInt8]?) throws(Fault) -> VoicePack {
    for (word, recording) in recordings {
      let path = "\(folder)/\(word.clipName).flac"
      try recording.write(to: path)
      try syncToDisk(path)
    }
    try writeBytes(licence ?? Self.noLicence, to: "\(folder)/LICENCE", isSynced: true)
    try writeText(description(source), to: "\(folder)/voice.conf", isSynced: true)
    let pack = try VoicePack(path: folder)
    for format in HourFormat.allCases where rules.sayQuarters(format) {
      try pack.verify(every: .quarter, wording: Wording(format))
    }
    return pack
  }

  private static let noLicence = Array(
    ("There was no licence with these recordings. Write here who spoke them, and what others\n"
      + "may do with them, before you pass them on.\n").utf8)

  private func description(_ source: String) -> String {
    let source = source.prefix(100)
      .map { $0.isLetter || $0.isNumber || "-_. ".contains($0) ? $0 : "_" }
    var lines = [
      "[voice]", "language = en", "description = English, from the recordings in \(String(source))",
      "licence = LICENCE", "; words spoken one by one want a pause between them", "gap = 60ms", "",
      "; hhmm or hhmmss, where * is any digit; the first that matches is spoken",
    ]
    let clocks = HourFormat.allCases.map { ("clock \($0.rawValue)", rules.rules($0)) }
    let others = TimerGrammar.Section.allCases.map { ($0.rawValue, rules.rules($0)) }
    for (section, rules) in clocks + others where !rules.isEmpty {
      lines.append("[\(section)]")
      lines += rules.map { "\($0.pattern) = \($0.phrase)" } + [""]
    }
    lines += ["; clip = what it says", "[clips]"]
    lines += recordings.keys.map { "\($0.clipName) = \($0.text)" }.sorted()
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Loudness {
  /// In dBTP: below the allowed -1 by as much as rounding to 16 bit may add.
  private static let highestPeak = -1.05
  /// In LUFS: a word whose peaks keep it below this has a click in it.
  private static let lowest = -28.0

  fileprivate var possible: Double { momentary - truePeak + Self.highestPeak }

  var hasClick: Bool { possible < Self.lowest }
}
