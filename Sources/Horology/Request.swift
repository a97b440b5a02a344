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
    /// Of an alarm: the one whose place it takes.
    public static let replaced = Key<String>.which("replace")
  }

  public static let forms: [Form] = [
    Form(
      "announce", "Announce", (nil, nil) as (TimeOfDay?, Instant?),
      [Field(TimeOfDay.key, \.0), Field(Keys.at, \.1)]
    ) {
      .announce($0.0, at: $0.1)
    } write: {
      if case .announce(let time, let instant) = $0 { (time, instant) } else { nil }
    },
    Form("stop", "Stop", .stop),
    Form(
      "mute", "Mute", (nil, nil) as (Duration?, String?),
      [Field(Keys.length, \.0), Field(Keys.until, \.1)]
    ) { keys throws(BadValue) in
      guard let length = keys.0 else { return keys.1 == nil ? .mute(for: nil) : .muteNext }
      guard keys.1 == nil else {
        let value = Keys.length.write(length)
        throw BadValue(key: Keys.length.name, value: value, allowed: "it without 'until'")
      }
      return .mute(for: length)
    } write: {
      switch $0 {
      case .mute(let length): (length, nil)
      case .muteNext: (nil, "next")
      default: nil
      }
    },
    Form("unmute", "Unmute", .unmute),
    Form("volume", "SetVolume", 0, [Field(Keys.volume, \.self).required]) {
      .volume($0)
    } write: {
      if case .volume(let decibels) = $0 { decibels } else { nil }
    },

    Form("timer", "StartTimer", TimerPlan(), TimerPlan.fields) {
      .reminder(.start($0))
    } write: {
      if case .reminder(.start(let plan)) = $0 { plan } else { nil }
    },
    Form(
      "timer_add", "AddToTimer", ("", .zero) as (String, Duration),
      [Field(Keys.timer, \.0).required, Field(.length, \.1).required]
    ) {
      .reminder(.add($0.1, to: $0.0))
    } write: {
      if case .reminder(.add(let span, let which)) = $0 { (which, span) } else { nil }
    },
    Form("timer_pause", "PauseTimer", one: Keys.timer) { .pause($0) },
    Form("timer_resume", "ResumeTimer", one: Keys.timer) { .resume($0) },
    Form("timer_cancel", "CancelTimer", one: Keys.timer) { .cancel(.timer, $0) },
    Form("timer_stop", "StopTimer", any: Keys.timer) { .stop(.timer, $0) },
    Form("timer_tell", "TellTimer", any: Keys.timer) { .tell($0) },

    .interval,
    Form("interval_stop", "StopInterval", .interval(.stop)),

    .alarm,
    Form("alarm_snooze", "SnoozeAlarm", any: Keys.alarm) { .snooze($0) },
    Form("alarm_stop", "StopAlarm", any: Keys.alarm) { .stop(.alarm, $0) },
    Form("alarm_skip", "SkipAlarm", one: Keys.alarm) { .skip($0) },
    Form("alarm_unskip", "UnskipAlarm", one: Keys.alarm) { .unskip($0) },
    Form("alarm_on", "TurnAlarmOn", one: Keys.alarm) { .turn($0, on: true) },
    Form("alarm_off", "TurnAlarmOff", one: Keys.alarm) { .turn($0, on: false) },
    Form("alarm_cancel", "CancelAlarm", one: Keys.alarm) { .cancel(.alarm, $0) },

    Form(
      "setting", "SetSetting", ("", nil) as (String, String?),
      [Field(Keys.setting, \.0).required, Field(Keys.value, \.1)]
    ) {
      .setting($0.0, to: $0.1)
    } write: {
      if case .setting(let key, let value) = $0 { (key, value) } else { nil }
    },
  ]

  /// Every method of the bus. The last two are questions, and no orders.
  public static let methods =
    forms + [
      Form(
        "agenda", "Agenda", (nil, nil) as (Instant?, Instant?),
        [Field(Keys.from, \.0), Field(Keys.to, \.1)]
      ) {
        .agenda(from: $0.0, to: $0.1)
      } write: {
        if case .agenda(let start, let end) = $0 { (start, end) } else { nil }
      },
      Form("settings", "Settings", nil as String?, [Field(Keys.setting, \.self)]) {
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
  fileprivate init(_ name: String, _ method: String, _ request: Request) {
    self.init(
      name: name, method: method, facts: [], read: { _ in request },
      write: { $0 == request ? Record() : nil })
  }

  /// - Parameter empty: what is wanted if no key is given.
  fileprivate init<Wanted: Sendable>(
    _ name: String, _ method: String, _ empty: Wanted, _ fields: [Field<Wanted>],
    read: @escaping @Sendable (Wanted) throws(BadValue) -> Request,
    write: @escaping @Sendable (Request) -> Wanted?
  ) {
    self.init(
      name: name, method: method, facts: fields.map(\.fact).filter { $0.giver <= .person },
      read: { record throws(BadValue) in
        var wanted = empty
        try record.fill(&wanted, fields)
        return try read(wanted)
      },
      write: { request in write(request).map { Record($0, fields) } })
  }

  /// An order about the timer or the alarm that it names.
  fileprivate init(
    _ name: String, _ method: String, one key: Key<String>,
    _ order: @escaping @Sendable (String) -> ReminderOrder
  ) {
    self.init(name, method, "", [Field(key, \.self).required]) {
      .reminder(order($0))
    } write: { request in
      guard case .reminder(let given) = request, let which = given.which else { return nil }
      return order(which) == given ? which : nil
    }
  }

  /// The same, which needs no name. An empty text is no name: a script may pass an unset variable.
  fileprivate init(
    _ name: String, _ method: String, any key: Key<String>,
    _ order: @escaping @Sendable (String?) -> ReminderOrder
  ) {
    self.init(name, method, nil as String?, [Field(key, \.self)]) {
      .reminder(order($0))
    } write: { request in
      guard case .reminder(let given) = request, order(given.which) == given else { return nil }
      return .some(given.which)
    }
  }

  /// A new alarm, or another plan of one.
  fileprivate static let alarm = Self(
    name: "alarm", method: "SetAlarm",
    facts: AlarmPlan.fields.map(\.fact).filter { $0.giver <= .person }
      + [Fact(Request.Keys.replaced)],
    read: { record throws(BadValue) in
      var plan = AlarmPlan()
      try record.fill(&plan, AlarmPlan.fields)
      return .reminder(.set(plan, replaces: try record.optional(Request.Keys.replaced)))
    },
    write: { request in
      guard case .reminder(.set(let plan, let replaced)) = request else { return nil }
      var record = plan.record
      record[Request.Keys.replaced] = replaced
      return record
    })

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

extension ReminderOrder {
  /// The name of the one that it is about, and that alone; nil if it has none.
  fileprivate var which: String? {
    switch self {
    case .start, .set, .add: nil
    case .pause(let which), .resume(let which), .skip(let which), .unskip(let which): which
    case .turn(let which, _), .cancel(_, let which): which
    case .tell(let which), .snooze(let which), .stop(_, let which): which
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
