import Basics
@preconcurrency import Glibc
import Horology
import Sound

public struct VoiceImport {
  /// Nothing is made if there are any.
  public private(set) var problems: [Fault] = []
  /// Sounds in the folder that are no word of a clock.
  public private(set) var ignored: [String] = []
  /// Sounds that are as loud at their end as anywhere: the rest may be missing.
  public private(set) var cutOff: [String] = []

  private let folder: String
  private var draft = VoiceDraft(levelling: [:])
  private let licence: String?

  /// The text of a word may lie beside its sound.
  private static let texts = ["txt", "md", "lab", "textgrid", "json", "csv"]

  /// Reads the recordings in `folder` and in its subfolder `digits`, which Asterisk uses.
  public init(folder: String) throws(Fault) {
    self.folder = folder
    _ = try readNames(inFolder: folder)
    licence = Self.files(in: folder).first { name in
      ["licence", "license", "copying", "copyright"].contains { name.lowercased().hasPrefix($0) }
    }
    draft = VoiceDraft(levelling: read(findWords()))
    problems += draft.problems
  }

  private mutating func findWords() -> [EnglishWord: [String]] {
    var words: [EnglishWord: [String]] = [:]
    var others: [(file: String, suffix: String)] = []
    var suffixes: Set<String> = []
    let inDigits = Self.files(in: "\(folder)/digits").map { "digits/\($0)" }
    for file in Self.files(in: folder) + inDigits {
      let name = file.split(separator: "/").last ?? ""
      let dot = name.lastIndex(of: ".") ?? name.endIndex
      let suffix = name[dot...].dropFirst().lowercased()
      if Self.texts.contains(suffix) { continue }
      if let word = EnglishWord(fileName: name[..<dot]) {
        words[word, default: []].append(file)
        suffixes.insert(suffix)
      } else {
        others.append((file, suffix))
      }
    }
    ignored = others.filter { suffixes.contains($0.suffix) }.map(\.file)
    return words
  }

  /// Without what is hidden, as the `._one.wav` that macOS puts beside `one.wav`.
  private static func files(in folder: String) -> [String] {
    names(inFolder: folder).filter { name in
      guard !name.hasPrefix(".") else { return false }
      var status = stat()
      return stat("\(folder)/\(name)", &status) != 0 || status.st_mode & S_IFMT != S_IFDIR
    }
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
    let rules = EnglishRules(words: Set(paths.keys))
    if !HourFormat.allCases.contains(where: rules.sayQuarters) {
      let missing = rules.missing
      problems.append(
        Fault(
          "cannot use \(folder)",
          "no recording of \(missing.map { "'\($0.text)'" }.joined(separator: ", ")), which the quarters "
            + "of an hour need; add \(missing.count == 1 ? "it" : "them")"))
    }
    return recordings
  }

  public func make(_ path: String) throws(Fault) -> VoicePack {
    if let problem = problems.first { throw problem }
    try makeFolder(path) { target throws(Fault) in
      let source = folder.split(separator: "/").last ?? ""
      let licence: [UInt8]? =
        if let licence { try readRegularFile("\(folder)/\(licence)") } else { nil }
      _ = try draft.write(to: target, source: String(source), licence: licence)
    }
    return try VoicePack(path: path)
  }
}
