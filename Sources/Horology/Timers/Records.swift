import Basics

// What a timer, an interval and an alarm are called wherever they travel: in the state file, on the
// bus, in JSON. A moment is two keys: its instant by the clock, and with `_boot` behind it the
// seconds since the machine started.

extension Key where Meaning == Int {
  /// From 1.
  public static let number = Key.integer("number", 1...Timers.most)
}

extension Key where Meaning == String {
  public static let name = Key.text("name", allowed: "a name of 1 to 40 characters")
}

extension Key where Meaning == Duration {
  /// The length of a timer, or from one cue of an interval to the next.
  public static let length = Key.seconds("seconds", Countdown.shortest...Countdown.longest)
  public static let period = Key.seconds("seconds", IntervalPlan.shortest...IntervalPlan.longest)
  /// What is left of a paused timer.
  public static let left = Key.seconds("left", .zero...Countdown.longest)
}

// MARK: Moments

extension Record {
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

  /// - Throws: `BadValue` if a half of it is missing or not allowed.
  func moment(_ name: String) throws(BadValue) -> TimedMoment {
    TimedMoment(
      sinceBoot: try value(Self.sinceBoot(name)), shown: try value(.instant(name)),
      followsClock: try optional(Self.followsClock) ?? false)
  }
}

// MARK: Timers

extension Countdown {
  private enum Phase: String, CaseIterable { case running, paused, ringing }

  private static let phase = Key<Phase>.choice("state")

  public var record: Record {
    var record = Record()
    record[.number] = number
    record[.name] = name
    record[.length] = length
    switch state {
    case .running(let zero):
      record[Self.phase] = .running
      record.set("ends", zero)
    case .paused(let left):
      record[Self.phase] = .paused
      record[.left] = left
    case .ringing(let since):
      record[Self.phase] = .ringing
      record.set("ends", since)
    }
    return record
  }

  /// A name that is not allowed any more is left out.
  /// - Throws: `BadValue` for a timer that cannot be.
  public init(_ record: Record) throws(BadValue) {
    let state: State
    switch try record.value(Self.phase) {
    case .running: state = .running(zero: try record.moment("ends"))
    case .paused: state = .paused(left: try record.value(.left))
    case .ringing: state = .ringing(since: try record.moment("ends"))
    }
    self.init(
      number: try record.value(.number),
      name: try record.optional(.name).flatMap { Self.flaw(ofName: $0) == nil ? $0 : nil },
      length: try record.value(.length), state: state)
  }
}

// MARK: Intervals

extension IntervalPlan {
  private static let phase = Key<Duration>.seconds("work", shortest...longest)
  private static let rest = Key<Duration>.seconds("rest", .zero...longest)
  private static let prepare = Key<Duration>.seconds("prepare", .zero...longest)
  private static let rounds = Key<Int>.integer("rounds", 1...mostRounds)
  private static let countdown = Key<Int>.integer("countdown", 0...longestCountdown)
  private static let words = Key<Bool>.flag("words")

  func write(to record: inout Record) {
    switch self {
    case .plain(let period): record[.period] = period
    case .rounds(let rounds):
      record[Self.phase] = rounds.work
      record[Self.rest] = rounds.rest
      record[Self.prepare] = rounds.prepare
      record[Self.rounds] = rounds.count
      record[Self.countdown] = rounds.countdown
      record[Self.words] = rounds.saysWords
    }
  }

  /// - Throws: `BadValue` for an interval that cannot be.
  public init(_ record: Record) throws(BadValue) {
    if let period = try record.optional(.period) {
      self = .plain(every: period)
    } else {
      self = .rounds(
        IntervalRounds(
          work: try record.value(Self.phase), rest: try record.optional(Self.rest) ?? .zero,
          count: try record.optional(Self.rounds),
          prepare: try record.optional(Self.prepare) ?? .zero,
          countdown: try record.optional(Self.countdown) ?? 0,
          saysWords: try record.optional(Self.words) ?? false))
    }
  }
}

extension IntervalTimer {
  public var record: Record {
    var record = Record()
    record.set("started", start)
    plan.write(to: &record)
    return record
  }

  /// - Throws: `BadValue` for an interval that cannot be.
  public init(_ record: Record) throws(BadValue) {
    self.init(try IntervalPlan(record), start: try record.moment("started"))
  }
}

// MARK: Alarms

extension Alarm {
  /// The alarms of a person, and as many of the configuration.
  private static let number = Key<Int>.integer("number", 1...2 * Alarms.most)
  private enum Phase: String, CaseIterable { case waiting, ringing, snoozing }

  private static let phase = Key<Phase>.choice("state")
  private static let lostName = Key<String>.text("lost_name")
  private static let origin = Key<Origin>.choice("origin")
  private static let time = Key<TimeOfDay>.parsed(
    "time", allowed: "HH:MM, as 07:00", as: \.description, { try? TimeOfDay(text: $0) })
  private static let days = Key<AlarmDays>.parsed(
    "days", allowed: "weekdays as mon-fri, a date as 2026-12-24, or once", as: \.description,
    { try? AlarmDays(text: $0) })
  private static let tune = Key<String>.text("tune")
  private static let rise = Key<AlarmRise>.parsed(
    "rise", allowed: "a length as 5min, or a level and a length as -30dB 5min",
    as: \.description, { try? AlarmRise.rise(text: $0) })
  /// When it rings next.
  private static let rings = Key<Instant>.instant("rings")
  /// The time that it rings for, or is snoozed from.
  private static let ring = Key<Instant>.instant("ring")
  private static let promised = Key<Instant>.instant("promised")
  private static let acknowledged = Key<Instant>.instant("acknowledged")
  private static let skipped = Key<Instant>.instant("skipped")

  public var record: Record {
    var record = Record()
    record[Self.number] = number
    record[.name] = name
    record[Self.lostName] = lostName
    record[Self.origin] = origin
    record[Self.time] = plan.times.time
    record[Self.days] = plan.times.days
    record[Self.tune] = plan.tune?.name
    record[Self.rise] = plan.rise
    switch state {
    case .waiting(let next, let from):
      record[Self.phase] = .waiting
      record[Self.rings] = next
      if let from { record.set("from", from) }
    case .ringing(let ring, let since):
      record[Self.phase] = .ringing
      record[Self.ring] = ring
      record.set("since", since)
    case .snoozing(let ring, let until):
      record[Self.phase] = .snoozing
      record[Self.ring] = ring
      record.set("until", until)
    }
    record[Self.promised] = promised
    record[Self.acknowledged] = acknowledged
    record[Self.skipped] = skipped
    return record
  }

  /// A name that is not allowed any more is left out.
  /// - Parameter tune: finds a tune by its name; nil if it is missing. Then the signal rings: a
  ///   silent alarm is worse than one that sounds different.
  /// - Throws: `BadValue` for an alarm that cannot be.
  public init(_ record: Record, tune: (String) -> Tune?) throws(BadValue) {
    func name(_ key: Key<String>) throws(BadValue) -> String? {
      try record.optional(key).flatMap { Self.flaw(ofName: $0) == nil ? $0 : nil }
    }
    let number = try record.value(Self.number)
    var plan = AlarmPlan(
      name: try name(.name),
      AlarmTimes(time: try record.value(Self.time), days: try record.value(Self.days)))
    plan.tune = try record.optional(Self.tune).map { tune($0) ?? .missing($0) }
    plan.rise = try record.optional(Self.rise)
    let state: State
    switch try record.value(Self.phase) {
    case .waiting:
      state = .waiting(
        next: try record.optional(Self.rings),
        from: record["from"] == nil ? nil : try record.moment("from"))
    case .ringing:
      state = .ringing(ring: try record.value(Self.ring), since: try record.moment("since"))
    case .snoozing:
      state = .snoozing(ring: try record.value(Self.ring), until: try record.moment("until"))
    }
    self.init(
      number: number, plan, from: try record.optional(Self.origin) ?? .person, state: state,
      promised: try record.optional(Self.promised),
      acknowledged: try record.optional(Self.acknowledged),
      skipped: try record.optional(Self.skipped), lostName: try name(Self.lostName))
  }
}
