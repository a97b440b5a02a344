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

  /// As the page reads it, whatever a person typed: `22:00-07:00 -12dB`.
  public var text: String {
    rules.isEmpty
      ? "none"
      : rules.map { "\($0.times.text) \(Decibels.text($0.decibels))" }.joined(separator: ", ")
  }

  private static func rule(_ text: Substring) throws(TimesError) -> Rule {
    var words = text.split(separator: " ")
    // The unit may stand apart.
    let unit = words.last?.lowercased() == "db" ? "\(words.removeLast())" : ""
    guard let level = words.popLast(), !words.isEmpty, let decibels = Decibels(text: level + unit)
    else {
      throw TimesError(
        description: "'\(text.shortened)' is not times and a level from -60dB to 0dB, as in "
          + "22:00-07:00 -12dB")
    }
    let times = words.joined(separator: " ")
    return Rule(times: try QuietHours(text: times), decibels: decibels.value)
  }
}

/// A level, relative to another.
public struct Decibels {
  /// At least -60.
  public let value: Double

  /// As in `-12dB` or `-7.25dB`: to a hundredth.
  public static func text(_ level: Double) -> String {
    let value = (level * 100).rounded() / 100
    return "\(Int(exactly: value).map { "\($0)" } ?? "\(value)")dB"
  }

  /// As in `-12dB` or `-12 dB`. Nil for anything else, and for levels outside of -60 to `most`.
  public init?(text: some StringProtocol, to most: Double = 0) {
    let text = text.plain.lowercased()
    let number = text.dropLast(2).plain
    // Double also reads hexadecimal digits and exponents.
    guard text.hasSuffix("db"), number.allSatisfy({ $0.isASCIIDigit || "+-.".contains($0) }),
      let value = Double(number), (-60...most).contains(value)
    else { return nil }
    self.value = value
  }

  /// The same, also without its unit where nothing but a level can stand: `-12`.
  public init?(level: String, to most: Double = 0) {
    guard let known = Decibels(text: level, to: most) ?? Decibels(text: level + "dB", to: most)
    else { return nil }
    self = known
  }
}
