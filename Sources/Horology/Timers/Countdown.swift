/// A timer that counts down to zero, and then rings until it is stopped.
public struct Countdown: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    case running(zero: TimedMoment)
    case paused(left: Duration)
    /// It has reached zero, and rings.
    case ringing(since: TimedMoment)
  }

  /// From 1; the lowest number that was free when it was started.
  public let number: Int
  /// Nil if no name was given.
  public let name: String?
  /// From its start to zero, including time that was added.
  public internal(set) var length: Duration
  public internal(set) var state: State

  public init(number: Int, name: String?, length: Duration, state: State) {
    self.number = number
    self.name = name
    self.length = length
    self.state = state
  }

  /// The longest length that can be set: 31 days.
  public static let longest = Duration.seconds(31 * 86_400)
  /// The shortest.
  public static let shortest = Duration.seconds(1)
  /// Maximum number of characters in a name.
  public static let longestName = 40
  /// Maximum number of bytes in a name: one character can have many.
  static let largestName = 4 * longestName

  /// How long it is until zero; zero while it rings.
  public func left(at now: Now) -> Duration {
    switch state {
    case .running(let zero): max(zero.left(at: now), .zero)
    case .paused(let left): left
    case .ringing: .zero
    }
  }

  /// How long it is until zero, by the clock.
  public func left(at instant: Instant) -> Duration {
    if case .running(let zero) = state { return max(zero.shown - instant, .zero) }
    if case .paused(let left) = state { return left }
    return .zero
  }

  /// When it is at zero, or began to ring, by the clock; nil while it is paused.
  public var due: Instant? { state.moment?.shown }

  public var isRinging: Bool { if case .ringing = state { true } else { false } }

  /// As in `timer 2` or `timer "tea"`.
  public var title: String { titleOfNumbered("timer", number, name) }

  /// For programs: running, paused or ringing.
  public var key: String {
    switch state {
    case .running: "running"
    case .paused: "paused"
    case .ringing: "ringing"
    }
  }

  /// What is wrong with a name, as a clause for a message; nil if it can be used.
  public static func flaw(ofName name: String) -> String? {
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
    return name.allSatisfy(\.isNumber) ? "it would be taken for the number of a timer" : nil
  }
}

extension Unicode.Scalar {
  /// False for spaces, and for scalars that only join or shape others.
  fileprivate var isVisible: Bool {
    !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace
      && properties.generalCategory != .format
  }
}

extension Countdown {
  /// The phrases that name it, the best first.
  public var phrases: [TimerPhrase] { [name.map { .name($0) }, .timer(length)].compactMap { $0 } }
}
