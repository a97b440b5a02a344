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
  /// A kind of request: its name, its method on the bus, and how it is read and written.
  public struct Form: Sendable {
    public let name: String
    public let method: String
    public let facts: [Fact]
    fileprivate let read: @Sendable (Record) throws(BadValue) -> Request
    /// Nil for a request of another form.
    fileprivate let write: @Sendable (Request) -> Record?

    /// Unlike a reader of what is, it refuses a key that it does not know: something is wanted that
    /// would not be done.
    public func request(_ record: Record, from giver: Giver) throws(BadValue) -> Request {
      try record.check(facts, from: giver)
      return try read(record)
    }
  }

  public enum Keys {
    public static let at = Key<Instant>.instant("at")
    public static let length = Key<Duration>.given("for", .milliseconds(1)...SoftwareMute.longest)
    public static let until = Key<String>.text("until", allowed: "next", where: { $0 == "next" })
    public static let volume: Key<Double> = {
      let number = Key<Double>.real("volume_db", -60...0, "dB")
      return Key(
        number.name, allowed: number.allowed, write: number.write,
        read: { number.read($0) ?? $0.text.flatMap { Decibels(text: $0)?.value } })
    }()
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
    Form("announce", "Announce", .optional(TimeOfDay.key), .optional(Keys.at)) {
      .announce($0, at: $1)
    } write: {
      if case .announce(let time, let instant) = $0 { (time, instant) } else { nil }
    },
    Form("stop", "Stop", .stop),
    Form("mute", "Mute", .optional(Keys.length), .optional(Keys.until)) {
      length, until throws(BadValue) in
      if until != nil, let length {
        let value = Keys.length.write(length)
        throw BadValue(key: Keys.length.name, value: value, allowed: "it without 'until'")
      }
      return until == nil ? .mute(for: length) : .muteNext
    } write: {
      switch $0 {
      case .mute(let length): (length, nil)
      case .muteNext: (nil, "next")
      default: nil
      }
    },
    Form("unmute", "Unmute", .unmute),
    Form("volume", "SetVolume", .required(Keys.volume)) {
      .volume($0)
    } write: {
      if case .volume(let decibels) = $0 { decibels } else { nil }
    },

    Form("timer", "StartTimer", TimerPlan(), TimerPlan.fields) {
      .reminder(.start($0))
    } write: {
      if case .reminder(.start(let plan)) = $0 { plan } else { nil }
    },
    Form("timer_add", "AddToTimer", .required(Keys.timer), .required(.length)) {
      .reminder(.add($1, to: $0))
    } write: {
      if case .reminder(.add(let span, let which)) = $0 { (which, span) } else { nil }
    },
    Form("timer_pause", "PauseTimer", .required(Keys.timer)) {
      .reminder(.pause($0))
    } write: {
      if case .reminder(.pause(let which)) = $0 { which } else { nil }
    },
    Form("timer_resume", "ResumeTimer", .required(Keys.timer)) {
      .reminder(.resume($0))
    } write: {
      if case .reminder(.resume(let which)) = $0 { which } else { nil }
    },
    Form("timer_cancel", "CancelTimer", .required(Keys.timer)) {
      .reminder(.cancel(.timer, $0))
    } write: {
      if case .reminder(.cancel(.timer, let which)) = $0 { which } else { nil }
    },
    // An empty text does not mean all: a script may pass an unset variable.
    Form("timer_stop", "StopTimer", .optional(Keys.timer)) {
      .reminder(.stop(.timer, $0))
    } write: {
      if case .reminder(.stop(.timer, let which)) = $0 { .some(which) } else { nil }
    },
    Form("timer_tell", "TellTimer", .optional(Keys.timer)) {
      .reminder(.tell($0))
    } write: {
      if case .reminder(.tell(let which)) = $0 { .some(which) } else { nil }
    },

    .interval,
    Form("interval_stop", "StopInterval", .interval(.stop)),

    Form("alarm", "SetAlarm", AlarmPlan(), AlarmPlan.fields) {
      .reminder(.set($0))
    } write: {
      if case .reminder(.set(let plan)) = $0 { plan } else { nil }
    },
    Form("alarm_snooze", "SnoozeAlarm", .optional(Keys.alarm)) {
      .reminder(.snooze($0))
    } write: {
      if case .reminder(.snooze(let which)) = $0 { .some(which) } else { nil }
    },
    Form("alarm_stop", "StopAlarm", .optional(Keys.alarm)) {
      .reminder(.stop(.alarm, $0))
    } write: {
      if case .reminder(.stop(.alarm, let which)) = $0 { .some(which) } else { nil }
    },
    Form("alarm_skip", "SkipAlarm", .required(Keys.alarm)) {
      .reminder(.skip($0))
    } write: {
      if case .reminder(.skip(let which)) = $0 { which } else { nil }
    },
    Form("alarm_cancel", "CancelAlarm", .required(Keys.alarm)) {
      .reminder(.cancel(.alarm, $0))
    } write: {
      if case .reminder(.cancel(.alarm, let which)) = $0 { which } else { nil }
    },

    Form("setting", "SetSetting", .required(Keys.setting), .optional(Keys.value)) {
      .setting($0, to: $1)
    } write: {
      if case .setting(let key, let value) = $0 { (key, value) } else { nil }
    },
  ]

  /// Every method of the bus. The last two are questions, and no orders.
  public static let methods =
    forms + [
      Form("agenda", "Agenda", .optional(Keys.from), .optional(Keys.to)) {
        .agenda(from: $0, to: $1)
      } write: {
        if case .agenda(let start, let end) = $0 { (start, end) } else { nil }
      },
      Form("settings", "Settings", .optional(Keys.setting)) {
        .settings($0)
      } write: {
        if case .settings(let key) = $0 { .some(key) } else { nil }
      },
    ]

  public static func form(named name: String) -> Form? { methods.first { $0.name == name } }

  public static func form(ofMethod method: String) -> Form? {
    methods.first { $0.method == method }
  }

  /// The method of the bus, and what it gets; nil if it takes nothing.
  public var call: (method: String, record: Record?) {
    let (form, record) = written
    return (form.method, form.facts.isEmpty ? nil : record)
  }

  var written: (form: Form, record: Record) {
    for form in Self.methods {
      if let record = form.write(self) { return (form, record) }
    }
    preconditionFailure("every request has a form")
  }
}

// MARK: Making forms

extension Request.Form {
  /// A key of a request.
  fileprivate struct Part<Meaning>: Sendable {
    let fact: Fact
    let read: @Sendable (Record) throws(BadValue) -> Meaning
    let write: @Sendable (Meaning) -> Value?

    static func required(_ key: Key<Meaning>) -> Self {
      Self(
        fact: Fact(key, isRequired: true),
        read: { record throws(BadValue) in try record.value(key) }, write: { key.write($0) })
    }

    static func optional<Known>(_ key: Key<Known>) -> Self where Meaning == Known? {
      Self(
        fact: Fact(key), read: { record throws(BadValue) in try record.optional(key) },
        write: { $0.map(key.write) })
    }
  }

  fileprivate init(_ name: String, _ method: String, _ request: Request) {
    self.init(
      name: name, method: method, facts: [], read: { _ in request },
      write: { $0 == request ? Record() : nil })
  }

  fileprivate init<Meaning>(
    _ name: String, _ method: String, _ part: Part<Meaning>,
    read: @escaping @Sendable (Meaning) -> Request,
    write: @escaping @Sendable (Request) -> Meaning?
  ) {
    let (key, readPart, writePart) = (part.fact.name, part.read, part.write)
    self.init(
      name: name, method: method, facts: [part.fact],
      read: { record throws(BadValue) in read(try readPart(record)) },
      write: { request in write(request).map { Record([key: writePart($0)]) } })
  }

  fileprivate init<First, Second>(
    _ name: String, _ method: String, _ first: Part<First>, _ second: Part<Second>,
    read: @escaping @Sendable (First, Second) throws(BadValue) -> Request,
    write: @escaping @Sendable (Request) -> (First, Second)?
  ) {
    self.init(
      name: name, method: method, facts: [first.fact, second.fact],
      read: { record throws(BadValue) in try read(first.read(record), second.read(record)) },
      write: { request in
        write(request).map {
          Record([first.fact.name: first.write($0), second.fact.name: second.write($1)])
        }
      })
  }

  fileprivate init<Plan: Sendable>(
    _ name: String, _ method: String, _ empty: Plan, _ fields: [Field<Plan>],
    read: @escaping @Sendable (Plan) -> Request,
    write: @escaping @Sendable (Request) -> Plan?
  ) {
    self.init(
      name: name, method: method, facts: fields.map(\.fact).filter { $0.giver <= .person },
      read: { record throws(BadValue) in
        var plan = empty
        try record.fill(&plan, fields)
        return read(plan)
      },
      write: { request in write(request).map { Record($0, fields) } })
  }

  /// An interval is plain or has rounds, which have other keys.
  fileprivate static let interval = Self(
    name: "interval", method: "StartInterval",
    facts: IntervalPlan.facts + [Fact(Request.Keys.replaces)],
    read: { record throws(BadValue) in
      .interval(
        .start(
          try IntervalPlan(record),
          replaces: try record.optional(Request.Keys.replaces) ?? false))
    },
    write: { request in
      guard case .interval(.start(let plan, let replaces)) = request else { return nil }
      return plan.record.merging(Record(Request.Keys.replaces, replaces))
    })
}

extension Record {
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
    "time", allowed: "HH:MM, as 07:00", as: \.description, { try TimeOfDay(text: $0) })
}
