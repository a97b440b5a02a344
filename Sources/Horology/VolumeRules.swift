import Basics

/// Local times of day in which everything is quieter.
public struct VolumeRules: Hashable, Sendable {
  /// A stretch of time, and its level in dB, at most 0.
  public struct Rule: Hashable, Sendable {
    public let times: QuietHours
    public let decibels: Double
  }

  public let rules: [Rule]

  /// Always at full level.
  public static let none = VolumeRules(rules: [])

  /// The level in dB of what sounds at `time`; the quietest, if several rules hold.
  public func decibels(at time: @autoclosure () -> CivilTime) -> Double {
    rules.filter { $0.times.contains(time()) }.map(\.decibels).min() ?? 0
  }
}

extension VolumeRules {
  /// Rules as configuration files write them: like quiet hours, each followed by its level, as in
  /// `22:00-07:00 -12dB, sat-sun 07:00-09:00 -6dB`; `none` or empty text is no rule.
  public init(text: String) throws(TimesError) {
    rules = try QuietHours.parts(of: text).map(Self.rule)
  }

  private static func rule(_ text: Substring) throws(TimesError) -> Rule {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let level = words.last, words.count > 1, let decibels = Decibels(text: level) else {
      throw TimesError(
        description: "'\(text.shortened)' is not times and a level from -60dB to 0dB, as in "
          + "22:00-07:00 -12dB")
    }
    let times = words.dropLast().joined(separator: " ")
    return Rule(times: try QuietHours(text: times), decibels: decibels.value)
  }
}

/// A level, relative to another.
public struct Decibels {
  /// At least -60.
  public let value: Double

  /// As in `-12dB`. Nil for anything else, and for levels outside of -60 to `most`.
  public init?(text: some StringProtocol, to most: Double = 0) {
    // Double also reads hexadecimal digits.
    guard text.hasSuffix("dB"), !text.contains("x"), !text.contains("X"),
      let value = Double(text.dropLast(2)), (-60...most).contains(value)
    else { return nil }
    self.value = value
  }
}
