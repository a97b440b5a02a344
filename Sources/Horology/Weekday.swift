/// A day of the week, numbered as C's `tm_wday`.
public enum Weekday: Int, CaseIterable, Sendable {
  case sunday, monday, tuesday, wednesday, thursday, friday, saturday

  private static let names = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  /// The first three letters, as in `mon`: how configuration files write it.
  public var abbreviation: String { String(Self.names[rawValue].prefix(3)) }

  /// As in `mon`, `thurs`, `Monday` or `mondays`.
  private init?(text: String) {
    let word = text.lowercased()
    let day = Self.names.firstIndex { word.count > 2 && "\($0)s".hasPrefix(word) }
    guard let day else { return nil }
    self.init(rawValue: day)
  }

  /// The day before, with Saturday before Sunday.
  public var previous: Weekday {
    Weekday(rawValue: (rawValue + 6) % 7)!
  }
}

/// Days of the week as configuration files and commands write them.
extension Weekday {
  /// One day or a range of days, as in `sat`, `mon-fri` or `Monday - Friday`. It may cross the end of the week:
  /// `sat-mon` is three days. Nil for anything else.
  static func range(_ text: some StringProtocol) -> Set<Weekday>? {
    let ends = text.plain.split(separator: "-", omittingEmptySubsequences: false)
      .map { Weekday(text: $0.plain) }
    guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1] else { return nil }
    // From the last day back to the first, so that sat-mon crosses the end of the week.
    return Set(sequence(first: last) { $0 == first ? nil : $0.previous })
  }

  /// Ranges separated by commas, as in `mon-wed, sat`. Nil for anything else.
  static func days(_ text: some StringProtocol) -> Set<Weekday>? {
    var days: Set<Weekday> = []
    for part in text.plain.split(separator: ",", omittingEmptySubsequences: false) {
      guard let range = range(part) else { return nil }
      days.formUnion(range)
    }
    return days
  }

  /// The text that `days` reads as these, with ranges from Monday on: `mon-fri` or
  /// `mon, wed, sat-sun`.
  static func text(_ days: Set<Weekday>) -> String {
    let week: [Weekday] = [.monday, .tuesday, .wednesday, .thursday, .friday, .saturday, .sunday]
    let runs = week.split { !days.contains($0) }
    return runs.map { run in
      let (first, last) = (run.first!.abbreviation, run.last!.abbreviation)
      return run.count == 1 ? first : "\(first)-\(last)"
    }.joined(separator: ", ")
  }

  /// What `range` takes, for error messages.
  static let rangeInWords = "a weekday (mon tue wed thu fri sat sun) or two, as mon-fri"
}
