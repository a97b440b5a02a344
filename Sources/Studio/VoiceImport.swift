import Basics
@preconcurrency import Glibc
import Horology
import Sound

/// A folder of recorded words that becomes a voice pack, or is added to one.
public struct VoiceImport {
  /// What is wrong, one sentence each. Nothing is made if there are any.
  public private(set) var problems: [Fault] = []
  /// Sounds in the folder that no phrase uses.
  public private(set) var ignored: [String] = []
  /// Sounds that are as loud at their end as anywhere: the rest may be missing.
  public private(set) var cutOff: [String] = []
  /// The word whose peaks lowered all clips below -20 LUFS, or below the loudness of the pack.
  public var mostPeaked: String? { draft.mostPeaked?.text }
  public var loudnessText: String { draft.loudness.text(decimals: 1) }

  /// The words that are missing for phrases of timers. Empty if the folder has no words for timers
  /// at all, so that a folder with only the words of a time lacks nothing.
  public private(set) var missingForTimers: [EnglishWord] = []

  private let folder: String
  private let pack: VoicePack?
  private var draft = VoiceDraft(levelling: [:])
  private let licence: String?

  /// Suffixes of sounds. A file with another one is used only if its word is missing without it, so
  /// that the text of a word may lie beside its sound.
  private static let suffixes: Set<String> = [
    "wav", "wave", "wav49", "bw64", "rf64", "w64", "flac", "caf", "aif", "aiff", "aifc", "au",
    "snd", "voc", "ogg", "oga", "opus", "spx", "mp3", "mp2", "m4a", "mp4", "aac", "ac3", "wma",
    "webm", "mka", "amr", "3gp", "g722", "gsm", "sln", "sln16",
  ]

  /// Reads the recordings in `folder` and in its subfolder `digits`, which Asterisk uses.
  /// - Parameter pack: the pack to add them to, which gains only the words of timers; nil for a
  ///   pack of their own.
  /// - Throws: `Fault` if the folder cannot be read, or the pack has words of timers already.
  public init(folder: String, addingTimersTo pack: VoicePack? = nil) throws(Fault) {
    self.folder = folder
    self.pack = pack
    var loudness = VoiceDraft.usualLoudness
    if let pack {
      try pack.checkThatItLacksTimers([])
      loudness = try pack.loudness()
    }
    _ = try readNames(inFolder: folder)
    let files = Self.files(in: folder)
    licence = files.first { name in
      ["licence", "license", "copying", "copyright"].contains { name.lowercased().hasPrefix($0) }
    }
    var paths: [EnglishWord: [String]] = [:]
    var others: [EnglishWord: [String]] = [:]
    for file in files + Self.files(in: "\(folder)/digits").map({ "digits/\($0)" }) {
      let name = file.split(separator: "/").last ?? ""
      let dot = name.lastIndex(of: ".") ?? name.endIndex
      let isSound = Self.suffixes.contains(name[dot...].dropFirst().lowercased())
      if let word = EnglishWord(fileName: name[..<dot]) {
        if isSound {
          paths[word, default: []].append(file)
        } else {
          others[word, default: []].append(file)
        }
      } else if isSound {
        ignored.append(file)
      }
    }
    let rules = EnglishRules(words: Set(paths.keys))
    for word in pack == nil ? rules.missing : rules.missingForTimers {
      if let files = others.removeValue(forKey: word) { paths[word] = files }
    }
    ignored += others.values.joined()
    sortOut(&paths)
    draft = VoiceDraft(levelling: read(paths), to: loudness)
    problems += draft.problems
  }

  /// The names of the files in a folder, without its subfolders and what is hidden, as the `._one.wav`
  /// that macOS puts beside `one.wav`.
  private static func files(in folder: String) -> [String] {
    names(inFolder: folder).filter { name in
      guard !name.hasPrefix(".") else { return false }
      var status = stat()
      return stat("\(folder)/\(name)", &status) != 0 || status.st_mode & S_IFMT != S_IFDIR
    }
  }

  /// Leaves out the words that no phrase would speak.
  private mutating func sortOut(_ paths: inout [EnglishWord: [String]]) {
    let rules = EnglishRules(words: Set(paths.keys))
    let hasTimers = paths.keys.contains { if case .timers = $0 { true } else { false } }
    if hasTimers || pack != nil { missingForTimers = rules.missingForTimers }
    for (word, files) in paths {
      let isSpoken =
        switch word {
        case .timers(let word): rules.speaks(word)
        case .number(let number): pack == nil || number > 0
        default: pack == nil
        }
      if isSpoken { continue }
      paths[word] = nil
      ignored += files
    }
    ignored.sort()
  }

  private mutating func read(_ paths: [EnglishWord: [String]]) -> [EnglishWord: Recording] {
    var recordings: [EnglishWord: Recording] = [:]
    for (word, files) in paths.sorted(by: { $0.value[0] < $1.value[0] }) {
      guard files.count == 1 else {
        problems.append(
          Fault(
            "cannot use \(folder)",
            "\(files.joined(separator: " and ")) are both '\(word.text)'; keep one of them"))
        continue
      }
      do throws(Fault) {
        let recording = try Recording(recorded: "\(folder)/\(files[0])")
        recordings[word] = recording
        if recording.isCutOff { cutOff.append(files[0]) }
      } catch {
        problems.append(error)
      }
    }
    if pack != nil {
      lack(missingForTimers, "timers")
      return recordings
    }
    let rules = EnglishRules(words: Set(paths.keys))
    if !HourFormat.allCases.contains(where: rules.sayQuarters) {
      lack(rules.missing, "the quarters of an hour")
    }
    return recordings
  }

  private mutating func lack(_ missing: [EnglishWord], _ what: String) {
    guard !missing.isEmpty else { return }
    problems.append(
      Fault(
        "cannot use \(folder)",
        "no recording of \(missing.map { "'\($0.text)'" }.joined(separator: ", ")), which \(what) "
          + "need; add \(missing.count == 1 ? "it" : "them")"))
  }

  // MARK: The pack

  /// Adds the words of timers to their pack. Without one, makes the pack in a folder beside it,
  /// which gets the name of the pack when it is whole.
  /// - Throws: `Fault` if something has that name already, or it cannot be written; then nothing of
  ///   it stays.
  public func make(_ path: String) throws(Fault) -> VoicePack {
    if let problem = problems.first { throw problem }
    if let pack { return try draft.addTimers(to: pack) }
    try makeFolder(path) { target throws(Fault) in
      let source = folder.split(separator: "/").last ?? ""
      let licence: [UInt8]? =
        if let licence { try readRegularFile("\(folder)/\(licence)") } else { nil }
      try draft.write(to: target, source: String(source), licence: licence)
      let made = try VoicePack(path: target)
      for format in HourFormat.allCases where draft.rules.sayQuarters(format) {
        try made.verify(every: .quarter, wording: Wording(format))
      }
    }
    return try VoicePack(path: path)
  }
}
