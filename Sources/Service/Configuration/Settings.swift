import Basics
import Daemon
@preconcurrency import Glibc
import Horology
import Sound

/// A key of the configuration, its value in force, and where that comes from.
public struct Setting: Sendable {
  public enum Origin: String, CaseIterable, Sendable {
    case `default`, file
    /// `settings.conf`, which the service writes.
    case settings
  }

  public private(set) var key = ""
  public private(set) var value = ""
  public private(set) var origin = Origin.default
  /// File and line of the value; nil for a default.
  public private(set) var place: String?
  public private(set) var usual: String?
  /// File and line that `settings.conf` hides.
  public private(set) var hides: String?
  private var choices: [String] = []
  /// What a value may be, where there are no choices.
  private var allowed: String?
  private var isSettable = false

  private static let fields: [Field<Self>] = [
    Field(.text("key"), \.key),
    Field(.text("value"), \.value),
    Field(.choice("origin"), \.origin),
    Field(.text("place"), \.place),
    Field(.text("usual"), \.usual),
    Field(.text("hides"), \.hides),
    Field(.texts("choices"), { $0.choices.isEmpty ? nil : $0.choices }, set: { $0.choices = $1 }),
    Field(.text("allowed"), \.allowed),
    Field(.flag("settable"), \.isSettable),
  ]

  static let list = Key<[Setting]>.records(
    "settings", \.record, { record throws(BadValue) in try Setting(record) })

  public var record: Record { Record(self, Self.fields) }

  init(_ record: Record) throws(BadValue) { try record.fill(&self, Self.fields) }

  fileprivate init(
    _ key: String, _ field: Field<Configuration>, _ configuration: Configuration
  ) {
    let (setting, written) = (configuration.settings[key], configuration.written[key])
    self.key = key
    usual = written?.text ?? field.usual
    value = setting?.text ?? usual ?? ""
    origin = setting != nil ? .settings : written != nil ? .file : .default
    place = (setting ?? written)?.place
    hides = setting != nil ? written?.place : nil
    choices = field.choices(configuration)
    allowed = choices.isEmpty ? field.fact.allowed : nil
    isSettable = field.fact.giver != .file
  }
}

// MARK: Reading settings.conf

extension Configuration {
  static let settingsFile = "settings.conf"

  /// The path of the settings that the service writes. A configuration of its own has none, unless
  /// it has a state folder of its own.
  static func settingsPath(besides path: String?) -> String? {
    let folder = stateFolder ?? (path == nil ? "/var/lib/clocksmith" : nil)
    return folder.map { "\($0)/\(settingsFile)" }
  }

  /// This configuration, overridden by the file at that path. What cannot be used is left out. A file
  /// that is missing has nothing.
  func withSettings(at path: String?) -> Configuration {
    guard let path else { return self }
    var leftOut: [LeftOut] = []
    do throws(Fault) {
      var file = try INIFile(path: path)
      while let fault = fault(of: file) {
        guard let bad = culprits(of: fault, in: file) else { break }
        let names = bad.map { Self.name(of: $0.key, in: $0.section) }
        let flaw = "\(fault); left out of settings.conf: \(names.joined(separator: ", "))"
        leftOut += zip(names, bad).map { LeftOut(key: $0, text: $1.value, flaw: flaw) }
        file.keep { !bad.contains($0) }
      }
      var configuration = try overridden(by: file)
      configuration.leftOut = leftOut
      return configuration
    } catch {
      var configuration = self
      if error.code != ENOENT {
        configuration.settingsFault = "\(error); settings.conf is left out"
      }
      return configuration
    }
  }

  /// Why this configuration cannot be used with the file; nil if it can.
  private func fault(of file: INIFile) -> Fault? {
    do throws(Fault) {
      let configuration = try overridden(by: file)
      // A voice or a tune may have been removed since.
      if file.entries.contains(where: { $0.section == "announce" }) {
        _ = try configuration.composer()
      }
      return nil
    } catch {
      return error
    }
  }

  /// - Throws: `Fault` if a value in the file cannot be used.
  private func overridden(by file: INIFile) throws(Fault) -> Configuration {
    if file.entries.isEmpty { return self }
    var configuration = self
    // First, so that no file is read that somebody in the network names.
    for entry in file.entries {
      if let flaw = Self.keys(of: entry.section)?[entry.key]?.flaw(ofSetting: entry.value) {
        let key = Self.name(of: entry.key, in: entry.section)
        throw Fault("\(file.path):\(entry.line)", "\(key) = \(entry.value.excerpt): \(flaw)")
      }
    }
    try configuration.read(file, \.settings)
    try configuration.finish()
    return configuration
  }

  /// The entries to leave out because of a fault: those of the line or the section that it names, or
  /// else one that is at odds with the owner's files. Nil if none is to blame.
  private func culprits(of fault: Fault, in file: INIFile) -> [INIFile.Entry]? {
    let isBad = { (line: Int) in "\(file.path):\(line)" == fault.operation }
    if let entry = file.entries.first(where: { isBad($0.line) }) { return [entry] }
    if let section = file.sections.first(where: { isBad($0.line) }) {
      return file.entries.filter { $0.section == section.name }
    }
    let faults = file.entries.map { entry in
      var others = file
      others.keep { $0 != entry }
      return self.fault(of: others)
    }
    let index =
      faults.firstIndex { $0 == nil }
      ?? faults.firstIndex { $0?.operation != fault.operation }
    return index.map { [file.entries[$0]] }
  }
}

// MARK: Looking

extension Configuration {
  /// Every key, with its value in force.
  public func allSettings(of wanted: String? = nil) -> [Setting] {
    var found: [Setting] = []
    let wanted = wanted.map(canonical)
    for section in Self.keys.keys.sorted() + alarmSections.names {
      for (name, field) in Self.keys(of: section)!.sorted(by: { $0.key < $1.key }) {
        let key = "\(section).\(name)"
        guard [nil, section, key].contains(wanted) else { continue }
        found.append(Setting(key, field, self))
      }
    }
    return found
  }

  /// A key as `allSettings` has it: with the name of an alarm as it stands, however it was typed.
  private func canonical(_ key: String) -> String {
    let (section, name) = Self.split(key)
    let isOfAlarm = ConfiguredAlarms.keys(of: section)?[name] != nil
    guard let typed = ConfiguredAlarms.name(of: isOfAlarm ? section : key) else { return key }
    let known = alarmSections.name(readAs: typed) ?? typed
    return isOfAlarm ? "alarm \(known).\(name)" : "alarm \(known)"
  }

  /// `announce.voice` as `announce` and `voice`; the name of an alarm may have dots.
  private static func split(_ key: String) -> (section: String, name: String) {
    guard let dot = key.lastIndex(of: ".") else { return (key, "") }
    return (String(key[..<dot]), String(key[key.index(after: dot)...]))
  }
}

// MARK: Changing

extension Configuration {
  /// `settings.conf` with another value of a key.
  /// - Parameter key: as in `announce.voice`; `alarm school` stands for all keys of that section.
  /// - Returns: the new text, and the configuration that results; nil if nothing changes.
  /// - Throws: `Fault` if that is not allowed, perhaps with a line of the file that is not written.
  func changing(
    _ key: String, to value: String?, from current: Configuration, path: String
  ) throws(Fault) -> (text: String, configuration: Configuration)? {
    let key = current.canonical(key)
    let what = (value.map { "\(key.excerpt) = \($0.excerpt)" } ?? key.excerpt).printable
    if (key + (value ?? "")).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    {
      throw Fault(what, "it has a control character, as the end of a line")
    }
    let old = current.settings.mapValues(\.text)
    var settings = old
    let (section, name) = Self.split(key)
    let field = Self.keys(of: section)?[name]
    let isAlarm = ConfiguredAlarms.name(of: key) != nil
    let isMeant = { (other: String) in other == key || isAlarm && Self.split(other).section == key }
    let leftOut = current.leftOut.filter { !isMeant($0.key) }
    if let field {
      settings[key] = value.map { field.asWritten($0) }
    } else {
      guard value == nil, isAlarm || leftOut != current.leftOut else {
        throw Fault(
          what,
          "the configuration has no such key"
            + nearest(to: key, of: allSettings().map(\.key)))
      }
      settings = settings.filter { !isMeant($0.key) }
    }
    if settings == old, leftOut == current.leftOut { return nil }
    let kept = Dictionary(leftOut.map { ($0.key, $0.text) }) { $1 }
    let text = Self.text(of: settings.merging(kept) { used, _ in used })
    let file: INIFile
    do throws(Fault) {
      file = try INIFile(Array(text.utf8), path: path)
    } catch {
      throw Fault(what, error.detail)
    }
    var used = file
    used.keep { settings[Self.name(of: $0.key, in: $0.section)] != nil }
    var configuration = try overridden(by: used)
    configuration.leftOut = leftOut
    if !leftOut.isEmpty, fault(of: file) == nil { configuration = try overridden(by: file) }
    let choices = field?.isOneOfChoices == true ? field?.choices(current) : nil
    if let value, let choices, !choices.contains(value) {
      let words = "allowed are \(choices.joined(separator: ", "))"
      throw Fault(what, "\(words); set any other in a file in /etc/clocksmith/conf.d")
    }
    return (text, configuration)
  }

  private static func text(of settings: [String: String]) -> String {
    var text = "; Written by the clock: 'clocksmith set' changes it. Do not edit it.\n"
    var last = ""
    for (key, value) in settings.sorted(by: { split($0.key) < split($1.key) }) {
      let (section, name) = split(key)
      if section != last { text += "\n[\(section)]\n" }
      text += "\(name) = \(value)\n"
      last = section
    }
    return text
  }
}
