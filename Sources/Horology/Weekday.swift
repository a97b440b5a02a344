/// A day of the week, numbered as C's `tm_wday`.
public enum Weekday: Int, CaseIterable, Sendable {
  case sunday, monday, tuesday, wednesday, thursday, friday, saturday

  /// The first three letters, as in `mon`: how configuration files write it.
  public var abbreviation: String {
    ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][rawValue]
  }

  /// The day before, with Saturday before Sunday.
  public var previous: Weekday {
    Weekday(rawValue: (rawValue + 6) % 7)!
  }
}

/// Days of the week as configuration files and commands write them.
extension Weekday {
  /// One day or a range of days, as in `sat` or `mon-fri`. A range may cross the end of the week:
  /// `sat-mon` is three days. Nil for anything else.
  static func range(_ text: some StringProtocol) -> Set<Weekday>? {
    let ends = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
      .map { word in allCases.first { $0.abbreviation == word } }
    guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1] else { return nil }
    // From the last day back to the first, so that sat-mon crosses the end of the week.
    return Set(sequence(first: last) { $0 == first ? nil : $0.previous })
  }

  /// Ranges separated by commas, as in `mon-wed, sat`. Nil for anything else.
  static func days(_ text: some StringProtocol) -> Set<Weekday>? {
    var days: Set<Weekday> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(whereSeparator: \.isWhitespace)
      guard words.count == 1, let range = range(words[0]) else { return nil }
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
