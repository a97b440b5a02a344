/// A timer or an alarm. It rings when it is due, until somebody stops it.
public struct Reminder: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case timer
    case alarm
  }

  public enum Plan: Hashable, Sendable {
    case timer(TimerPlan)
    indirect case alarm(AlarmPlan)
  }

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

  /// From 1; see `Numbers`.
  public let number: Int
  public internal(set) var plan: Plan
  public let origin: Origin
  public internal(set) var state: State
  /// An alarm rings at the first of its times after this instant: when it was set, or rang last.
  /// Nil if no clock that alarms go by has shown the time since it was set.
  public internal(set) var after: Instant?
  /// A person left out the rings of an alarm up to this instant; nil for none.
  public internal(set) var skipped: Instant?
  /// A person has turned an alarm off: it is kept, and does not ring.
  public internal(set) var isOff = false

  public init(
    number: Int, _ plan: Plan, from origin: Origin = .person, state: State, after: Instant? = nil,
    skipped: Instant? = nil
  ) {
    self.number = number
    self.plan = plan
    self.origin = origin
    self.state = state
    self.after = after
    self.skipped = skipped
  }

  /// The length of a snooze, as in LineageOS's clock.
  public static let snooze = Duration.seconds(600)
  public static let longest = Duration.seconds(31 * 86_400)
  public static let shortest = Duration.seconds(1)
  /// Maximum number of characters in a name, as Unicode counts scalars: of at most 4 bytes each.
  public static let longestName = 40

  // MARK: What it is

  public var kind: Kind { if case .timer = plan { .timer } else { .alarm } }

  public var name: String? {
    switch plan {
    case .timer(let plan): plan.name
    case .alarm(let plan): plan.name
    }
  }

  public var length: Duration? { if case .timer(let plan) = plan { plan.length } else { nil } }

  public var alarm: AlarmPlan? { if case .alarm(let plan) = plan { plan } else { nil } }

  /// True if it is gone after it has rung.
  var isOnce: Bool { alarm?.times.days.isOnce ?? true }

  public var source: Cue.Source { kind == .timer ? .timer(number) : .alarm(number) }

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

  /// As it is saved: the clock alone says when an alarm that waits rings.
  public var saved: Reminder {
    var saved = self
    if waitsByClock, let due = moment {
      saved.moment = TimedMoment(sinceBoot: .zero, shown: due.shown, followsClock: true)
    }
    return saved
  }

  /// By the clock: when it rings next, or the time for which it rings or is snoozed.
  public var due: Instant? { isUp ? after ?? moment?.shown : moment?.shown }

  /// When it rings next or again; nil if it rings, is paused, or never rings again.
  public var next: Instant? { isRinging ? nil : moment?.shown }

  /// How long it is until a timer is at zero; zero while it rings.
  func left(at now: Now) -> Duration { left { $0.left(at: now) } }

  public func left(at instant: Instant) -> Duration { left { $0.shown - instant } }

  private func left(until zero: (TimedMoment) -> Duration) -> Duration {
    switch state {
    // By a clock that is behind, it might seem to be more than its whole length.
    case .waiting(let moment?): min(max(zero(moment), .zero), length ?? .zero)
    case .paused(let left): left
    case .waiting(nil), .ringing, .snoozing: .zero
    }
  }

  /// The level of the ring at a moment since the machine started, relative to its full level.
  func rise(at moment: Duration) -> Double {
    guard let begun = self.moment, let rise = alarm?.rise else { return 0 }
    return rise.decibels(after: moment - begun.sinceBoot)
  }

  // MARK: Names

  /// What is wrong with a name, as a clause for a message; nil if it can be used.
  public static func flaw(ofName name: String, _ kind: Kind) -> String? {
    if name.unicodeScalars.allSatisfy({ $0 == " " || !$0.isPrintable }) { return "it is empty" }
    if name.unicodeScalars.count > longestName {
      return "it has more than \(longestName) characters"
    }
    // A name must not end a line of the journal or reverse its direction.
    if name.unicodeScalars.contains(where: \.steersTerminals) {
      return "it has a control character, such as the end of a line"
    }
    if name.first?.isWhitespace == true || name.last?.isWhitespace == true {
      return "it begins or ends with a space"
    }
    return name.allSatisfy(\.isNumber)
      ? "it would be taken for the number of \(kind.article) \(kind)" : nil
  }
}

extension [Reminder] {
  /// Those with this number or name. How a name is typed does not matter if only one is meant.
  public func called(_ which: String) -> [Reminder] {
    let exact = filter { $0.name == which || String($0.number) == which }
    let named = exact.isEmpty ? filter { $0.name?.reads(as: which) == true } : []
    return named.count == 1 ? named : exact
  }
}

extension String {
  /// True if nobody can tell the two names apart when they are said: capitals do not count, nor which
  /// spaces and dashes were typed.
  public func reads(as other: String) -> Bool { spoken == other.spoken }

  fileprivate var spoken: [Substring] { plain.lowercased().split(separator: " ") }
}

extension [String] {
  /// Names of alarms of which two read the same: one of a file may have that of another, or of one that
  /// a person has set. Nil if all differ.
  public var namesakes: String? {
    let alike = Dictionary(grouping: self) { $0.spoken }.values.filter { $0.count > 1 }
    guard let names = alike.min(by: { $0[0] < $1[0] }) else { return nil }
    let quoted = names.map { "\"\($0)\"" }.joined(separator: " and ")
    return "the alarms \(quoted) have the same name, and all ring; remove or rename one"
  }
}

extension Reminder.Kind: CustomStringConvertible {
  public var description: String { rawValue }

  var article: String { self == .timer ? "a" : "an" }
}

extension Reminder {
  /// True if its moment is an instant of the clock: an alarm that waits for its time.
  var waitsByClock: Bool { if case .waiting = state { kind == .alarm } else { false } }
}
