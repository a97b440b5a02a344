/// A local time of day, to the minute.
public struct TimeOfDay: Hashable, Sendable {
  /// Since midnight: 0 to 1439.
  public let minutes: Int

  /// Nil if the hour is not 0 to 23, or the minute not 0 to 59.
  public init?(hour: Int, minute: Int) {
    guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
    minutes = hour * 60 + minute
  }

  /// `HH:MM`, as in `07:00`.
  public init(text: some StringProtocol) throws(AlarmTextFlaw) {
    guard let numbers = CivilDateTime.numbers(text, separator: ":", digits: [2, 2]),
      let time = TimeOfDay(hour: numbers[0], minute: numbers[1])
    else { throw .time(String(text)) }
    self = time
  }

  public var hour: Int { minutes / 60 }
  public var minute: Int { minutes % 60 }
}

extension TimeOfDay: CustomStringConvertible {
  /// `07:00`.
  public var description: String { "\(twoDigits(hour)):\(twoDigits(minute))" }
}
