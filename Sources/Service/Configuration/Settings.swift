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

  /// As in `announce.voice` or `alarm school.time`.
  public private(set) var key = ""
  /// As one would write it in a file.
  public private(set) var value = ""
  public private(set) var origin = Origin.default
  /// File and line of the value; nil for a default.
  public private(set) var place: String?
  /// What it would be without `settings.conf`.
  public private(set) var usual: String?
  /// File and line that `settings.conf` hides.
  public private(set) var hides: String?
  /// Every value there is; empty if they cannot be listed.
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

  /// The key of a list of them.
  static let list = Key<[Setting]>.records(
    "settings", \.record, { record throws(BadValue) in try Setting(record) })

  public var record: Record { Record(self, Self.fields) }

  init(_ record: Record) throws(BadValue) { try record.fill(&self, Self.fields) }

  fileprivate init(
    _ key: String, _ schema: SettingKey<Configuration>, _ configuration: Configuration
  ) {
    let (setting, written) = (configuration.settings[key], configuration.written[key])
    self.key = key
    usual = written?.text ?? schema.usual
    value = setting?.text ?? usual ?? ""
    origin = setting != nil ? .settings : written != nil ? .file : .default
    place = (setting ?? written)?.place
    hides = setting != nil ? written?.place : nil
    choices = schema.choices(configuration)
    allowed = choices.isEmpty ? schema.allowed : nil
    isSettable = schema.settable != .nothing
  }
}

/// Something of `settings.conf` that cannot be used.
struct SettingLeftOut: Sendable {
  /// Keys, and lines that have none, as in `line 3`. Empty if the file cannot be read.
  let parts: [String]
  let fault: Fault

  /// One sentence.
  var words: String {
    let names = parts.isEmpty ? "everything" : parts.prefix(12).joined(separator: ", ")
    let more = parts.count > 12 ? ", and \(parts.count - 12) more" : ""
    return "\(fault); left out of settings.conf: \(names)\(more)"
  }
}

// MARK: Reading settings.conf

extension Configuration {
  static let settingsFile = "settings.conf"
  /// A file with more faults is left out whole, for each of them means to read it again.
  private static let mostFaults = 20

  /// A configuration in force, and its composer.
  typealias InUse = (configuration: Configuration, composer: Composer)

  /// The path of the settings that the service writes. A configuration of its own has none, unless
  /// it has a state folder of its own.
  static func settingsPath(besides path: String?) -> String? {
    let folder = stateFolder ?? (path == nil ? "/var/lib/clocksmith" : nil)
    return folder.map { "\($0)/\(settingsFile)" }
  }

  /// What is in `settings.conf` and not used, and why: a sentence each.
  public var settingsFlaws: [String] { leftOut.map(\.words) }

  /// What `settings.conf` has. What is no line of such a file is left out.
  typealias Settings = (file: INIFile, leftOut: [SettingLeftOut])

  /// - Parameter path: nil for none. A file that is missing has nothing.
  /// - Throws: `Fault` if the file cannot be read.
  static func settings(at path: String?) throws(Fault) -> Settings {
    var bytes: [UInt8] = []
    if let path {
      do throws(Fault) {
        bytes = try readRegularFile(path)
      } catch {
        guard error.code == ENOENT else { throw error }
      }
    }
    var (file, badLines, fault) = INIFile.readable(bytes, path: path ?? settingsFile)
    // Nobody is told: the next change writes the file without them.
    _ = file.renew(oldKeys)
    let parts = badLines.map { "line \($0)" }
    return (file, fault.map { [SettingLeftOut(parts: parts, fault: $0)] } ?? [])
  }

  /// This configuration, overridden by the file at that path, with its composer if one was made. A
  /// file that cannot be read is left out.
  func withSettings(at path: String?) -> (Configuration, Composer?) {
    do throws(Fault) {
      return with(try Self.settings(at: path))
    } catch {
      var configuration = self
      configuration.leftOut = [SettingLeftOut(parts: [], fault: error)]
      return (configuration, nil)
    }
  }

  /// This configuration, overridden by `settings.conf`, with its composer if one was made. What cannot
  /// be used is left out.
  private func with(
    _ settings: Settings, after current: InUse? = nil
  ) -> (Configuration, Composer?) {
    var rest = settings.file.filter { _ in true }
    var leftOut = settings.leftOut
    while true {
      do throws(Fault) {
        var (configuration, composer) = try overridden(by: rest, after: current)
        configuration.leftOut = leftOut
        return (configuration, composer)
      } catch {
        let isRubbish = leftOut.count >= Self.mostFaults
        let bad = isRubbish ? rest.entries : culprits(of: error, in: rest)
        let parts = bad.map { Self.name(of: $0.key, in: $0.section) }
        leftOut.append(SettingLeftOut(parts: parts, fault: error))
        let lines = Set(bad.map(\.line))
        rest = rest.filter { !lines.contains($0.line) }
      }
    }
  }

  /// - Throws: `Fault` if anything in the file cannot be used.
  private func overridden(
    by file: INIFile, after current: InUse? = nil
  ) throws(Fault) -> (Configuration, Composer?) {
    if file.entries.isEmpty { return (self, nil) }
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
    // A voice or a tune may have been removed since.
    guard file.entries.contains(where: { $0.section == "announce" }) else {
      return (configuration, nil)
    }
    if let current, configuration.soundsLike(current.configuration) {
      return (configuration, current.composer)
    }
    return (configuration, try configuration.composer())
  }

  /// The entries to leave out because of a fault: the one in its line, or else those of the section
  /// that it names or that is at odds with the files, or else all.
  private func culprits(of fault: Fault, in file: INIFile) -> [INIFile.Entry] {
    let line = { (line: Int) in "\(file.path):\(line)" == fault.operation }
    if let entry = file.entries.first(where: { line($0.line) }) { return [entry] }
    let section =
      file.sections.first { line($0.line) }
      // A fault of an alarm names its section.
      ?? file.sections.first { section in
        Self.keys[section.name] != nil
          && (try? overridden(by: file.filter { $0.section != section.name })) != nil
      }
    guard let section else { return file.entries }
    return file.entries.filter { $0.section == section.name }
  }
}

// MARK: Looking

extension Configuration {
  /// Every key, with its value in force.
  /// - Parameter wanted: only this key, or the keys of this section.
  public func allSettings(of wanted: String? = nil) -> [Setting] {
    var found: [Setting] = []
    for section in Self.keys.keys.sorted() + alarmSections.names {
      for (name, schema) in Self.keys(of: section)!.sorted(by: { $0.key < $1.key }) {
        let key = "\(section).\(name)"
        guard [nil, section, key].contains(wanted) else { continue }
        found.append(Setting(key, schema, self))
      }
    }
    return found
  }

  /// The text of the value in force; nil for a key of an alarm that there is not.
  func value(of key: String) -> String? {
    let (section, name) = Self.split(key)
    guard let schema = Self.keys(of: section)?[name],
      Self.keys[section] != nil || alarmSections.names.contains(section)
    else { return nil }
    return settings[key]?.text ?? written[key]?.text ?? schema.usual
  }

  /// `announce.voice` as `announce` and `voice`; the name of an alarm may have dots.
  private static func split(_ key: String) -> (section: String, name: String) {
    guard let dot = key.lastIndex(of: ".") else { return (key, "") }
    return (String(key[..<dot]), String(key[key.index(after: dot)...]))
  }
}

// MARK: Changing

/// A change of `settings.conf` that is not allowed: why, in the words of `check`.
struct SettingFlaw: Error {
  let words: String
}

extension Configuration {
  /// `settings.conf` with another value of a key.
  /// - Parameters:
  ///   - settings: as the file is now; `current` is this configuration with it as it was read last.
  ///   - key: as in `announce.voice`; `alarm school` stands for all keys of that section.
  ///   - value: nil to take it back.
  /// - Returns: the new text, and the configuration that results, with its composer if one was made;
  ///   nil if nothing changes.
  func changing(
    _ settings: Settings, from current: InUse, _ key: String, to value: String?
  ) throws(SettingFlaw) -> (text: String, configuration: Configuration, composer: Composer?)? {
    let what = (value.map { "\(key.excerpt) = \($0.excerpt)" } ?? key.excerpt).printable
    if (key + (value ?? "")).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    {
      throw SettingFlaw(words: "\(what): it has a control character, as the end of a line")
    }
    var (section, name): (String, String?) = Self.split(key)
    if let schema = Self.keys(of: section)?[name!] {
      let choices = schema.settable == .choices ? schema.choices(current.configuration) : nil
      if let value, let choices, !choices.contains(value) {
        let words = "\(what): allowed are \(choices.joined(separator: ", "))"
        throw SettingFlaw(words: "\(words); set any other in a file in /etc/clocksmith/conf.d")
      }
    } else {
      guard value == nil, ConfiguredAlarms.name(of: key) != nil else {
        throw SettingFlaw(words: "\(what): the configuration has no such key")
      }
      (section, name) = (key, nil)
    }
    let text = settings.file.text(setting: section, name, to: value)
    let file: INIFile
    do throws(Fault) {
      file = try INIFile(Array(text.utf8), path: settings.file.path)
    } catch {
      throw SettingFlaw(words: "\(what): \(error.detail)")
    }
    let (configuration, composer) = with((file, settings.leftOut), after: current)
    if !configuration.leftOut.isEmpty {
      // What is left out without this change is no reason to refuse it.
      let flaws = with(settings, after: current).0.leftOut
      let before = Set(flaws.flatMap(\.parts)).subtracting([key])
      if let flaw = configuration.leftOut.first(where: { !before.isSuperset(of: $0.parts) }) {
        let isOfFile = flaw.fault.operation.hasPrefix("\(file.path):")
        throw SettingFlaw(words: isOfFile ? flaw.fault.detail : flaw.fault.description)
      }
    }
    if let name, let value {
      try configuration.checkTune(name, value, of: what)
    }
    let old = settings.file.entries.last {
      $0.section == section && (name == nil || $0.key == name)
    }
    // What a person has edited since is not in force yet.
    let isInForce =
      configuration.settings.mapValues(\.text)
      == current.configuration.settings.mapValues(\.text)
    return old?.value == value && isInForce ? nil : (text, configuration, composer)
  }

  /// An alarm of a file may have a tune that is missing; nobody sets one.
  private func checkTune(_ name: String, _ value: String, of what: String) throws(SettingFlaw) {
    var configuration = self
    guard name == "tune", let flaw = Self.keys["announce"]!["chime"]!.take(&configuration, value)
    else { return }
    throw SettingFlaw(words: "\(what): \(flaw)")
  }
}

extension INIFile {
  /// The text of this file with another value of a key.
  /// - Parameters:
  ///   - key: nil for every key of the section.
  ///   - value: nil to leave the key out.
  fileprivate func text(setting section: String, _ key: String?, to value: String?) -> String {
    var sections: [(name: String, lines: [String])] = []
    func add(_ line: String, to section: String) {
      if let index = sections.firstIndex(where: { $0.name == section }) {
        sections[index].lines.append(line)
      } else {
        sections.append((section, [line]))
      }
    }
    for entry in entries where entry.section != section || (key != nil && entry.key != key) {
      add("\(entry.key) = \(entry.value)", to: entry.section)
    }
    if let key, let value { add("\(key) = \(value)", to: section) }
    let head = "; Written by the clock: 'clocksmith set' changes it. Do not edit it.\n"
    return head
      + sections.map { "\n[\($0.name)]\n\($0.lines.joined(separator: "\n"))\n" }.joined()
  }
}
