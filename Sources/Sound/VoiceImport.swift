@preconcurrency import Glibc
import Horology

/// A folder of recorded words on its way to a voice pack.
public struct VoiceImport {
  /// What is wrong, a sentence each; nothing is made unless there are none.
  public private(set) var problems: [Fault] = []
  /// Sounds in the folder that are no word of a spoken time.
  public private(set) var ignored: [String] = []
  /// The loudness of every clip, in LUFS: -20, or lower where a word's peaks would be cut off.
  public private(set) var loudness = -20.0
  /// The word whose peaks made all of it lower.
  public private(set) var mostPeaked: String?

  public var loudnessText: String { loudness.text(decimals: 1) }

  private let folder: String
  private var recordings: [EnglishWord: Recording] = [:]
  private let licence: String?

  /// In dBTP.
  private static let highestPeak = -1.0
  /// A word that peaks so far above -20 LUFS has a click in it.
  private static let lowestLoudness = -28.0
  private static let suffixes = [
    "wav", "wave", "flac", "caf", "aif", "aiff", "aifc", "au", "snd", "ogg", "oga", "opus", "mp3",
    "w64", "rf64", "gsm", "g722", "sln", "ulaw", "alaw",
  ]

  /// Reads the recordings in `folder` and, as Asterisk has them, in its `digits`.
  /// - Throws: `Fault` if the folder cannot be read.
  public init(folder: String) throws(Fault) {
    self.folder = folder
    guard let directory = opendir(folder) else {
      throw Fault("cannot read \(folder)", errno: errno)
    }
    closedir(directory)
    let files = names(inFolder: folder)
    licence = files.first { name in
      ["licence", "license", "copying", "copyright"].contains { name.lowercased().hasPrefix($0) }
    }
    var paths: [EnglishWord: [String]] = [:]
    for file in files + names(inFolder: "\(folder)/digits").map({ "digits/\($0)" }) {
      let name = file.split(separator: "/").last ?? ""
      guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
        Self.suffixes.contains(name[name.index(after: dot)...].lowercased())
      else { continue }
      if let word = EnglishWord(fileName: name[..<dot]) {
        paths[word, default: []].append(file)
      } else {
        ignored.append(file)
      }
    }
    read(paths)
    level()
  }

  private mutating func read(_ paths: [EnglishWord: [String]]) {
    for (word, files) in paths.sorted(by: { $0.value[0] < $1.value[0] }) {
      guard files.count == 1 else {
        problems.append(
          Fault(
            "cannot use \(folder)",
            "\(files.joined(separator: " and ")) are both '\(word.text)'; keep one of them"))
        continue
      }
      do throws(Fault) {
        recordings[word] = try Recording(recorded: "\(folder)/\(files[0])")
      } catch {
        problems.append(error)
      }
    }
    let rules = EnglishRules(words: Set(paths.keys))
    if !HourFormat.allCases.contains(where: rules.sayQuarters) {
      let missing = rules.missing
      problems.append(
        Fault(
          "cannot use \(folder)",
          "no recording of \(missing.map { "'\($0.text)'" }.joined(separator: ", ")), which the "
            + "quarters of an hour need; add \(missing.count == 1 ? "it" : "them")"))
    }
  }

  /// Brings every word to one loudness at which none is cut off.
  private mutating func level() {
    var measured: [EnglishWord: Loudness] = [:]
    for (word, recording) in recordings.sorted(by: { $0.key.clipName < $1.key.clipName }) {
      do throws(Fault) {
        let found = try Loudness(of: recording.samples, rate: recording.rate)
        measured[word] = found
        let possible = found.momentary - found.truePeak + Self.highestPeak
        if possible < Self.lowestLoudness {
          problems.append(
            Fault(
              "cannot use '\(word.text)'",
              "it peaks \((found.truePeak - found.momentary).text(decimals: 0)) dB above its "
                + "loudness, as a click does; record it again"))
        } else if possible < loudness {
          loudness = possible
          mostPeaked = word.text
        }
      } catch {
        problems.append(error)
      }
    }
    for (word, found) in measured {
      recordings[word]?.amplify(by: loudness - found.momentary)
      recordings[word]?.fade()
    }
  }

  // MARK: The pack

  /// Makes the pack: in a folder beside it, that gets its name when it is whole.
  /// - Throws: `Fault` if there is something of that name, or it cannot be written; then nothing
  ///   of it stays.
  public func make(_ pack: String) throws(Fault) -> VoicePack {
    if let problem = problems.first { throw problem }
    let operation = "cannot make \(pack)"
    var status = stat()
    guard lstat(pack, &status) != 0 else {
      throw Fault(operation, "it is there already; give another --output, or remove it")
    }
    let target = "\(pack).\(getpid()).part"
    guard mkdir(target, 0o777) == 0 else { throw Fault(operation, errno: errno) }
    do throws(Fault) {
      try fill(target)
      let made = try VoicePack(path: target)
      for format in HourFormat.allCases where rules.sayQuarters(format) {
        try made.verify(every: .quarter, format: format)
      }
      guard rename(target, pack) == 0 else { throw Fault(operation, errno: errno) }
    } catch {
      for name in names(inFolder: target) { unlink("\(target)/\(name)") }
      rmdir(target)
      throw error
    }
    return try VoicePack(path: pack)
  }

  private var rules: EnglishRules { EnglishRules(words: Set(recordings.keys)) }

  private func fill(_ target: String) throws(Fault) {
    for (word, recording) in recordings {
      try recording.write(to: "\(target)/\(word.clipName).flac")
    }
    try writeText(try licenceText(), to: "\(target)/LICENCE")
    try writeText(description, to: "\(target)/voice.conf")
  }

  private func licenceText() throws(Fault) -> [UInt8] {
    guard let licence else {
      return Array(
        ("There was no licence with these recordings. Write here who spoke them, and what others\n"
          + "may do with them, before you pass them on.\n").utf8)
    }
    return try readSmallFile("\(folder)/\(licence)")
  }

  /// What `voice.conf` says.
  private var description: [UInt8] {
    let source = (folder.split(separator: "/").last ?? "").prefix(100)
      .map { $0.isLetter || $0.isNumber || "-_. ".contains($0) ? $0 : "_" }
    var lines = [
      "[voice]", "language = en", "description = English, from the recordings in \(String(source))",
      "licence = LICENCE", "; words spoken one by one want a pause between them", "gap = 60ms", "",
      "; hhmm, where * is any digit; the first that matches is spoken",
    ]
    for format in HourFormat.allCases {
      let rules = rules.rules(format)
      guard !rules.isEmpty else { continue }
      lines.append("[clock \(format.rawValue)]")
      lines += rules.map { "\($0.pattern) = \($0.phrase)" } + [""]
    }
    let clips = recordings.keys.sorted { left, right in
      // In the order of the numbers, and then of the words.
      (left.clipName.count, left.clipName) < (right.clipName.count, right.clipName)
    }
    lines += ["; clip = what it says", "[clips]"] + clips.map { "\($0.clipName) = \($0.text)" }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }
}

/// Writes a whole small file.
private func writeText(_ bytes: [UInt8], to path: String) throws(Fault) {
  let operation = "cannot write \(path)"
  guard let file = fopen(path, "wxe") else { throw Fault(operation, errno: errno) }
  let isWhole = fwrite(bytes, 1, bytes.count, file) == bytes.count
  guard fclose(file) == 0, isWhole else { throw Fault(operation, errno: errno) }
}

/// All bytes of a file of at most 1 MiB.
private func readSmallFile(_ path: String) throws(Fault) -> [UInt8] {
  let descriptor = try openRegularFile(path, largest: 1 << 20)
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = try retryingInterrupts("cannot read \(path)") {
      read(descriptor, &block, block.count)
    }
    if count == 0 { return bytes }
    bytes += block[..<count]
  }
}
