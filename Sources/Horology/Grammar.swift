/// Which part of the day a time belongs to: rules that turn hour and minute into a clip name.
public struct DayParts: Hashable, Sendable {
  private var rules = PhraseRules(digitCount: 4)

  public init() {}

  /// Adds a rule after the existing ones. False, and nothing is added, if the pattern is not four
  /// digits or `*`, or the name is not one word.
  public mutating func add(pattern: String, name: String) -> Bool {
    !name.contains(where: \.isWhitespace) && rules.add(pattern: pattern, phrase: name)
  }

  /// The name for `hour` (0...23) and `minute` (0...59); nil if no rule matches.
  public func name(hour: Int, minute: Int) -> String? {
    rules.phrase([hour / 10, hour % 10, minute / 10, minute % 10])?.first
  }
}

/// How a language says a time: rules that turn hour and minute into a chain of clip names.
///
/// A rule is a pattern of four characters, `hhmm` in 24 hours with `*` for any digit, and a phrase:
/// names separated by spaces, with blanks. The first rule that matches is spoken. The blanks are:
/// - `{hour12}` and `{next12}`: the hour and the one after it, 1...12.
/// - `{hour24}`: the hour, 0...23.
/// - `{minute}` and `{units}`: the minute, 0...59, and its last digit.
/// - `{until}`: the minutes until the next hour, 1...60.
/// - `{ampm}`: `am` or `pm`.
/// - `{day}`: the part of the day.
public struct Grammar: Hashable, Sendable {
  private static let names = [
    "hour12", "next12", "hour24", "minute", "units", "until", "ampm", "day",
  ]

  /// The blanks that a phrase may have, as text for a reader.
  public static let blanks = names.map { "{\($0)}" }.joined(separator: ", ")

  private var rules = PhraseRules(digitCount: 4, blanks: Set(names))

  public init() {}

  /// Adds a rule after the existing ones. False, and nothing is added, if the pattern is not four
  /// digits or `*`, or the phrase is empty or holds a blank that does not exist.
  public mutating func add(pattern: String, phrase: String) -> Bool {
    rules.add(pattern: pattern, phrase: phrase)
  }

  /// The clip names that say `hour` (0...23) and `minute` (0...59), in order; nil if no rule
  /// matches, or if the rule wants a part of the day and none matches.
  public func phrase(hour: Int, minute: Int, dayParts: DayParts = DayParts()) -> [String]? {
    rules.phrase([hour / 10, hour % 10, minute / 10, minute % 10]) { blank in
      switch blank {
      // There is no zero o'clock: midnight and noon are both twelve.
      case "hour12": "\((hour + 11) % 12 + 1)"
      case "next12": "\(hour % 12 + 1)"
      case "hour24": "\(hour)"
      case "minute": "\(minute)"
      case "units": "\(minute % 10)"
      case "until": "\(60 - minute)"
      case "ampm": hour < 12 ? "am" : "pm"
      case "day": dayParts.name(hour: hour, minute: minute)
      default: nil
      }
    }
  }
}

/// The two formats of a spoken time.
public enum HourFormat: String, CaseIterable, Sendable {
  case twelve = "12"
  case twentyFour = "24"
}

/// Which of a voice's ways to say a time is used.
public struct Wording: Hashable, Sendable {
  /// The style of `[clock 12]` and `[clock 24]`, which every voice has: "three fifteen P M".
  public static let digital = "digital"
  public static let twelve = Wording(.twelve)

  public var format: HourFormat
  /// The voice's name for the style.
  public var style: String
  /// True if the voice's opening words come first, as in "it is noon".
  public var opens = false

  public init(_ format: HourFormat, style: String = Wording.digital) {
    self.format = format
    self.style = style
  }
}
