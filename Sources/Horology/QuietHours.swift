import Basics

/// Local times of day in which occasions do not sound.
public struct QuietHours: Hashable, Sendable {
  /// One stretch of quiet, on the days on which it begins.
  public struct Window: Hashable, Sendable {
    public let days: Set<Weekday>
    /// Minutes since midnight; quiet from the first moment of this one, 0 to 1439.
    public let from: Int
    /// Minutes since midnight; sounding again from this one, 0 to 1440. If it is not later than
    /// `from`, the window ends on the next day.
    public let to: Int

    func contains(_ time: CivilTime) -> Bool {
      let minute = time.minuteOfDay
      if from < to { return days.contains(time.weekday) && (from..<to).contains(minute) }
      return (days.contains(time.weekday) && minute >= from)
        || (days.contains(time.weekday.previous) && minute < to)
    }
  }

  public let windows: [Window]

  /// No quiet at all.
  public static let none = QuietHours(windows: [])

  /// True if an occasion at `time` is quiet: from the first moment of a window, up to but not
  /// including its end.
  public func contains(_ time: CivilTime) -> Bool {
    windows.contains { $0.contains(time) }
  }
}

/// Why a text cannot be read as times of day.
public struct TimesError: Error, Hashable, CustomStringConvertible {
  public let description: String
}

extension QuietHours.Window {
  fileprivate var text: String {
    let times = [from, to].map { "\(twoDigits($0 / 60)):\(twoDigits($0 % 60))" }
    let ends = Weekday.allCases.filter { days.contains($0) != days.contains($0.previous) }
    guard let first = ends.first(where: days.contains),
      let last = ends.first(where: { !days.contains($0) })?.previous
    else { return times.joined(separator: "-") }
    let range = first == last ? [first] : [first, last]
    let names = range.map { Weekday.text([$0]) }.joined(separator: "-")
    return "\(names) \(times.joined(separator: "-"))"
  }
}

extension QuietHours {
  /// Quiet hours as configuration files write them: windows separated by commas, each a pair of
  /// local times with optional weekdays before it, as in
  /// `mon-fri 22:00-07:00, sat-sun 23:00-09:00`; `none` or empty text is no quiet.
  public init(text: String) throws(TimesError) {
    windows = try Self.parts(of: text).map(Self.window)
  }

  /// As the page reads it, whatever a person typed: `mon-fri 22:00-07:00, sat 23:00-09:00`.
  public var text: String { windows.isEmpty ? "none" : windows.map(\.text).joined(separator: ", ") }

  static func parts(of text: String) -> [Substring] {
    let text = text.plain
    let isNone = text.isEmpty || text == "none"
    return isNone ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
  }

  private static func window(_ text: Substring) throws(TimesError) -> Window {
    let (names, times) = (text.prefix { !$0.isASCIIDigit }.plain, text.drop { !$0.isASCIIDigit })
    guard !times.isEmpty else {
      throw TimesError(
        description: "'\(text.shortened)' is not a time of day like 22:00-07:00 or "
          + "mon-fri 22:00-07:00")
    }
    guard let days = names.isEmpty ? Set(Weekday.allCases) : Weekday.range(names) else {
      throw TimesError(description: "'\(names.shortened)' is not \(Weekday.rangeInWords)")
    }
    let ends = times.split(separator: "-", omittingEmptySubsequences: false).map {
      $0.plain == "24:00" ? 1440 : (try? TimeOfDay(text: $0))?.minutes
    }
    guard ends.count == 2, let from = ends[0], let to = ends[1], from < 1440, from != to else {
      throw TimesError(
        description: "'\(times.shortened)' is not a time of day from-to, like 22:00-07:00; a whole "
          + "day is 00:00-24:00")
    }
    return Window(days: days, from: from, to: to)
  }
}
