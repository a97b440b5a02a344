import Basics

/// What somebody wants of the clock: the same keys from the command, over the bus, MQTT and HTTP.
public enum Request: Hashable, Sendable {
  /// Says this time, or the time now if nil; at this instant, or at once if nil.
  case announce(TimeOfDay?, at: Instant?)
  case stop
  /// Until it is taken back if nil.
  case mute(for: Duration?)
  case muteNext
  case unmute
  case volume(Double)
  case reminder(ReminderOrder)
  case interval(IntervalOrder)
  /// Sets a key of the configuration, or takes that back if nil.
  case setting(String, to: String?)
  /// Every key of the configuration, or one.
  case settings(String?)
  /// What is to sound from an instant on, now if nil, to another, a day later if nil.
  case agenda(from: Instant?, to: Instant?)
}

extension Request {
  public struct Form: Sendable {
    public struct Field: Sendable {
      public let key: String
      /// What a value may be, as in `1 to 1000`.
      public let allowed: String
      public let isRequired: Bool
    }

    public let name: String
    public let method: String
    public let fields: [Field]
    fileprivate let read: @Sendable (Record, FindTune) throws(BadValue) -> Request

    /// Unlike a reader of what is, it refuses a key that it does not know: something is wanted that
    /// would not be done.
    public func request(_ record: Record, tune: FindTune) throws(BadValue) -> Request {
      let known = fields.map(\.key)
      if let unknown = record.fields.first(where: { !known.contains($0.key) }) {
        throw BadValue(unknown: unknown.key, known: known)
      }
      return try read(record, tune)
    }
  }

  public typealias FindTune = (String) throws(BadValue) -> Tune

  public enum Keys {
    public static let at = Key<Instant>.instant("at")
    public static let length = Key<Duration>.seconds("for", .milliseconds(1)...SoftwareMute.longest)
    public static let until = Key<String>.text("until", allowed: "next", where: { $0 == "next" })
    public static let volume = Key<Double>.real("volume_db", -60...0, "dB")
    public static let timer = Key<String>.which("timer")
    public static let alarm = Key<String>.which("alarm")
    public static let setting = Key<String>.text("key", allowed: "a key, as announce.voice")
    public static let value = Key<String>.textOrNumber("value", "a text, as in a file")
    public static let from = Key<Instant>.instant("from")
    public static let to = Key<Instant>.instant("to")
    /// Of answers: the words that are said, and whether the interval was started.
    public static let text = Key<String>.text("text")
    public static let isNew = Key<Bool>.flag("new")
    public static let replaces = Key<Bool>.flag("replace")
  }

  public static let forms: [Form] = [
    Form("announce", "Announce", [.optional(TimeOfDay.key), .optional(Keys.at)]) {
      record, _ throws(BadValue) in
      .announce(try record.optional(TimeOfDay.key), at: try record.optional(Keys.at))
    },
    Form("stop", "Stop") { _, _ in .stop },
    Form("mute", "Mute", [.optional(Keys.length), .optional(Keys.until)]) {
      record, _ throws(BadValue) in
      guard try record.optional(Keys.until) != nil else {
        return .mute(for: try record.optional(Keys.length))
      }
      try record.refuse([Keys.length.name], beside: Keys.until)
      return .muteNext
    },
    Form("unmute", "Unmute") { _, _ in .unmute },
    Form("volume", "SetVolume", [.required(Keys.volume)]) { record, _ throws(BadValue) in
      .volume(try record.value(Keys.volume))
    },

    Form("timer", "StartTimer", [.required(.length), .optional(.name)]) {
      record, _ throws(BadValue) in
      .reminder(.start(try record.value(.length), name: try record.optional(.name)))
    },
    Form("timer_add", "AddToTimer", [.required(Keys.timer), .required(.length)]) {
      record, _ throws(BadValue) in
      .reminder(.add(try record.value(.length), to: try record.value(Keys.timer)))
    },
    one("timer_pause", "PauseTimer", Keys.timer) { .reminder(.pause($0)) },
    one("timer_resume", "ResumeTimer", Keys.timer) { .reminder(.resume($0)) },
    one("timer_cancel", "CancelTimer", Keys.timer) { .reminder(.cancel(.timer, $0)) },
    oneOrAll("timer_stop", "StopTimer", Keys.timer) { .reminder(.stop(.timer, $0)) },
    oneOrAll("timer_tell", "TellTimer", Keys.timer) { .reminder(.tell($0)) },

    Form("interval", "StartInterval", IntervalPlan.fields + [.optional(Keys.replaces)]) {
      record, _ throws(BadValue) in
      .interval(
        .start(try IntervalPlan(record), replaces: try record.optional(Keys.replaces) ?? false))
    },
    Form("interval_stop", "StopInterval") { _, _ in .interval(.stop) },

    Form("alarm", "SetAlarm", AlarmPlan.fields) { record, tune throws(BadValue) in
      .reminder(.set(try AlarmPlan(record, tune)))
    },
    oneOrAll("alarm_snooze", "SnoozeAlarm", Keys.alarm) { .reminder(.snooze($0)) },
    oneOrAll("alarm_stop", "StopAlarm", Keys.alarm) { .reminder(.stop(.alarm, $0)) },
    one("alarm_skip", "SkipAlarm", Keys.alarm) { .reminder(.skip($0)) },
    one("alarm_cancel", "CancelAlarm", Keys.alarm) { .reminder(.cancel(.alarm, $0)) },

    Form("setting", "SetSetting", [.required(Keys.setting), .optional(Keys.value)]) {
      record, _ throws(BadValue) in
      .setting(try record.value(Keys.setting), to: try record.optional(Keys.value))
    },
  ]

  /// Every method of the bus. The last two are questions, and no orders.
  public static let methods =
    forms + [
      Form("agenda", "Agenda", [.optional(Keys.from), .optional(Keys.to)]) {
        record, _ throws(BadValue) in
        .agenda(from: try record.optional(Keys.from), to: try record.optional(Keys.to))
      },
      Form("settings", "Settings", [.optional(Keys.setting)]) { record, _ throws(BadValue) in
        .settings(try record.optional(Keys.setting))
      },
    ]

  public static func form(named name: String) -> Form? { methods.first { $0.name == name } }

  public static func form(ofMethod method: String) -> Form? {
    methods.first { $0.method == method }
  }

  private static func one(
    _ name: String, _ method: String, _ key: Key<String>,
    _ request: @escaping @Sendable (String) -> Request
  ) -> Form {
    Form(name, method, [.required(key)]) { record, _ throws(BadValue) in
      request(try record.value(key))
    }
  }

  private static func oneOrAll(
    _ name: String, _ method: String, _ key: Key<String>,
    _ request: @escaping @Sendable (String?) -> Request
  ) -> Form {
    // An empty text does not mean all: a script may pass an unset variable.
    Form(name, method, [.optional(key)]) { record, _ throws(BadValue) in
      request(try record.optional(key))
    }
  }
}

extension Request {
  public var written: (form: String, record: Record) {
    let empty = Record()
    func one(_ key: Key<String>, _ which: String?) -> Record { empty.with(key, which) }
    switch self {
    case .announce(let time, let instant):
      return ("announce", empty.with(TimeOfDay.key, time).with(Keys.at, instant))
    case .stop: return ("stop", empty)
    case .mute(let length): return ("mute", empty.with(Keys.length, length))
    case .muteNext: return ("mute", empty.with(Keys.until, "next"))
    case .unmute: return ("unmute", empty)
    case .volume(let decibels): return ("volume", empty.with(Keys.volume, decibels))
    case .reminder(.start(let length, let name)):
      return ("timer", empty.with(.length, length).with(.name, name))
    case .reminder(.add(let span, let which)):
      return ("timer_add", one(Keys.timer, which).with(.length, span))
    case .reminder(.pause(let which)): return ("timer_pause", one(Keys.timer, which))
    case .reminder(.resume(let which)): return ("timer_resume", one(Keys.timer, which))
    case .reminder(.cancel(.timer, let which)): return ("timer_cancel", one(Keys.timer, which))
    case .reminder(.tell(let which)): return ("timer_tell", one(Keys.timer, which))
    case .interval(.start(let plan, let replaces)):
      return ("interval", plan.record.with(Keys.replaces, replaces))
    case .interval(.stop): return ("interval_stop", empty)
    case .reminder(.set(let plan)): return ("alarm", plan.record)
    case .reminder(.snooze(let which)): return ("alarm_snooze", one(Keys.alarm, which))
    case .reminder(.stop(.timer, let which)): return ("timer_stop", one(Keys.timer, which))
    case .reminder(.stop(.alarm, let which)): return ("alarm_stop", one(Keys.alarm, which))
    case .reminder(.skip(let which)): return ("alarm_skip", one(Keys.alarm, which))
    case .reminder(.cancel(.alarm, let which)): return ("alarm_cancel", one(Keys.alarm, which))
    case .setting(let key, let value):
      return ("setting", one(Keys.setting, key).with(Keys.value, value))
    case .settings(let key): return ("settings", one(Keys.setting, key))
    case .agenda(let start, let end):
      return ("agenda", empty.with(Keys.from, start).with(Keys.to, end))
    }
  }
}

extension Request.Form {
  fileprivate init(
    _ name: String, _ method: String, _ fields: [Field] = [],
    _ read: @escaping @Sendable (Record, Request.FindTune) throws(BadValue) -> Request
  ) {
    (self.name, self.method, self.fields, self.read) = (name, method, fields, read)
  }
}

extension Request.Form.Field {
  static func required<Meaning>(_ key: Key<Meaning>) -> Self {
    Self(key: key.name, allowed: key.allowed, isRequired: true)
  }

  static func optional<Meaning>(_ key: Key<Meaning>) -> Self {
    Self(key: key.name, allowed: key.allowed, isRequired: false)
  }
}

extension Record {
  fileprivate func with<Meaning>(_ key: Key<Meaning>, _ meaning: Meaning?) -> Record {
    var record = self
    record[key] = meaning
    return record
  }

  /// - Throws: `BadValue` for the first of these keys, other than `other`, that has a value.
  func refuse<Meaning>(_ keys: [String], beside other: Key<Meaning>) throws(BadValue) {
    for key in keys where key != other.name {
      guard let value = self[key] else { continue }
      throw BadValue(key: key, value: value, allowed: "it without '\(other.name)'")
    }
  }
}

extension Key where Meaning == String {
  /// The name or the number of a timer or an alarm.
  fileprivate static func which(_ name: String) -> Key {
    let key = textOrNumber(name, "a name or a number")
    return Key(
      name, allowed: key.allowed, write: key.write,
      read: { value in key.read(value).flatMap { $0.isEmpty ? nil : $0 } })
  }

  fileprivate static func textOrNumber(_ name: String, _ allowed: String) -> Key {
    Key(
      name, allowed: allowed, write: { .text($0) },
      read: {
        switch $0 {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .real(let number): Int64(exactly: number).map { "\($0)" }
        default: nil
        }
      })
  }
}

extension TimeOfDay {
  public static let key = Key<TimeOfDay>.parsed(
    "time", allowed: "HH:MM, as 07:00", as: \.description, { try? TimeOfDay(text: $0) })
}
