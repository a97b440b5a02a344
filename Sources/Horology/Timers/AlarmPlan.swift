import Basics

public struct AlarmPlan: Hashable, Sendable {
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

public struct AlarmRise: Hashable, Sendable {
  /// Level at the start in dB, relative to the full level: less than 0, at least -60.
  public let decibels: Double
  public let length: Duration

  public static let usualDecibels = -24.0
  /// As long as the longest `ring_limit`.
  public static let longest = Duration.seconds(3600)

  /// Nil for a level that is not from -60 to below 0, or a length that is not above zero or above
  /// an hour.
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
    let written = text.plain.lowercased()
    // The level ends with its unit.
    let level = written.first == "-" ? "\(written.prefix { $0 != "b" })b" : ""
    guard let decibels = level.isEmpty ? usualDecibels : Decibels(text: level)?.value,
      let length = Duration(text: written.dropFirst(level.count)),
      let rise = AlarmRise(from: decibels, over: length)
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

/// A text that is no time of day, weekdays, date or rise of an alarm.
public struct AlarmTextFlaw: Error, Hashable, CustomStringConvertible {
  /// One sentence: what is wrong, and what to write.
  public let description: String

  private init(_ text: String, _ words: String) {
    description = "'\(text.shortened)' is \(words)"
  }

  static func time(_ text: String) -> Self {
    Self(text, "no time of day; write HH:MM, as in 07:00, from 00:00 to 23:59")
  }

  static func days(_ text: String) -> Self {
    Self(text, "not \(Weekday.rangeInWords); separate several by commas")
  }

  static func date(_ text: String) -> Self {
    Self(text, "no day; write it as 2026-12-24, up to \(CivilDate.years.upperBound)-12-31")
  }

  static func rise(_ text: String) -> Self {
    Self(
      text,
      "no rise; write how long it takes, up to 1h, as in 5min, or before it the level at which it "
        + "begins, as in -30dB 5min")
  }
}
