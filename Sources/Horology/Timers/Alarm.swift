/// The settings of an alarm: when it rings, and how.
public struct AlarmPlan: Hashable, Sendable {
  /// Nil if no name was given.
  public var name: String?
  public var times: AlarmTimes
  /// The tune that rings; nil for the timers' signal.
  public var tune: Tune?
  /// Nil if it begins at its full level.
  public var rise: AlarmRise?

  public init(name: String? = nil, _ times: AlarmTimes) {
    self.name = name
    self.times = times
  }
}

/// A ring that grows louder.
public struct AlarmRise: Hashable, Sendable {
  /// Level at the start in dB, relative to the full level: less than 0, at least -60.
  public let decibels: Double
  /// From the start to the full level.
  public let length: Duration

  public static let usualDecibels = -24.0
  /// As long as the longest `ring_limit`.
  public static let longest = Duration.seconds(3600)

  /// Nil if `decibels` is not from -60 to below 0, or `length` is not above zero and at most an
  /// hour.
  public init?(from decibels: Double = usualDecibels, over length: Duration) {
    guard -60 <= decibels, decibels < 0, Duration.zero < length, length <= Self.longest else {
      return nil
    }
    self.decibels = decibels
    self.length = length
  }

  /// Parses `5min` or `-30dB 5min`; nil for `none`.
  public static func rise(text: String) throws(AlarmTextFlaw) -> AlarmRise? {
    if text == "none" { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    let level = words.count == 2 ? Decibels(text: words[0])?.value : usualDecibels
    guard words.count <= 2, let level, let last = words.last,
      let length = Duration(text: last),
      let rise = AlarmRise(from: level, over: length)
    else { throw .rise(text) }
    return rise
  }

  /// The level `span` after the ring began, in dB relative to the full level: at most 0.
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
    /// Set by the command or over the bus.
    case person
    /// From `[alarm NAME]`.
    case configuration
  }

  public enum State: Hashable, Sendable {
    /// `next` is nil if it never rings again. `from` is when it began to wait, if the clock was
    /// untrusted then; else nil. Once the clock is set, `next` is recalculated from that moment.
    case waiting(next: Instant?, from: TimedMoment?)
    /// `ring` is the instant that it was set for. The end of the ring acknowledges it.
    case ringing(ring: Instant, since: TimedMoment)
    case snoozing(ring: Instant, until: TimedMoment)
  }

  /// From 1; the lowest number that was free when it was set.
  public let number: Int
  public internal(set) var plan: AlarmPlan
  public let origin: Origin
  public internal(set) var state: State
  /// The next ring by a clock that was right. Only set while the alarm waits by a clock that may be
  /// wrong but that the owner lets speak; otherwise nil, and `state` has the next ring.
  public internal(set) var promised: Instant?
  /// The latest of its instants that is over: stopped, missed, silenced or expired. It does not
  /// ring for that instant again.
  public internal(set) var acknowledged: Instant?
  /// The ring that a person left out. It does not ring for that instant, whatever the clock shows.
  public internal(set) var skipped: Instant?

  public init(
    number: Int, _ plan: AlarmPlan, from origin: Origin, state: State,
    promised: Instant? = nil, acknowledged: Instant? = nil, skipped: Instant? = nil
  ) {
    self.skipped = skipped
    self.promised = promised
    self.number = number
    self.plan = plan
    self.origin = origin
    self.state = state
    self.acknowledged = acknowledged
  }

  /// The length of a snooze, as in LineageOS's clock (facts: timers).
  public static let snooze = Duration.seconds(600)

  public var name: String? { plan.name }

  /// It rings only after this instant.
  var over: Instant { [acknowledged, skipped].compactMap { $0 }.max() ?? AlarmTimes.beforeAll }

  /// When it rings next by the clock; nil if it rings, snoozes, or never rings again.
  public var next: Instant? {
    if case .waiting(let next, _) = state { next } else { nil }
  }

  /// The instant that it rings for now or will ring for next; nil if it never rings again.
  public var occasion: Instant? {
    switch state {
    case .waiting(let next, _): next
    case .ringing(let ring, _), .snoozing(let ring, _): ring
    }
  }

  /// True if setting the clock moves its next moment.
  var goesByClock: Bool {
    switch state {
    case .waiting: true
    case .ringing(_, let moment), .snoozing(_, let moment): moment.followsClock
    }
  }

  public var isRinging: Bool { if case .ringing = state { true } else { false } }

  /// True if it rings or snoozes.
  var isUp: Bool { if case .waiting = state { false } else { true } }

  /// As in `alarm 2` or `alarm "school"`.
  public var title: String { titleOfNumbered("alarm", number, name) }

  /// For programs: waiting, ringing or snoozing.
  public var key: String {
    switch state {
    case .waiting: "waiting"
    case .ringing: "ringing"
    case .snoozing: "snoozing"
    }
  }

  /// What is wrong with a name, as a clause for a message; nil if it can be used.
  public static func flaw(ofName name: String) -> String? {
    // The rules are those for the names of timers.
    if !name.isEmpty && name.allSatisfy(\.isNumber) {
      return "it would be taken for the number of an alarm"
    }
    return Countdown.flaw(ofName: name)
  }
}
