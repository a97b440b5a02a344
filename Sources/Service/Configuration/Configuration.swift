import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Sound

public struct Configuration: Sendable {
  public var announcer = AnnouncerSettings()
  public var wording = Wording.twelve
  public var voice = "heart"
  public var device = "default"
  /// In dB, at most 0.
  public var volume = 0.0
  /// By how much the words are louder than their clips, in dB.
  public var voiceVolume = 0.0
  /// By how much the blows are louder than their bells, in dB.
  public var bellsVolume = 0.0
  /// A volume control of the card that is set to `volume`; nil if the samples are scaled instead.
  public var mixer: String?
  public var keepOpen: Duration? = .zero
  public var switchInput = LineSettings(active: .low)
  public var button = LineSettings(active: .low)
  public var led = LineSettings(active: .high)
  public var rtc = RTCChoice.auto
  /// How far off a clock may be that is in holdover; nil for any error.
  public var greatestError: Duration? = ClockJudge.defaultGreatestError

  /// The zone of the clock; nil for that of the system.
  public var zone: String?

  var alarmSections = ConfiguredAlarms()

  public private(set) var files: [String] = []
  struct Written {
    let text: String
    /// File and line.
    let place: String
  }

  /// What the owner's files have of each key, by `section.key`.
  var written: [String: Written] = [:]
  /// The same of `settings.conf`, which overrides them.
  var settings: [String: Written] = [:]
  /// An entry of `settings.conf` that cannot be used, and why. It stays there until it is taken back.
  struct LeftOut: Hashable {
    let key: String
    let text: String
    let flaw: String
  }
  var leftOut: [LeftOut] = []
  /// Why `settings.conf` is not used at all; nil if it is.
  var settingsFault: String?
  /// What is in `settings.conf` and not used, and why: a sentence each.
  public var settingsFlaws: [String] {
    leftOut.reduce(into: settingsFault.map { [$0] } ?? []) { flaws, entry in
      if !flaws.contains(entry.flaw) { flaws.append(entry.flaw) }
    }
  }
  /// What the zone of the owner's files is called today, if they have an old name: a sentence each.
  public private(set) var outdated: [String] = []

  /// The lines of the owner's files that have no effect, and why: a sentence each.
  public private(set) var hidden: [String] = []

  private static let defaultChime = "westminster"

  public init() {}

  /// Reads only `path`, or else the files in /etc, if there are any, and then `settings.conf`.
  /// - Throws: `Fault` with file and line for what is not allowed or cannot be read in the first.
  public static func load(path: String?) throws(Fault) -> Configuration {
    try ofFiles(path: path).withSettings(at: settingsPath(besides: path))
  }

  /// The files in /etc and `settings.conf`, with this one in place of what is there, or beside it.
  public static func load(with file: INIFile) throws(Fault) -> Configuration {
    try ofFiles(path: nil, with: file).withSettings(at: settingsPath(besides: nil))
  }

  static func ofFiles(path: String?, with other: INIFile? = nil) throws(Fault) -> Configuration {
    var configuration = Configuration()
    if let path {
      try configuration.read(INIFile(path: path), \.written)
    } else {
      do throws(Fault) {
        for path in try ConfigurationFiles.all(with: other?.path) {
          let isOther = path == other?.path
          try configuration.read(isOther ? other! : INIFile(path: path), \.written)
        }
      } catch {
        throw ConfigurationFiles.withRemedy(error)
      }
    }
    if configuration.written["announce.chime"] == nil {
      configuration.announcer.chime = try Sounds.tune(defaultChime)
    }
    try configuration.finish()
    return configuration
  }

  mutating func finish() throws(Fault) {
    announcer.alarms = try alarmSections.plans()
    try checkLines()
  }

  /// The lines of the alarms, sorted. Several alarms may have the same.
  var lights: [String] { Set(announcer.alarms.compactMap(\.light)).sorted() }

  /// - Throws: `Fault` unless the switch, the button, the lamp and each alarm have lines of their own.
  private func checkLines() throws(Fault) {
    var uses = [("switch", "line", switchInput.line), ("button", "line", button.line)]
    uses.append(("led", "line", led.line))
    for light in lights {
      let alarm = announcer.alarms.first { $0.light == light }
      uses.append(("alarm \(alarm?.name ?? "")", "light", light))
    }
    var sections: [String: String] = [:]
    for case (let section, let key, let text?) in uses {
      let line = GPIOMap.shortName(text)
      guard let other = sections.updateValue(section, forKey: line) else { continue }
      throw Fault(
        place(of: "\(section).\(key)") ?? section,
        "\(key) = \(line): [\(other)] and [\(section)] cannot have the same line; set another, or "
          + "none, for one of them")
    }
  }

  /// - Throws: `Fault`, with the file and line that name the voice, if it cannot be used.
  func voicePack() throws(Fault) -> VoicePack {
    do throws(Fault) {
      return try Sounds.voice(voice)
    } catch {
      guard let place = place(of: "announce.voice") else { throw error }
      throw Fault(place, code: error.code, error.description)
    }
  }

  /// File and line of the first of these keys that is set.
  public func place(of keys: String...) -> String? {
    keys.lazy.compactMap { (self.settings[$0] ?? self.written[$0])?.place }.first
  }

  mutating func read(
    _ file: INIFile, _ layer: WritableKeyPath<Configuration, [String: Written]>
  ) throws(Fault) {
    for section in file.sections { try alarmSections.begin(section, in: file.path) }
    let sections = Self.keys.keys.sorted().joined(separator: ", ") + ", and alarm NAME"
    _ = try file.fill(&self, sections: sections) { Self.keys(of: $0)?.mapValues(\.take) }
    for entry in file.entries {
      let name = Self.name(of: entry.key, in: entry.section)
      let place = "\(file.path):\(entry.line)"
      let text = Self.keys(of: entry.section)?[entry.key]?.asWritten(entry.value) ?? entry.value
      if name == "clock.zone", text != entry.value, layer == \.written {
        outdated.append(
          "\(place): the zone \(entry.value.excerpt) is now called \(text); write that")
      }
      let written = Written(text: text, place: place)
      if let old = self[keyPath: layer].updateValue(written, forKey: name) {
        hidden.append(
          "\(old.place): \(name) = \(old.text) has no effect: \(place) overrides it")
      }
    }
    files.append(file.path)
  }

  static func keys(of section: String) -> [String: Field<Configuration>]? {
    keys[section] ?? ConfiguredAlarms.keys(of: section)
  }

  /// As in `announce.voice` or `alarm school.time`.
  static func name(of key: String, in section: String) -> String {
    "\(ConfiguredAlarms.name(of: section).map { "alarm \($0)" } ?? section).\(key)"
  }
}

// MARK: Keys

extension Configuration {
  static let keys = sections.mapValues { fields in
    Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0) })
  }

  private static var sections: [String: [Field<Configuration>]] {
    [
      "announce": [
        Field(
          .parsed(
            "interval", allowed: "minutes that divide 60: \(minutes.joined(separator: ", "))",
            as: { "\($0.minutes)" }, { Int($0).flatMap { Interval(minutes: $0) } }),
          \.announcer.interval
        ).among { _ in minutes },
        tune("chime", \.announcer.chime, usual: defaultChime),
        tune("chime_quarters", \.announcer.chimeQuarters, usual: "none"),
        Field(
          .text("voice", allowed: "the name of a voice, or the full path of its folder").typed {
            if let flaw = RelativePath($0) { throw flaw }
            return $0.isEmpty ? nil : $0
          }, \.voice
        ).among { _ in Sounds.voiceNames() },
        choice("voice_at_hour", \.announcer.voiceAtHour),
        choice("clock", \.wording.format),
        Field(
          .text("style", allowed: "the name of a style that the voice has") { !$0.isEmpty },
          \.wording.style
        ).among { (try? $0.voicePack())?.styles($0.wording.format) ?? [] },
        flag("say_it_is", \.wording.opens),
        Field(
          times("quiet", as: "22:00-07:00", \.text, { try QuietHours(text: $0) }),
          \.announcer.quiet
        ).rewritten,
        choice("at_start", \.announcer.atStart),
        choice("at_stop", \.announcer.atStop),
      ],
      "speaker": [
        // Of ALSA: a slash in it means no folder.
        Field(
          .text("device", allowed: "the name of an ALSA device; aplay -L lists them") {
            !$0.isEmpty
          }, \.device
        ).given(by: .file),
        duration("delay", \.announcer.latencyOffset, from: .seconds(-5), to: .seconds(5)),
        optional("mixer", \.mixer, "none, or a control; clocksmith check lists them")
          .given(by: .file),
        duration("lead_in", \.announcer.leadIn, from: .zero, to: .seconds(4)),
        Field(
          .parsed(
            "keep_open", allowed: "always, or how long after an announcement, as in 0s or 10min",
            as: { $0?.asWritten ?? "always" },
            { value in
              if value == "always" { return .some(nil) }
              guard let length = Duration(text: value), length >= .zero else { return nil }
              return length
            }), \.keepOpen),
        decibels("volume", \.volume, to: 0),
        decibels("voice_volume", \.voiceVolume, to: 12),
        decibels("bells_volume", \.bellsVolume, to: 12),
        Field(
          times("quieter", as: "22:00-07:00 -12dB", \.text) { try VolumeRules(text: $0) },
          \.announcer.quieter
        ).rewritten,
      ],
      "switch": [
        optional("line", \.switchInput.line, aLine).oneOf { lines($0.switchInput.line) },
        choice("active", \.switchInput.active),
        choice("when_lost", \.announcer.whenLost),
        choice("silences", \.announcer.silences),
      ],
      "button": [
        optional("line", \.button.line, aLine).oneOf { lines($0.button.line) },
        choice("active", \.button.active),
      ],
      "timers": [
        duration("ring_limit", \.announcer.ringLimit, from: .seconds(10), to: .seconds(3600)),
        Field(
          .parsed(
            "tell_left", allowed: "none, or half, minute, or both, as in half, minute",
            as: { $0.isEmpty ? "none" : $0.map(\.rawValue).sorted().joined(separator: ", ") },
            { value in
              let words =
                value == "none"
                ? [] : value.split(separator: ",", omittingEmptySubsequences: false)
              let moments = words.map { word in
                TellsLeft(rawValue: word.split(separator: " ").joined(separator: " "))
              }
              return value.isEmpty || moments.contains(nil) ? nil : Set(moments.compactMap { $0 })
            }), \.announcer.tellsLeft),
        flag("say_phases", \.announcer.saysPhases),
      ],
      "led": [
        optional("line", \.led.line, aLine).given(by: .file),
        choice("active", \.led.active).given(by: .file),
      ],
      "clock": [
        Field(
          .parsed(
            "rtc", allowed: "auto, none, or the name of an RTC, as in ds3231 or rtc0",
            as: { if case .named(let name) = $0 { name } else { $0 == .auto ? "auto" : "none" } },
            RTCChoice.init), \.rtc),
        Field(
          .parsed("greatest_error", allowed: "2s to 3600s, as in 30s or 5min", as: \.asWritten) {
            // An RTC is right to a second or two at best.
            guard let error = Duration(text: $0), .seconds(2) ... .seconds(3600) ~= error else {
              return nil
            }
            return error
          }, orNone: \.greatestError),
        choice("untrusted", \.announcer.untrusted),
        Field(
          zone, { $0.zone ?? ($0.announcer.hasZone ? "none" : "unset") },
          set: {
            $0.zone = ["none", "unset"].contains($1) ? nil : $1
            $0.announcer.hasZone = $1 != "unset"
          }
        ).rewritten,
      ],
    ]
  }

  private static let minutes = (1...60).filter { Interval(minutes: $0) != nil }.map(String.init)

  private static let zone = Key<String>.parsed(
    "zone", allowed: "none, unset, or a zone of the tz database, as Europe/London", as: \.self
  ) { name in
    do throws(Fault) {
      return ["none", "unset"].contains(name) ? name : try SystemZone.current(name: name)
    } catch {
      throw TextFlaw(description: error.detail)
    }
  }

  private typealias Path<Meaning> = Field<Configuration>.Path<Meaning>

  private static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: Path<Choice>
  ) -> Field<Configuration> {
    Field(.choice(name), path).among { _ in Choice.allCases.map(\.rawValue) }
  }

  private static func flag(_ name: String, _ path: Path<Bool>) -> Field<Configuration> {
    let key = Key<Bool>.parsed(name, allowed: "no, yes", as: { $0 ? "yes" : "no" }, \.isYes)
    return Field(key, path).among { _ in ["no", "yes"] }.rewritten
  }

  private static func times<Times>(
    _ name: String, as example: String, _ text: @escaping @Sendable (Times) -> String,
    _ read: @escaping @Sendable (String) throws -> Times
  ) -> Key<Times> {
    .parsed(name, allowed: "none, or times of day, as in \(example)", as: text) {
      $0.isEmpty ? nil : try read($0)
    }
  }

  /// - Parameter usual: the tune without a line. It is read once it is known that there is none.
  private static func tune(
    _ name: String, _ path: Path<Tune?>, usual: String
  ) -> Field<Configuration> {
    let key = Key<Tune?>.parsed(
      name, allowed: "none, a tune's name, or the full path of its file",
      as: { $0?.name ?? usual },
      { value in
        if let flaw = RelativePath(value) { throw flaw }
        return .some(value == "none" ? nil : try Sounds.tune(value))
      })
    return Field(key, path).among { _ in ["none"] + Sounds.tuneNames() }
  }

  /// None, the one in force, and the free lines of the header. To take another could end its second
  /// function, as I2C.
  private static func lines(_ own: String?) -> [String] {
    let free = (try? GPIOMap.current())?.freeHeaderLines ?? []
    return ["none"] + (own.map { free.contains($0) ? [] : [$0] } ?? []) + free
  }

  private static let aLine = "none, a line's name (GPIO17), or chip-label:offset (pinctrl-rp1:17)"

  private static func optional(
    _ name: String, _ path: Path<String?>, _ allowed: String
  ) -> Field<Configuration> {
    let key = Key<String?>.parsed(
      name, allowed: allowed, as: { $0 ?? "none" },
      { $0.isEmpty ? nil : .some($0 == "none" ? nil : $0) })
    return Field(key, path)
  }

  private static func duration(
    _ name: String, _ path: Path<Duration>, from least: Duration, to most: Duration
  ) -> Field<Configuration> {
    let bounds = [least, most].map { "\($0.nanoseconds / 1_000_000_000)s" }
    let allowed =
      "\(bounds.joined(separator: " to ")), with its unit, as in 300ms, 20s or 5min"
    let key = Key<Duration>.parsed(name, allowed: allowed, as: \.asWritten) { text in
      Duration(text: text).flatMap { least <= $0 && $0 <= most ? $0 : nil }
    }
    return Field(key, path)
  }

  private static func decibels(
    _ name: String, _ path: Path<Double>, to most: Int
  ) -> Field<Configuration> {
    let key = Key<Double>.parsed(
      name, allowed: "-60dB to \(most)dB, with its unit, as -6dB", as: Decibels.text
    ) { Decibels(level: $0, to: Double(most))?.value }
    return Field(key, path).rewritten
  }
}

extension Field<Configuration> {
  /// What it is without a line; nil if it needs one.
  var usual: String? { fact.isRequired ? nil : value(Configuration())?.text ?? "none" }

  /// A text as it is shown and saved.
  func asWritten(_ text: String) -> String {
    guard isRewritten else { return text }
    var configuration = Configuration()
    guard (try? parse(&configuration, text)) == true else { return text }
    return value(configuration)?.text ?? text
  }

  /// Why `settings.conf` cannot have it, or not this value of it; nil if it can. With it anybody whom
  /// the relay lets in can set it: no file is read that somebody in the network names.
  func flaw(ofSetting value: String) -> String? {
    let isOfFile = fact.giver == .file
    guard isOfFile || value.hasPrefix("/") else { return nil }
    let what =
      isOfFile
      ? "it depends on how the clock is built; set it" : "the path of a file can only be set"
    return "\(what) in a file in /etc/clocksmith/conf.d"
  }
}

public struct LineSettings: Hashable, Sendable {
  public var line: String?
  public var active: ActiveLevel
}

extension Configuration {
  func hasSameControls(as other: Configuration) -> Bool {
    (switchInput, button, led, lights)
      == (other.switchInput, other.button, other.led, other.lights)
  }

  /// True if a person can silence the clock at any moment, with the switch or the button.
  var hasControls: Bool { switchInput.line != nil || button.line != nil }

  /// That the clock has no zone, and what to do; nil if it has one.
  public var flawOfZone: String? {
    announcer.hasZone
      ? nil
      : "the clock has no zone, so no time is said and no alarm rings; set it, as in "
        + "'clocksmith set clock.zone Europe/London'"
  }
}
