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

  private enum Part: String { case tens, units }

  private struct NumberBlank<Number: RawRepresentable & Hashable & Sendable>: Blank
  where Number.RawValue == String {
    let number: Number
    let part: Part?

    init?(name: Substring) {
      let words = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard let number = Number(rawValue: String(words[0])) else { return nil }
      self.number = number
      part = words.count > 1 ? Part(rawValue: String(words[1])) : nil
      if words.count > 1 && part == nil { return nil }
    }

    func filled(_ number: Int) -> String {
      switch part {
      case nil: "\(number)"
      case .tens: number < 20 ? "" : "\(number / 10 * 10)"
      case .units: number < 20 ? "\(number)" : number % 10 == 0 ? "" : "\(number % 10)"
      }
    }
  }

  private enum LengthNumber: String, CaseIterable { case hours, minutes, seconds }
  private enum RoundNumber: String { case number }

  private typealias LengthRules = PhraseRules<NumberBlank<LengthNumber>>

  private var left = LengthRules(digitCount: 6)
  private var timer = LengthRules(digitCount: 6)
  private var rounds = PhraseRules<NumberBlank<RoundNumber>>(digitCount: 2)
  private var words: [TimerPhrase: PhraseRules<NoBlank>] = [:]

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
    var rule = PhraseRules<NoBlank>(digitCount: 0)
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
    case .work, .rest, .half, .go, .done, .untrusted: words[phrase]?.phrase([]) { _ in "" }
    case .round(let number):
      (1...99).contains(number)
        ? rounds.phrase([number / 10, number % 10]) { $0.filled(number) } : nil
    case .both(let first, let second):
      names(first).flatMap { first in names(second).map { first + $0 } }
    }
  }

  private static func names(_ duration: Duration, by rules: LengthRules) -> [String]? {
    let numbers = duration.hoursMinutesSeconds
    guard duration > .zero, numbers[0] < 100, numbers.contains(where: { $0 != 0 }) else {
      return nil
    }
    return rules.phrase(numbers.flatMap { [$0 / 10, $0 % 10] }) { blank in
      switch blank.number {
      case .hours: blank.filled(numbers[0])
      case .minutes: blank.filled(numbers[1])
      case .seconds: blank.filled(numbers[2])
      }
    }
  }
}
