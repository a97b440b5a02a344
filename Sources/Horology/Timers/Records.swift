import Basics

// What a timer, an interval and an alarm are called in the state file, on the bus and in JSON. A
// moment is two keys: its instant by the clock, and with `_boot` behind it the seconds since the
// machine started.

extension Key where Meaning == Int {
  public static let number = Key.integer("number", 1...Reminders.Numbers.most)
}

extension Key where Meaning == String {
  /// Of a timer.
  public static let timerName = named(.timer)
  public static let name = named(.alarm)

  private static func named(_ kind: Reminder.Kind) -> Key {
    let key = Key.text("name", allowed: "a name of 1 to 40 characters")
    return key.typed { name in
      if let flaw = Reminder.flaw(ofName: name, kind) { throw TextFlaw.name(flaw) }
      return name
    }
  }
}

extension Key where Meaning == Duration {
  /// The length of a timer, or from one cue of an interval to the next.
  public static let length = Key.given("seconds", Reminder.shortest...Reminder.longest)
  public static let period = Key.given("seconds", IntervalPlan.shortest...IntervalPlan.longest)
  public static let left = Key.seconds("left", .zero...Reminder.longest)
}

// MARK: Moments

extension Record {
  /// What others see of a timer, an interval or an alarm: without what only the saved state needs.
  public var shown: Record {
    var shown = Record()
    for (key, value) in fields where !key.hasSuffix("_boot") && !Self.hidden.contains(key) {
      shown[key] = value
    }
    return shown
  }

  private static let hidden: Set = ["follows_clock", "rings_after"]

  /// No machine runs longer, and no saved moment is earlier before its start, than since 1970.
  private static let furthest = Instant.allowed.upperBound - Instant.allowed.lowerBound

  private static func sinceBoot(_ name: String) -> Key<Duration> {
    .seconds("\(name)_boot", (.zero - furthest)...furthest)
  }

  private static let followsClock = Key<Bool>.flag("follows_clock")

  mutating func set(_ name: String, _ moment: TimedMoment) {
    self[.instant(name)] = moment.shown
    self[Self.sinceBoot(name)] = moment.sinceBoot
    if moment.followsClock { self[Self.followsClock] = true }
  }

  func moment(_ name: String) throws(BadValue) -> TimedMoment {
    TimedMoment(
      // Only the saved state has it.
      sinceBoot: try optional(Self.sinceBoot(name)) ?? .zero, shown: try value(.instant(name)),
      followsClock: try optional(Self.followsClock) ?? false)
  }
}

// MARK: Intervals

extension IntervalRounds {
  fileprivate static let work = Key<Duration>.given(
    "work", IntervalPlan.shortest...IntervalPlan.longest
  ).typed { try IntervalPlan.length(typed: $0) }

  public static let fields: [Field<Self>] = [
    Field(work, \.work).option("LENGTH", "start rounds with this much work"),
    Field(pause("rest"), \.rest).option("LENGTH", "the rest after the work (default: none)"),
    Field(pause("prepare"), \.prepare)
      .option("LENGTH", "time to get ready before the first round\n(default: none)"),
    Field(.integer("rounds", 1...IntervalPlan.mostRounds), \.count)
      .option("N", "1 to \(IntervalPlan.mostRounds) rounds (default: until it is stopped)"),
    Field(.integer("countdown", 0...IntervalPlan.longestCountdown), \.countdown)
      .option("N", "seconds to count down, 0 to \(IntervalPlan.longestCountdown) (default: 3)"),
    Field(.flag("words"), \.saysWords)
      .option(nil, "the voice also says the phases of rounds, as with\nsay_phases = yes"),
  ]

  private static func pause(_ name: String) -> Key<Duration> {
    let key = Key.given(name, .zero...IntervalPlan.longest)
    return Key(
      name, allowed: "\(key.allowed), at least 1 or 0 for none", write: key.write,
      read: { key.read($0).flatMap { $0 == .zero || IntervalPlan.shortest <= $0 ? $0 : nil } },
      parse: { Duration(timer: $0) == .zero ? .zero : try IntervalPlan.length(typed: $0) })
  }
}

extension IntervalPlan {
  /// Parses a length that is typed, as in `30s`; nil if it is longer or shorter than all of an interval.
  public static func length(typed text: String) throws(TextFlaw) -> Duration {
    guard let length = Duration(timer: text), shortest <= length, length <= longest else {
      throw .length(text)
    }
    return length
  }

  static let facts = [Fact(.period)] + IntervalRounds.fields.map(\.fact)

  public var record: Record {
    switch self {
    case .plain(let period): Record(.period, period)
    case .rounds(let rounds): Record(rounds, IntervalRounds.fields)
    }
  }

  /// - Throws: `BadValue` for an interval that cannot be.
  public init(_ record: Record) throws(BadValue) {
    if let period = try record.optional(.period) {
      for key in IntervalRounds.fields.map(\.name) {
        guard let value = record[key] else { continue }
        throw BadValue(key: key, value: value, allowed: "it without '\(Key.period.name)'")
      }
      self = .plain(every: period)
    } else {
      var rounds = IntervalRounds(work: try record.value(IntervalRounds.work))
      try record.fill(&rounds, IntervalRounds.fields)
      self = .rounds(rounds)
    }
  }
}

extension IntervalTimer {
  public var record: Record {
    var record = Record()
    record.set("started", start)
    return record.merging(plan.record)
  }

  public var shown: Record { record.shown }

  public init(_ record: Record) throws(BadValue) {
    self.init(try IntervalPlan(record), start: try record.moment("started"))
  }
}

// MARK: Timers and alarms

extension Reminder {
  private enum Phase: String, CaseIterable { case running, waiting, paused, ringing, snoozing }

  private static let phase = Key<Phase>.choice("state")
  private static let origin = Key<Origin>.choice("origin")
  private static let after = Key<Instant>.instant("rings_after")
  private static let skipped = Key<Instant>.instant("skipped")
  private static let on = Key<Bool>.flag("on")

  /// The keys of the moment of a state: of a timer, and of an alarm.
  private static let ends = "ends"
  private static let rings = "rings"
  private static let since = "since"

  public var record: Record {
    var record = Record()
    record[.number] = number
    // Before the other keys, as the completion of the command looks for it.
    record[.name] = name
    switch plan {
    case .timer(let plan): record = record.merging(Record(plan, TimerPlan.fields))
    case .alarm(let plan):
      record = record.merging(plan.record)
      record[Self.origin] = origin
      record[Self.on] = !isOff
      record[Self.after] = after.flatMap { Instant.allowed.contains($0) ? $0 : nil }
      record[Self.skipped] = skipped.flatMap { Instant.allowed.contains($0) ? $0 : nil }
    }
    switch state {
    case .waiting(let due):
      record[Self.phase] = kind == .timer ? .running : .waiting
      if kind == .alarm {
        record[.instant(Self.rings)] = due?.shown
      } else if let due {
        record.set(Self.ends, due)
      }
    case .paused(let left):
      record[Self.phase] = .paused
      record[.left] = left
    case .ringing(let since):
      record[Self.phase] = .ringing
      record.set(kind == .timer ? Self.ends : Self.since, since)
    case .snoozing(let until):
      record[Self.phase] = .snoozing
      record.set(Self.rings, until)
    }
    return record
  }

  public var shown: Record { record.shown }

  public static func timer(_ record: Record) throws(BadValue) -> Reminder {
    let state: State
    switch try record.value(phase) {
    case .running: state = .waiting(try record.moment(ends))
    case .ringing: state = .ringing(since: try record.moment(ends))
    case .paused, .waiting, .snoozing: state = .paused(left: try record.value(.left))
    }
    var plan = TimerPlan()
    try record.fill(&plan, TimerPlan.fields)
    plan.name = try usableName(record, .timer)
    return Reminder(number: try record.value(.number), .timer(plan), state: state)
  }

  /// - Parameter tune: nil for one that is missing. Then the signal rings: a silent alarm is worse
  ///   than one that sounds different.
  public static func alarm(
    _ record: Record, tune: (String) -> Tune?
  ) throws(BadValue) -> Reminder {
    let number = try record.value(.number)
    var plan = AlarmPlan()
    try record.fill(&plan, AlarmPlan.fields)
    plan.name = try usableName(record, .alarm)
    plan.tune = plan.tune.map { tune($0.name) ?? $0 }
    let state: State
    switch try record.value(phase) {
    case .ringing: state = .ringing(since: try record.moment(since))
    case .snoozing: state = .snoozing(until: try record.moment(rings))
    case .waiting, .running, .paused:
      state = .waiting(
        try record.optional(.instant(rings)).map {
          TimedMoment(sinceBoot: .zero, shown: $0, followsClock: true)
        })
    }
    var alarm = Reminder(
      number: number, .alarm(plan),
      from: try record.optional(origin) ?? .person, state: state,
      after: try record.optional(after), skipped: try record.optional(skipped))
    alarm.isOff = try record.optional(on) == false
    return alarm
  }

  /// A name that is not allowed any more is left out.
  private static func usableName(_ record: Record, _ kind: Kind) throws(BadValue) -> String? {
    try record.optional(.name).flatMap { flaw(ofName: $0, kind) == nil ? $0 : nil }
  }
}
