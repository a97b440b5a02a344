import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Playing
import Sound

public struct Configuration: Sendable {
  public var announcer = AnnouncerSettings()
  public var wording = Wording.twelve
  /// The name of a voice, or the path of its folder.
  public var voice = "heart"
  /// A PCM name of ALSA.
  public var device = "default"
  /// How much later than the converter the sound comes out of the speaker.
  public var latencyOffset: Duration {
    get { announcer.latencyOffset }
    set { announcer.latencyOffset = newValue }
  }
  /// In dB, at most 0.
  public var volume = 0.0
  /// By how much the words are louder than their clips, in dB.
  public var voiceVolume = 0.0
  /// By how much the blows are louder than their bells, in dB.
  public var bellsVolume = 0.0
  /// A volume control of the card that is set to `volume`; nil if the samples are scaled instead.
  public var mixer: String?
  public var keepOpen = KeepOpen.lasting(.zero)
  public var switchInput = InputSettings()
  public var button = InputSettings()
  public var buttonHold = Duration.seconds(1)
  public var led = OutputSettings()
  /// The real-time clock that may vouch for the system's.
  public var rtc = RTCChoice.auto
  /// How far off a clock may be that is in holdover; nil for any error.
  public var greatestError: Duration? = ClockJudge.defaultGreatestError

  var alarmSections = ConfiguredAlarms()

  public private(set) var files: [String] = []
  /// File and line of the value in force for each key, by `section.key`.
  private var places: [String: String] = [:]

  /// The tune at the hour, unless a file sets `chime`.
  private static let defaultChime = "westminster"

  public init() {}

  /// Reads only `path`, or else the files in /etc, if there are any. A later file overrides an
  /// earlier one.
  /// - Throws: `Fault` with file and line for anything that is unknown or not allowed, and for a
  ///   file that exists but cannot be read.
  public static func load(path: String?) throws(Fault) -> Configuration {
    var configuration = Configuration()
    if let path {
      try configuration.read(path)
    } else {
      for file in try ConfigurationFiles.all() {
        do throws(Fault) {
          try configuration.read(file)
        } catch {
          throw ConfigurationFiles.withRemedy(error)
        }
      }
    }
    if configuration.places["announce.chime"] == nil {
      configuration.announcer.chime = try Sounds.tune(defaultChime)
    }
    try configuration.checkLines()
    configuration.announcer.alarms = try configuration.alarmSections.plans()
    return configuration
  }

  private func checkLines() throws(Fault) {
    var owners: [String: String] = [:]
    for (owner, line) in [
      ("switch", switchInput.line), ("button", button.line), ("led", led.line),
    ] {
      guard let line else { continue }
      if let other = owners.updateValue(owner, forKey: line) {
        throw Fault(
          places["\(owner).line"] ?? "",
          "line = \(line): [\(owner)] cannot have it, for [\(other)] has it "
            + "(\(places["\(other).line"] ?? "")); take another line for one of them")
      }
    }
  }

  /// - Throws: `Fault`, with the file and line that name the voice, if it cannot be used.
  func voicePack() throws(Fault) -> VoicePack {
    do throws(Fault) {
      return try Sounds.voice(voice)
    } catch {
      guard let place = places["announce.voice"] else { throw error }
      throw Fault(place, code: error.code, error.description)
    }
  }

  /// File and line of the first of these keys of [announce] that is set.
  func place(of keys: String...) -> String? {
    keys.lazy.compactMap { self.places["announce.\($0)"] }.first
  }

  private mutating func read(_ path: String) throws(Fault) {
    let file = try INIFile(path: path)
    for section in file.sections { try alarmSections.begin(section, in: path) }
    let sections = Self.keys.keys.sorted().joined(separator: ", ") + ", and alarm NAME"
    let found = try file.fill(&self, sections: sections) {
      Self.keys[$0] ?? ConfiguredAlarms.keys(of: $0)
    }
    places.merge(found) { $1 }
    files.append(path)
  }
}

// MARK: Keys

extension Configuration {
  /// Takes a value, or returns what is allowed instead.
  typealias Key = INIKey<Configuration>

  private static let keys: [String: [String: Key]] = [
    "announce": [
      "interval": parsed(
        \.announcer.interval,
        "allowed are minutes that divide 60: 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60"
      ) {
        Int($0).flatMap { Interval(minutes: $0) }
      },
      "chime": tune(\.announcer.chime),
      "chime_quarters": tune(\.announcer.chimeQuarters),
      "voice": { configuration, value in
        if let flaw = FullPath.flaw(of: value) { return flaw }
        return text(\.voice, "the name of a voice, or the full path of its folder")(
          &configuration, value)
      },
      "voice_at_hour": choice(\.announcer.voiceAtHour),
      "clock": choice(\.wording.format),
      "style": text(\.wording.style, "the name of a style that the voice has"),
      "say_it_is": flag(\.wording.opens),
      "quiet": times(\.announcer.quiet, as: "22:00-07:00") { value throws(TimesError) in
        try QuietHours(text: value)
      },
      "at_start": choice(\.announcer.atStart),
      "at_stop": choice(\.announcer.atStop),
      "late_limit": duration(\.announcer.lateLimit, from: .zero, to: .seconds(59)),
    ],
    "speaker": [
      "device": text(\.device, "the name of an ALSA device; aplay -L lists them"),
      "latency_offset": duration(\.latencyOffset, from: .seconds(-5), to: .seconds(5)),
      "mixer": optional(\.mixer, "none, or a control; clocksmith check lists them"),
      "lead_in": duration(\.announcer.leadIn, from: .zero, to: .seconds(4)),
      "keep_open": parsed(
        \.keepOpen, "allowed: always, or how long after an announcement, as in 0s or 10min"
      ) { value in
        if value == "always" { return .always }
        return Duration(text: value).flatMap { $0 >= .zero ? .lasting($0) : nil }
      },
      "volume": decibels(\.volume, to: 0),
      "voice_volume": decibels(\.voiceVolume, to: 12),
      "bells_volume": decibels(\.bellsVolume, to: 12),
      "quieter": times(\.announcer.quieter, as: "22:00-07:00 -12dB") { value throws(TimesError) in
        try VolumeRules(text: value)
      },
    ],
    "switch": [
      "line": optional(\.switchInput.line, aLine),
      "active": choice(\.switchInput.active),
      "debounce": duration(\.switchInput.debounce, from: .zero, to: .seconds(1)),
      "when_lost": choice(\.announcer.whenLost),
      "silences": choice(\.announcer.silences),
    ],
    "button": [
      "line": optional(\.button.line, aLine),
      "active": choice(\.button.active),
      "debounce": duration(\.button.debounce, from: .zero, to: .seconds(1)),
      "hold": duration(\.buttonHold, from: .zero, to: .seconds(10)),
    ],
    "timers": [
      "ring_limit": duration(\.announcer.ringLimit, from: .seconds(10), to: .seconds(3600)),
      "tell_left": parsed(
        \.announcer.tellsLeft, "allowed: none, or half, minute, or both, as in half, minute"
      ) { value in
        let words =
          value == "none" ? [] : value.split(separator: ",", omittingEmptySubsequences: false)
        let moments = words.map { word in
          TellsLeft(rawValue: word.split(separator: " ").joined(separator: " "))
        }
        return value.isEmpty || moments.contains(nil) ? nil : Set(moments.compactMap { $0 })
      },
      "say_phases": flag(\.announcer.saysPhases),
    ],
    "led": [
      "line": optional(\.led.line, aLine),
      "active": choice(\.led.active),
    ],
    "clock": [
      "rtc": parsed(
        \.rtc, "allowed: auto, none, or the name of an RTC, as in ds3231 or rtc0",
        RTCChoice.init),
      "greatest_error": parsed(
        \.greatestError, "allowed: none, or 2s to 3600s, as in 30s or 5min"
      ) { value in
        if value == "none" { return .some(nil) }
        // An RTC is right to a second or two at best.
        guard let error = Duration(text: value), .seconds(2) ... .seconds(3600) ~= error else {
          return nil
        }
        return error
      },
      "untrusted": choice(\.announcer.untrusted),
      "zone": parsed(\.announcer.hasZone, "allowed: none, unset") {
        ["none": true, "unset": false][$0]
      },
    ],
  ]

  /// Key paths of value types to value types are constants; the compiler does not know that they
  /// may be shared.
  private typealias Field<Value> = WritableKeyPath<Configuration, Value> & Sendable

  /// - Parameters:
  ///   - allowed: what to say of a value that is not allowed.
  ///   - read: nil for a value that is not allowed.
  private static func parsed<Value>(
    _ field: Field<Value>, _ allowed: String, _ read: @escaping @Sendable (String) -> Value?
  ) -> Key {
    { configuration, text in
      guard let value = read(text) else { return allowed }
      configuration[keyPath: field] = value
      return nil
    }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ field: Field<Choice>
  ) -> Key {
    let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return parsed(field, "allowed: \(choices)") { Choice(rawValue: $0) }
  }

  private static func flag(_ field: Field<Bool>) -> Key {
    parsed(field, "allowed: no, yes") { ["no": false, "yes": true][$0] }
  }

  private static func text(_ field: Field<String>, _ allowed: String) -> Key {
    parsed(field, "allowed: \(allowed)") { $0.isEmpty ? nil : $0 }
  }

  private static func times<Times>(
    _ field: Field<Times>, as example: String,
    _ read: @escaping @Sendable (String) throws(TimesError) -> Times
  ) -> Key {
    { configuration, value in
      guard !value.isEmpty else { return "allowed: none, or times of day, as in \(example)" }
      do throws(TimesError) {
        configuration[keyPath: field] = try read(value)
        return nil
      } catch {
        return error.description
      }
    }
  }

  private static func tune(_ field: Field<Tune?>) -> Key {
    { configuration, value in
      if let flaw = FullPath.flaw(of: value) { return flaw }
      do throws(Fault) {
        configuration[keyPath: field] = value == "none" ? nil : try Sounds.tune(value)
        return nil
      } catch {
        return error.description
      }
    }
  }

  private static let aLine = "none, a line's name (GPIO17), or chip-label:offset (pinctrl-rp1:17)"

  private static func optional(_ field: Field<String?>, _ allowed: String) -> Key {
    parsed(field, "allowed: \(allowed)") {
      $0.isEmpty ? nil : .some($0 == "none" ? nil : $0)
    }
  }

  private static func duration(
    _ field: Field<Duration>, from least: Duration, to most: Duration
  ) -> Key {
    @Sendable func allowed(_ text: String) -> Duration? {
      Duration(text: text).flatMap { least <= $0 && $0 <= most ? $0 : nil }
    }
    let examples = ["30ms", "2s", "10s", "5min"].filter { allowed($0) != nil }.prefix(2)
    return parsed(
      field,
      "allowed: \(least.nanoseconds / 1_000_000_000)s to \(most.nanoseconds / 1_000_000_000)s, as in "
        + examples.joined(separator: " or "), allowed)
  }

  private static func decibels(_ field: Field<Double>, to most: Int) -> Key {
    parsed(field, "allowed: -60dB to \(most)dB, with its unit, as -6dB") {
      Decibels(text: $0, to: Double(most))?.value
    }
  }
}

public struct InputSettings: Hashable, Sendable {
  /// By name or as `chip-label:offset`; nil if there is none.
  public var line: String?
  public var active = ActiveLevel.low
  /// How long the line must stay inactive without a break before that counts.
  public var debounce = Duration.milliseconds(30)
}

public struct OutputSettings: Hashable, Sendable {
  /// By name or as `chip-label:offset`; nil if there is none.
  public var line: String?
  public var active = ActiveLevel.high
}

extension Configuration {
  /// True if a person can silence the clock at any moment, with the switch or the button.
  var hasControls: Bool { switchInput.line != nil || button.line != nil }
}

/// The path of a voice or a tune in the configuration. It must mean the same in each folder: the
/// service runs in another one than `check` does.
public enum FullPath {
  /// Why a value is not the same everywhere, with the remedy; nil for a full path, and for a name.
  public static func flaw(of value: String) -> String? {
    guard value.contains("/"), !value.hasPrefix("/") else { return nil }
    return "this path depends on the folder in which the clock starts; write the full path, which "
      + "begins with /"
  }
}
