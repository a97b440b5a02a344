/// The two faces that a spoken time may have.
public enum HourFormat: String, CaseIterable, Sendable {
  case twelve = "12"
  case twentyFour = "24"
}

/// How a language says a time: rules that turn hour and minute into a chain of clip names.
///
/// A rule is a pattern of four characters, `hhmm` in 24 hours with `*` for any digit, and a
/// phrase: names separated by spaces, in which `{hour12}`, `{hour24}`, `{minute}` and `{ampm}`
/// stand for 1...12, 0...23, 0...59 and `am` or `pm`. The first rule that matches is spoken.
public struct Grammar: Hashable, Sendable {
  private struct Rule: Hashable {
    let pattern: [Character]
    let names: [Substring]

    func matches(_ digits: [Character]) -> Bool {
      zip(pattern, digits).allSatisfy { $0 == "*" || $0 == $1 }
    }
  }

  private var rules: [Rule] = []

  public init() {}

  /// Adds a rule after those there are. False if the pattern is not four digits or `*`, or the
  /// phrase is empty or holds a placeholder that does not exist; then nothing is added.
  public mutating func add(pattern: String, phrase: String) -> Bool {
    let rule = Rule(pattern: Array(pattern), names: phrase.split(separator: " "))
    guard rule.pattern.count == 4, rule.pattern.allSatisfy({ $0 == "*" || $0.isASCIIDigit }),
      !rule.names.isEmpty,
      rule.names.allSatisfy({ !Self.fill($0, hour: 0, minute: 0).contains { "{}".contains($0) } })
    else { return false }
    rules.append(rule)
    return true
  }

  /// The clip names that say `hour` (0...23) and `minute` (0...59), in order; nil if no rule
  /// matches.
  public func phrase(hour: Int, minute: Int) -> [String]? {
    let digits = Array(twoDigits(hour) + twoDigits(minute))
    guard let rule = rules.first(where: { $0.matches(digits) }) else { return nil }
    return rule.names.map { Self.fill($0, hour: hour, minute: minute) }
  }

  private static func fill(_ name: Substring, hour: Int, minute: Int) -> String {
    // There is no zero o'clock: midnight and noon are both twelve (facts: voices, grammars).
    let values = [
      "{hour12}": "\((hour + 11) % 12 + 1)", "{hour24}": "\(hour)", "{minute}": "\(minute)",
      "{ampm}": hour < 12 ? "am" : "pm",
    ]
    var filled = ""
    var rest = name
    while let open = rest.firstIndex(of: "{") {
      filled += rest[..<open]
      rest = rest[open...]
      guard let close = rest.firstIndex(of: "}"), let value = values[String(rest[...close])]
      else { break }
      filled += value
      rest = rest[rest.index(after: close)...]
    }
    return filled + rest
  }
}
