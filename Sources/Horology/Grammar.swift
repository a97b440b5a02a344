/// The two faces that a spoken time may have.
public enum HourFormat: String, CaseIterable, Sendable {
  case twelve = "12"
  case twentyFour = "24"
}

/// How a language says a time: rules that turn hour and minute into a chain of clip names.
///
/// A rule is a pattern of four characters, `hhmm` in 24 hours with `*` for any digit, and a
/// phrase: names separated by spaces, in which `{hour12}`, `{hour24}`, `{minute}`, `{units}` and
/// `{ampm}` stand for 1...12, 0...23, 0...59, the minute's last digit, and `am` or `pm`. The first
/// rule that matches is spoken.
public struct Grammar: Hashable, Sendable {
  private enum TimeBlank: String, Blank {
    case hour12, hour24, minute, units, ampm

    func filled(hour: Int, minute: Int) -> String {
      switch self {
      // There is no zero o'clock: midnight and noon are both twelve (facts: voices, grammars).
      case .hour12: "\((hour + 11) % 12 + 1)"
      case .hour24: "\(hour)"
      case .minute: "\(minute)"
      case .units: "\(minute % 10)"
      case .ampm: hour < 12 ? "am" : "pm"
      }
    }
  }

  private var rules = PhraseRules<TimeBlank>(digitCount: 4)

  public init() {}

  /// Adds a rule after those there are. False if the pattern is not four digits or `*`, or the
  /// phrase is empty or holds a placeholder that does not exist; then nothing is added.
  public mutating func add(pattern: String, phrase: String) -> Bool {
    rules.add(pattern: pattern, phrase: phrase)
  }

  /// The clip names that say `hour` (0...23) and `minute` (0...59), in order; nil if no rule
  /// matches.
  public func phrase(hour: Int, minute: Int) -> [String]? {
    rules.phrase([hour / 10, hour % 10, minute / 10, minute % 10]) {
      $0.filled(hour: hour, minute: minute)
    }
  }
}
