/// How a language speaks of timers and intervals, and of a clock that is not trusted: the sections
/// `[left]`, `[timer]`, `[interval]` and `[answer]` of a voice.
///
/// `[left]` and `[timer]` have rules like a time. The pattern is `hhmmss` of the time that is left,
/// or of the timer's length. In the phrase, `{hours}`, `{minutes}` and `{seconds}` stand for their
/// numbers. `[interval]` has a phrase for each of `work`, `rest`, `half`, `go` and `done`, and for
/// `round`, with `{number}`. A pattern of two digits may follow `round`. `[answer]` has a phrase for
/// `untrusted`.
///
/// A voice without clips for all numbers puts them together: `{minutes-tens}` is 20, 30, 40, 50 or
/// nothing, and `{minutes-units}` is the rest, 0 to 19, or nothing after round tens. A clip name is
/// left out if one of its blanks is filled with nothing.
public struct TimerGrammar: Hashable, Sendable {
  public enum Section: String, CaseIterable, Sendable {
    case left, timer, interval, answer
  }

  private static let units = ["hours", "minutes", "seconds"]

  /// What a blank of this name, and its tens and units, are filled with.
  private static func values(_ name: String, _ number: Int) -> [String: String] {
    [
      name: "\(number)", "\(name)-tens": number < 20 ? "" : "\(number / 10 * 10)",
      "\(name)-units": number < 20 ? "\(number)" : number % 10 == 0 ? "" : "\(number % 10)",
    ]
  }

  private static func blanks(_ names: [String]) -> Set<String> {
    Set(names.flatMap { values($0, 0).keys })
  }

  private var left = PhraseRules(digitCount: 6, blanks: blanks(units))
  private var timer = PhraseRules(digitCount: 6, blanks: blanks(units))
  private var rounds = PhraseRules(digitCount: 2, blanks: blanks(["number"]))
  private var words: [TimerPhrase: PhraseRules] = [:]

  public init() {}

  /// True if there is no rule for timers or intervals.
  public var isEmpty: Bool {
    left.isEmpty && timer.isEmpty && rounds.isEmpty && words.keys.allSatisfy { $0 == .untrusted }
  }

  /// - Returns: what is wrong with the rule, and what is allowed; nil if it was added.
  public mutating func add(_ section: Section, key: String, phrase: String) -> String? {
    if let word = TimerPhrase.words[section]?[key], words[word] != nil { return "is there twice" }
    let isAdded =
      switch section {
      case .left: left.add(pattern: key, phrase: phrase)
      case .timer: timer.add(pattern: key, phrase: phrase)
      case .interval, .answer: addWords(section, key, phrase)
      }
    if isAdded { return nil }
    switch section {
    case .left, .timer: break
    case .answer: return "is not of an answer: untrusted, then clip names"
    case .interval:
      return
        "is not of an interval: work, rest, half, go or done, then clip names, or round, which "
        + "may have two digits with * for any behind it, then clip names, which may hold {number}"
    }
    return "is no rule: hhmmss with * for any digit, then clip names, which may hold {hours}, "
      + "{minutes}, {seconds}"
  }

  private mutating func addWords(_ section: Section, _ key: String, _ phrase: String) -> Bool {
    let parts = key.split(whereSeparator: \.isWhitespace)
    if section == .interval, parts.first == "round", parts.count <= 2 {
      return rounds.add(pattern: parts.count == 2 ? parts[1] : "**", phrase: phrase)
    }
    guard let word = TimerPhrase.words[section]?[key] else { return false }
    var rule = PhraseRules(digitCount: 0)
    guard rule.add(pattern: "", phrase: phrase) else { return false }
    words[word] = rule
    return true
  }

  /// The clip names that say a phrase; nil if there is no rule for it, as for names and the time.
  public func names(_ phrase: TimerPhrase) -> [String]? {
    switch phrase {
    case .left(let duration): Self.names(duration, by: left)
    case .timer(let duration): Self.names(duration, by: timer)
    case .name, .time: nil
    case .work, .rest, .half, .go, .done, .untrusted: words[phrase]?.phrase([])
    case .round(let number):
      (1...99).contains(number)
        ? rounds.phrase([number / 10, number % 10]) { Self.values("number", number)[$0] } : nil
    case .both(let first, let second):
      names(first).flatMap { first in names(second).map { first + $0 } }
    }
  }

  private static func names(_ duration: Duration, by rules: PhraseRules) -> [String]? {
    let numbers = duration.hoursMinutesSeconds
    guard duration > .zero, numbers[0] < 100, numbers.contains(where: { $0 != 0 }) else {
      return nil
    }
    let values = zip(units, numbers).map { Self.values($0, $1) }
      .reduce(into: [String: String]()) { $0.merge($1) { $1 } }
    return rules.phrase(numbers.flatMap { [$0 / 10, $0 % 10] }) { values[$0] }
  }
}
