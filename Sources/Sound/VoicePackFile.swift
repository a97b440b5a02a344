import Basics
@preconcurrency import Glibc
import Horology

extension VoicePack {
  /// Reads the pack in the folder `path`: its `voice.conf`, and which clips there are.
  /// - Throws: `Fault` with file and line for anything in it that is unknown or wrong, and for a
  ///   clip that has no file.
  public init(path: String) throws(Fault) {
    var draft = Draft(file: try INIFile(path: "\(path)/voice.conf"))
    for entry in draft.file.entries { try draft.take(entry) }

    func required(_ key: String) throws(Fault) -> String {
      guard let value = draft.texts[key] else {
        throw Fault(draft.file.path, "no '\(key)' in [voice]")
      }
      return value
    }
    self.path = path
    language = try required("language")
    description = try required("description")
    licence = try required("licence")
    overlap = draft.overlap
    grammars = draft.grammars
    timers = draft.timers

    var clips: [String: Clip] = [:]
    for (name, text) in draft.clipTexts {
      let candidates = Self.suffixes.map { "\(path)/\(name).\($0)" }
      guard let file = candidates.first(where: { access($0, F_OK) == 0 }) else {
        throw Fault(
          "voice \(path)",
          "clip '\(name)' has no file (\(name).\(Self.suffixes.joined(separator: ", .")))")
      }
      clips[name] = Clip(path: file, text: text)
    }
    self.clips = clips
  }

  /// What clip files may be called, the first that is there counts.
  private static let suffixes = ["flac", "wav", "caf", "ogg"]
}

/// A pack's description while it is read.
private struct Draft {
  let file: INIFile
  var texts: [String: String] = [:]
  var overlap = Duration.zero
  var grammars: [HourFormat: Grammar] = [:]
  var timers = TimerGrammar()
  var clipTexts: [String: String] = [:]
  private var voiceKeys: Set<String> = []

  init(file: INIFile) {
    self.file = file
  }

  mutating func take(_ entry: INIFile.Entry) throws(Fault) {
    let place = "\(file.path):\(entry.line)"
    if let section = TimerGrammar.Section(rawValue: entry.section) {
      if let problem = timers.add(section, key: entry.key, phrase: entry.value) {
        throw Fault(place, "'\(entry.key) = \(entry.value)' \(problem)")
      }
      return
    }
    switch entry.section {
    case "voice":
      try takeVoice(entry, place)
    case "clips":
      guard clipTexts.updateValue(entry.value, forKey: entry.key) == nil else {
        throw Fault(place, "clip '\(entry.key)' is there twice")
      }
    default:
      guard entry.section.hasPrefix("clock "),
        let format = HourFormat(rawValue: String(entry.section.dropFirst("clock ".count)))
      else {
        throw Fault(
          place,
          "unknown section [\(entry.section)]; there are voice, clock 12, clock 24, left, timer, "
            + "interval, clips")
      }
      guard grammars[format, default: Grammar()].add(pattern: entry.key, phrase: entry.value)
      else {
        throw Fault(
          place,
          "'\(entry.key) = \(entry.value)' is no rule: hhmm with * for any digit, then clip names, "
            + "which may hold {hour12}, {hour24}, {minute}, {units}, {ampm}")
      }
    }
  }

  private mutating func takeVoice(_ entry: INIFile.Entry, _ place: String) throws(Fault) {
    guard voiceKeys.insert(entry.key).inserted else {
      throw Fault(place, "'\(entry.key)' is set twice")
    }
    guard !voiceKeys.isSuperset(of: ["crossfade", "gap"]) else {
      throw Fault(place, "'crossfade' and 'gap' exclude each other; keep one of them")
    }
    switch entry.key {
    case "language", "description", "licence":
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
        "unknown key '\(entry.key)'; there are language, description, licence, crossfade, gap")
    }
  }
}
