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
  /// A part of a name: itself, or what stands for a part of the time.
  private enum Piece: Hashable {
    case text(String)
    case hour12, hour24, minute, units, ampm

    static let placeholders: [Substring: Piece] = [
      "hour12": .hour12, "hour24": .hour24, "minute": .minute, "units": .units,
      "ampm": .ampm,
    ]

    func filled(hour: Int, minute: Int) -> String {
      switch self {
      case .text(let text): text
      // There is no zero o'clock: midnight and noon are both twelve (facts: voices, grammars).
      case .hour12: "\((hour + 11) % 12 + 1)"
      case .hour24: "\(hour)"
      case .minute: "\(minute)"
      case .units: "\(minute % 10)"
      case .ampm: hour < 12 ? "am" : "pm"
      }
    }
  }

  private struct Rule: Hashable {
    /// Four digits, nil for any.
    let digits: [Int?]
    /// The names, in their pieces.
    let names: [[Piece]]

    func matches(hour: Int, minute: Int) -> Bool {
      zip(digits, [hour / 10, hour % 10, minute / 10, minute % 10]).allSatisfy {
        $0 == nil || $0 == $1
      }
    }
  }

  private var rules: [Rule] = []

  public init() {}

  /// Adds a rule after those there are. False if the pattern is not four digits or `*`, or the
  /// phrase is empty or holds a placeholder that does not exist; then nothing is added.
  public mutating func add(pattern: String, phrase: String) -> Bool {
    let names = phrase.split(whereSeparator: \.isWhitespace).map(Self.pieces)
    guard pattern.count == 4, pattern.allSatisfy({ $0 == "*" || $0.isASCIIDigit }),
      !names.isEmpty, !names.contains(nil)
    else { return false }
    rules.append(Rule(digits: pattern.map(\.wholeNumberValue), names: names.compactMap { $0 }))
    return true
  }

  /// The clip names that say `hour` (0...23) and `minute` (0...59), in order; nil if no rule
  /// matches.
  public func phrase(hour: Int, minute: Int) -> [String]? {
    rules.first { $0.matches(hour: hour, minute: minute) }?.names.map { pieces in
      pieces.reduce(into: "") { $0 += $1.filled(hour: hour, minute: minute) }
    }
  }

  /// The pieces of a name; nil if its braces do not pair, or hold no placeholder.
  private static func pieces(_ name: Substring) -> [Piece]? {
    var pieces: [Piece] = []
    for (index, part) in name.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      let halves = part.split(separator: "}", omittingEmptySubsequences: false)
      if index > 0 {
        guard halves.count == 2, let placeholder = Piece.placeholders[halves[0]] else { return nil }
        pieces.append(placeholder)
      } else if halves.count > 1 {
        return nil
      }
      pieces.append(.text(String(halves[halves.count - 1])))
    }
    return pieces.filter { $0 != .text("") }
  }
}
