/// A timer or an alarm. It rings when it is due, until somebody stops it.
public struct Reminder: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// Is due when a span of time has passed.
    case timer
    /// Is due at a local time of day.
    case alarm
  }

  public enum Plan: Hashable, Sendable {
    /// From its start to zero, including time that was added.
    case timer(Duration, name: String?)
    case alarm(AlarmPlan)
  }

  /// Who has set it.
  public enum Origin: String, CaseIterable, Sendable {
    /// The command, or somebody over the bus.
    case person
    /// From `[alarm NAME]`.
    case configuration
  }

  public enum State: Hashable, Sendable {
    /// Until it is due; nil for an alarm that never rings again.
    case waiting(TimedMoment?)
    /// Only a timer.
    case paused(left: Duration)
    case ringing(since: TimedMoment)
    /// Only an alarm.
    case snoozing(until: TimedMoment)
  }

  /// From 1; the lowest number that was free among its kind when it was set.
  public let number: Int
  public internal(set) var plan: Plan
  public let origin: Origin
  public internal(set) var state: State
  /// The instant that an alarm rings or is snoozed for.
  public internal(set) var occasion: Instant?
  /// The last local date for which an alarm rang, or that a person left out. It rings on later ones
  /// only. Nil if there was none yet.
  public internal(set) var done: CivilDate?
  /// An alarm rings only after this: when it was set, or when it was last told as missed. Nil if no
  /// clock that alarms go by has shown it yet.
  public internal(set) var from: Instant?

  public init(
    number: Int, _ plan: Plan, from origin: Origin = .person, state: State,
    occasion: Instant? = nil, done: CivilDate? = nil, after from: Instant? = nil
  ) {
    self.number = number
    self.plan = plan
    self.origin = origin
    self.state = state
    self.occasion = occasion
    self.done = done
    self.from = from
  }

  /// The length of a snooze, as in LineageOS's clock (facts: timers).
  public static let snooze = Duration.seconds(600)
  /// The longest timer: 31 days.
  public static let longest = Duration.seconds(31 * 86_400)
  /// The shortest.
  public static let shortest = Duration.seconds(1)
  /// Maximum number of characters in a name.
  public static let longestName = 40
  /// Maximum number of bytes in a name: one character can have many.
  static let largestName = 4 * longestName

  // MARK: What it is

  public var kind: Kind { if case .timer = plan { .timer } else { .alarm } }

  /// Nil if no name was given.
  public internal(set) var name: String? {
    get {
      switch plan {
      case .timer(_, let name): name
      case .alarm(let plan): plan.name
      }
    }
    set {
      switch plan {
      case .timer(let length, _): plan = .timer(length, name: newValue)
      case .alarm(var alarm):
        alarm.name = newValue
        plan = .alarm(alarm)
      }
    }
  }

  /// Of a timer; nil for an alarm.
  public var length: Duration? { if case .timer(let length, _) = plan { length } else { nil } }

  /// Of an alarm; nil for a timer.
  public var alarm: AlarmPlan? { if case .alarm(let plan) = plan { plan } else { nil } }

  /// True if it is gone after it has rung.
  var isOnce: Bool { alarm?.times.days.isOnce ?? true }

  var source: Cue.Source { kind == .timer ? .timer(number) : .alarm(number) }

  /// As in `timer 2` or `alarm "school"`.
  public var title: String { Self.title(kind, number, name) }

  public static func title(_ kind: Kind, _ number: Int, _ name: String?) -> String {
    name.map { "\(kind) \"\($0)\"" } ?? "\(kind) \(number)"
  }

  /// As in `2` or `2 "tea"`.
  public var numberAndName: String { name.map { "\(number) \"\($0)\"" } ?? "\(number)" }

  /// The phrases that name a timer, the best first.
  public var phrases: [TimerPhrase] {
    [name.map { .name($0) }, length.map { .timer($0) }].compactMap { $0 }
  }

  // MARK: When

  public var isRinging: Bool { if case .ringing = state { true } else { false } }

  /// True if it rings or snoozes.
  public var isUp: Bool {
    switch state {
    case .ringing, .snoozing: true
    case .waiting, .paused: false
    }
  }

  /// The moment of its state: when it is due, rings again, or began to ring.
  var moment: TimedMoment? {
    get {
      switch state {
      case .waiting(let due): due
      case .paused: nil
      case .ringing(let moment), .snoozing(let moment): moment
      }
    }
    set {
      switch (state, newValue) {
      case (.waiting, let due): state = .waiting(due)
      case (.ringing, let since?): state = .ringing(since: since)
      case (.snoozing, let until?): state = .snoozing(until: until)
      case (.paused, _), (_, nil): break
      }
    }
  }

  /// By the clock: when it rings next, or the time for which it rings or is snoozed. Nil if it is
  /// paused or never rings again.
  public var due: Instant? { isUp ? occasion ?? moment?.shown : moment?.shown }

  /// When it rings next or again; nil if it rings, is paused, or never rings again.
  public var next: Instant? { isRinging ? nil : moment?.shown }

  /// How long it is until a timer is at zero; zero while it rings.
  func left(at now: Now) -> Duration {
    switch state {
    case .waiting(let zero): max(zero?.left(at: now) ?? .zero, .zero)
    case .paused(let left): left
    case .ringing, .snoozing: .zero
    }
  }

  /// The same by the clock.
  public func left(at instant: Instant) -> Duration {
    switch state {
    case .waiting(let zero): max((zero?.shown ?? instant) - instant, .zero)
    case .paused(let left): left
    case .ringing, .snoozing: .zero
    }
  }

  // MARK: Names

  /// What is wrong with a name, as a clause for a message; nil if it can be used.
  public static func flaw(ofName name: String, _ kind: Kind) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.count > longestName { return "it has more than \(longestName) characters" }
    if name.utf8.count > largestName { return "it has more than \(largestName) bytes" }
    // A name must not end a line of the journal or reverse its direction.
    if name.unicodeScalars.contains(where: \.steersTerminals) {
      return "it has a control character, such as the end of a line"
    }
    if !name.unicodeScalars.contains(where: \.isVisible) { return "nothing of it can be seen" }
    if name.first?.isWhitespace != false || name.last?.isWhitespace != false {
      return "it begins or ends with a space"
    }
    let article = kind == .timer ? "a" : "an"
    return name.allSatisfy(\.isNumber)
      ? "it would be taken for the number of \(article) \(kind)" : nil
  }
}

extension Reminder.Kind: CustomStringConvertible {
  public var description: String { rawValue }
}

extension Unicode.Scalar {
  /// False for spaces, and for scalars that only join or shape others.
  fileprivate var isVisible: Bool {
    !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace
      && properties.generalCategory != .format
  }
}
