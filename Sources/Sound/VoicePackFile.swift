import Basics
@preconcurrency import Glibc
import Horology

extension VoicePack {
  /// - Throws: `Fault` with file and line for anything in it that is unknown or wrong.
  public init(path: String) throws(Fault) {
    var draft = Draft(file: try INIFile(path: "\(path)/voice.conf"))
    try draft.file.refuseSections(Draft.sections) { !Draft.knows($0) }
    for entry in draft.file.entries { try draft.read(entry) }

    func required(_ key: String, as example: String) throws(Fault) -> String {
      guard let value = draft.texts[key] else {
        throw Fault(
          draft.file.path, "no '\(key)' in [voice]; add it, for example '\(key) = \(example)'")
      }
      return value
    }
    self.path = path
    language = try required("language", as: "en")
    description = try required("description", as: "my own voice")
    licence = try required("licence", as: "LICENCE")
    overlap = draft.overlap
    grammars = draft.grammars
    dayParts = draft.dayParts
    opening = draft.texts["opening"].map(Self.words) ?? []
    timers = draft.timers

    var clips: [String: Clip] = [:]
    for (name, text) in draft.clipTexts {
      let candidates = Self.suffixes.map { "\(path)/\(name).\($0)" }
      guard let file = candidates.first(where: { access($0, F_OK) == 0 }) else { continue }
      clips[name] = Clip(name: name, sound: StoredSound(file), text: text)
    }
    self.clips = clips
    clipsWithoutFile = draft.clipTexts.keys.filter { clips[$0] == nil }.sorted()
    chains = try draft.chains()
    spellings = try draft.spellings(of: chains)
  }

  fileprivate static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map { String($0) }
  }

  /// The first file that exists is used.
  private static let suffixes = ["flac", "wav", "caf", "ogg"]

  /// Says which clips have no file; nil if all have one.
  public var filesMissing: Fault? {
    guard let first = clipsWithoutFile.first else { return nil }
    let file = "\(first).\(Self.suffixes.joined(separator: ", ."))"
    let count = clipsWithoutFile.count
    let others = count == 1 ? "" : ", nor have \(count - 1) more"
    return Fault(
      "voice \(path)",
      "clip '\(first)' has no file (\(file))\(others); put it there, or take it out of voice.conf")
  }
}

private struct Draft {
  let file: INIFile
  var texts: [String: String] = [:]
  var overlap = Duration.zero
  var grammars: [HourFormat: [String: Grammar]] = [:]
  var dayParts = DayParts()
  var timers = TimerGrammar()
  var clipTexts: [String: String] = [:]
  var chainEntries: [INIFile.Entry] = []
  var spellingEntries: [INIFile.Entry] = []
  var seen: Set<String> = []

  static let sections =
    "there are voice, clock 12, clock 24, these with a style (clock 12 natural), "
    + "day, left, timer, interval, answer, chains, spelling, clips"

  static func knows(_ section: String) -> Bool {
    ["voice", "clips", "chains", "spelling", "day"].contains(section)
      || TimerGrammar.Section(rawValue: section) != nil || Wording(section: section) != nil
  }

  mutating func read(_ entry: INIFile.Entry) throws(Fault) {
    let place = "\(file.path):\(entry.line)"
    if let section = TimerGrammar.Section(rawValue: entry.section) {
      if let problem = timers.add(section, key: entry.key, phrase: entry.value) {
        throw Fault(place, "'\(entry.key) = \(entry.value)' \(problem)")
      }
      return
    }
    let isOnce = ["voice", "clips", "chains", "spelling"].contains(entry.section)
    guard !isOnce || seen.insert("\(entry.section).\(entry.key)").inserted else {
      throw Fault(place, "'\(entry.key)' is there twice in [\(entry.section)]")
    }
    switch entry.section {
    case "voice":
      try readVoice(entry, place)
    case "clips":
      clipTexts[entry.key] = entry.value
    case "chains":
      chainEntries.append(entry)
    case "spelling":
      spellingEntries.append(entry)
    case "day":
      guard dayParts.add(pattern: entry.key, name: entry.value) else {
        throw Fault(
          place,
          "'\(entry.key) = \(entry.value)' is no part of the day: hhmm with * for any digit, then the "
            + "name that {day} stands for")
      }
    default:
      // It is one of a clock, because no other section is known.
      let wording = Wording(section: entry.section)!
      guard
        grammars[wording.format, default: [:]][wording.style, default: Grammar()]
          .add(pattern: entry.key, phrase: entry.value)
      else {
        throw Fault(
          place,
          "'\(entry.key) = \(entry.value)' is no rule: hhmm with * for any digit, then clip names, "
            + "which may hold \(Grammar.blanks)")
      }
    }
  }

  /// - Throws: `Fault` with the line of a chain that is empty, has the name of a clip, or names a
  ///   clip that is not in [clips].
  func chains() throws(Fault) -> [String: [String]] {
    var chains: [String: [String]] = [:]
    for entry in chainEntries {
      let place = "\(file.path):\(entry.line)"
      let names = VoicePack.words(entry.value)
      guard clipTexts[entry.key] == nil else {
        throw Fault(place, "'\(entry.key)' is a clip; give the chain another name")
      }
      if let missing = names.first(where: { clipTexts[$0] == nil }) {
        throw Fault(place, "chain '\(entry.key)' needs '\(missing)', which is no clip in [clips]")
      }
      guard !names.isEmpty else {
        throw Fault(place, "chain '\(entry.key)' is empty; write the names of its clips behind it")
      }
      chains[entry.key] = names
    }
    return chains
  }

  func spellings(of chains: [String: [String]]) throws(Fault) -> [String: String] {
    if let entry = spellingEntries.first(where: { chains[$0.key] == nil }) {
      throw Fault(
        "\(file.path):\(entry.line)",
        "[chains] has no '\(entry.key)'; add it there, or remove this line")
    }
    return Dictionary(uniqueKeysWithValues: spellingEntries.map { ($0.key, $0.value) })
  }

  private mutating func readVoice(_ entry: INIFile.Entry, _ place: String) throws(Fault) {
    switch entry.key {
    case "language", "description", "licence", "opening":
      texts[entry.key] = entry.value
    case "crossfade", "gap":
      guard let duration = Duration(text: entry.value), .zero <= duration,
        duration <= .seconds(1)
      else {
        throw Fault(place, "\(entry.key) = \(entry.value) is not a duration from 0ms to 1s")
      }
      overlap = entry.key == "gap" ? .zero - duration : duration
    default:
      throw Fault(
        place,
        "unknown key '\(entry.key)'; there are language, description, licence, opening, crossfade, "
          + "gap")
    }
  }
}

extension Wording {
  /// The wording of a section `clock 12` or `clock 12 natural`; nil for any other.
  fileprivate init?(section: String) {
    let words = section.split(separator: " ")
    guard words.first == "clock", (2...3).contains(words.count),
      let format = HourFormat(rawValue: String(words[1]))
    else { return nil }
    self.init(format, style: words.count == 3 ? String(words[2]) : Wording.digital)
  }
}
