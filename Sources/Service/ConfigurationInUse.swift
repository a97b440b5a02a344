import Basics
import Daemon
import Horology
import Sound

/// The configuration that the service goes by, the composer that it asks for, and the tunes of the
/// alarms. They change together.
struct ConfigurationInUse {
  private(set) var configuration: Configuration
  private(set) var composer: Composer
  /// Why the files as they are now are not used; nil if they are.
  private(set) var fileFlaw: String?

  private let options: Clocksmith.Options
  /// The configuration without `settings.conf`.
  private let files: Configuration
  /// The tunes of the alarms by name, or what is wrong with them.
  private var tunes: [String: Result<Tune, Fault>] = [:]

  /// Reads the files and the voice.
  init(_ options: Clocksmith.Options) throws(Fault) {
    self.options = options
    files = try Configuration.ofFiles(path: options.configurationPath)
    configuration = files.withSettings(at: options.settingsPath)
    if let untrusted = options.untrusted { configuration.announcer.untrusted = untrusted }
    composer = try configuration.composer()
    configuration.announcer.setVoice(composer.voice)
  }

  /// Stays as it is, because the files cannot be used.
  /// - Returns: a sentence that says so.
  mutating func keep(despite fault: Fault) -> String {
    let flaw = "the configuration stays as it was: \(fault)"
    fileFlaw = flaw
    return flaw
  }

  /// This with another value of a key, and the text of `settings.conf` for it; nil if nothing changes.
  /// - Parameter path: of `settings.conf`.
  /// - Throws: `Fault` if that is not allowed, perhaps with a line of the file that is not written.
  func changing(
    _ key: String, to value: String?, path: String
  ) throws(Fault) -> (text: String, inUse: ConfigurationInUse)? {
    let change = try files.changing(key, to: value, from: configuration, path: path)
    guard let (text, configuration) = change else { return nil }
    var new = self
    new.configuration = configuration
    if let untrusted = options.untrusted { new.configuration.announcer.untrusted = untrusted }
    // A new composer takes its time, and something may sound.
    if configuration.soundsLike(self.configuration) {
      new.configuration.announcer.setVoice(of: self.configuration.announcer)
    } else {
      new.composer = try configuration.composer()
      new.configuration.announcer.setVoice(new.composer.voice)
    }
    return (text, new)
  }

  // MARK: The tunes of the alarms

  /// - Throws: `Fault` if one of its bells is missing.
  mutating func add(_ tune: Tune) throws(Fault) {
    try composer.add(tune)
    tunes[tune.name] = .success(tune)
  }

  /// Looks for the tunes anew. Without its tune or a bell, an alarm rings with the signal.
  mutating func findTunes(of alarms: [AlarmPlan]) {
    tunes = [:]
    for tune in alarms.compactMap(\.tune) {
      tunes[tune.name] = Result { () throws(Fault) in
        let found = tune.isMissing ? try Sounds.tune(tune.name) : tune
        try composer.add(found)
        return found
      }
    }
  }

  /// Nil if the alarm has none.
  func tune(of alarm: Reminder) -> Result<Tune, Fault>? {
    alarm.alarm?.tune.flatMap { tunes[$0.name] }
  }

  /// - Returns: false if that is known.
  mutating func lacks(_ tune: Tune, _ fault: Fault) -> Bool {
    if case .failure? = tunes.updateValue(.failure(fault), forKey: tune.name) { return false }
    return true
  }
}

extension Configuration {
  func notices(of before: Configuration) -> [Notice] {
    Set(before.settings.keys).union(settings.keys).sorted().compactMap { key in
      let (old, new) = (before.allSettings(of: key).first?.value, allSettings(of: key).first?.value)
      if old == new { return nil }
      let now = new.map { "is now \($0)" } ?? "is not set any more"
      return Notice(
        .setting, .notice, "\(key) \(now) (was \(old ?? "not set"))",
        ["KEY": key, "VALUE": new, "BEFORE": old])
    }
  }

  var noticesOfOutdated: [Notice] { outdated.map { Notice(.keyOutdated, .notice, $0) } }
}
