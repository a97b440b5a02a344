/// What an alarm is to be: when it rings, and how.
public struct AlarmPlan: Hashable, Sendable {
  /// Nil if a person gave none.
  public var name: String?
  public var times: AlarmTimes
  /// What rings; nil for the signal of timers.
  public var tune: Tune?
  /// Nil if it is as loud from the start as it ever is.
  public var rise: AlarmRise?
  public var quietHours = AlarmInQuietHours.keep

  public init(name: String? = nil, _ times: AlarmTimes) {
    self.name = name
    self.times = times
  }
}

/// What quiet hours are to an alarm.
public enum AlarmInQuietHours: String, CaseIterable, Sendable {
  /// It is silent in them.
  case keep
  /// It rings all the same.
  case override
}

/// A ring that grows louder.
public struct AlarmRise: Hashable, Sendable {
  /// How loud it begins, in dB below what it rises to: less than 0, at least -60.
  public let decibels: Double
  /// How long it takes.
  public let length: Duration

  public static let usualDecibels = -24.0
  /// As long as the longest `ring_limit`.
  public static let longest = Duration.seconds(3600)

  /// Nil for what is no rise, or longer than an hour.
  public init?(from decibels: Double = usualDecibels, over length: Duration) {
    guard -60 <= decibels, decibels < 0, Duration.zero < length, length <= Self.longest else {
      return nil
    }
    self.decibels = decibels
    self.length = length
  }

  /// As in `5min` or `-30dB 5min`; `none` is no rise.
  public static func rise(text: String) throws(AlarmRefusal) -> AlarmRise? {
    if text == "none" { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    let level = words.count == 2 ? Decibels(text: words[0])?.value : usualDecibels
    guard words.count <= 2, let level, let last = words.last,
      let length = Duration(text: last),
      let rise = AlarmRise(from: level, over: length)
    else { throw .rise(text) }
    return rise
  }

  /// How much quieter it is so long after the ring began: in dB at most 0.
  public func decibels(after span: Duration) -> Double {
    let part = span.inSeconds / length.inSeconds
    return decibels * (1 - min(max(part, 0), 1))
  }
}

extension AlarmRise: CustomStringConvertible {
  /// As `rise(text:)` reads it: `5min`, or `-30dB 5min`.
  public var description: String {
    let whole = Int(decibels.rounded())
    let level = decibels == Double(whole) ? "\(whole)" : "\(decibels)"
    return (decibels == Self.usualDecibels ? "" : "\(level)dB ") + length.asWritten
  }
}

/// Rings at a local time of day, on its days.
public struct Alarm: Hashable, Sendable {
  public enum Origin: String, CaseIterable, Sendable {
    /// By the command or the bus.
    case person
    /// From `[alarm NAME]`.
    case configuration
  }

  public enum State: Hashable, Sendable {
    /// `next` is nil if it never rings again. `from` is when it was set, if nothing vouched for the
    /// clock then: once the clock is set, `next` is reckoned anew from that moment.
    case waiting(next: Instant?, from: TimedMoment?)
    /// `ring` is the instant for which it was set: the one that is acknowledged.
    case ringing(ring: Instant, since: TimedMoment)
    case snoozing(ring: Instant, until: TimedMoment)
  }

  /// 1 and on: the lowest that was free when it was set.
  public let number: Int
  public internal(set) var plan: AlarmPlan
  public let origin: Origin
  public internal(set) var state: State
  /// When it was to ring next by a clock that was right, while it waits by one that may be wrong and
  /// that its owner lets speak; nil if `state` says it.
  public internal(set) var promised: Instant?
  /// The latest of its instants that is over: stopped, missed or silenced. It does not ring again.
  public internal(set) var acknowledged: Instant?
  /// The name that a person gave it, while an alarm of the configuration has that.
  public internal(set) var lostName: String?

  public init(
    number: Int, _ plan: AlarmPlan, from origin: Origin, state: State,
    promised: Instant? = nil, acknowledged: Instant? = nil, lostName: String? = nil
  ) {
    self.promised = promised
    self.lostName = lostName
    self.number = number
    self.plan = plan
    self.origin = origin
    self.state = state
    self.acknowledged = acknowledged
  }

  /// How long a snooze lasts, as LineageOS's clock has it (facts: timers).
  public static let snooze = Duration.seconds(600)

  public var name: String? { plan.name }

  /// When it rings next by the clock; nil if it rings, snoozes, or never rings again.
  public var next: Instant? {
    if case .waiting(let next, _) = state { next } else { nil }
  }

  /// The instant that it rings for, or will next; nil if it never rings again.
  var occasion: Instant? {
    switch state {
    case .waiting(let next, _): next
    case .ringing(let ring, _), .snoozing(let ring, _): ring
    }
  }

  /// A clock that is set moves it.
  var goesByClock: Bool {
    switch state {
    case .waiting: true
    case .ringing(_, let moment), .snoozing(_, let moment): moment.followsClock
    }
  }

  public var isRinging: Bool { if case .ringing = state { true } else { false } }

  /// It rings, or will when the snooze is over.
  public var isUp: Bool { if case .waiting = state { false } else { true } }

  /// As in `alarm 2` or `alarm "school"`.
  public var title: String { Horology.title("alarm", number, name) }

  /// For programs: waiting, ringing or snoozing.
  public var key: String {
    switch state {
    case .waiting: "waiting"
    case .ringing: "ringing"
    case .snoozing: "snoozing"
    }
  }

  /// What is wrong with a name, as a sentence goes on after it; nil if nothing is.
  public static func flaw(ofName name: String) -> String? {
    // The same names as those of timers.
    if !name.isEmpty && name.allSatisfy(\.isNumber) {
      return "it would be taken for the number of an alarm"
    }
    return Countdown.flaw(ofName: name)
  }
}
