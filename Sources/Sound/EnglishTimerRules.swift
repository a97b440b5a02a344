import Horology

extension EnglishRules {
  /// The rules of a section for timers, for this set of English words; empty if the set lacks words
  /// that they need.
  /// - Parameter prefix: the prefix of the names of number clips.
  public func rules(_ section: TimerGrammar.Section, numbers prefix: String = "") -> [Rule] {
    switch section {
    case .left: left(prefix)
    case .timer: lengths(prefix)
    case .interval: interval(prefix)
    }
  }

  /// The words that the set lacks for saying every phrase of timers and intervals.
  public var missingForTimers: [EnglishWord] {
    let numbers = ((1...20) + [30, 40, 50]).map { EnglishWord.number($0) }
    let words = EnglishWord.TimerWord.allCases.map { EnglishWord.timers($0) }
    return (numbers + words).filter { !has($0) }
  }

  /// True if one of the rules uses the word.
  public func speaks(_ word: EnglishWord.TimerWord) -> Bool {
    let name = EnglishWord.timers(word).clipName
    return TimerGrammar.Section.allCases.contains { section in
      rules(section).contains { $0.phrase.split(separator: " ").contains { $0 == name } }
    }
  }

  /// The blanks of a number up to 59: the whole number, otherwise tens and units. Nil if the clips
  /// for both are missing.
  private func number(_ blank: String, _ prefix: String) -> String? {
    if (1...59).allSatisfy({ has(.number($0)) }) { return "\(prefix){\(blank)}" }
    guard ((1...20) + [30, 40, 50]).allSatisfy({ has(.number($0)) }) else { return nil }
    return "\(prefix){\(blank)-tens} \(prefix){\(blank)-units}"
  }

  private func left(_ prefix: String) -> [Rule] {
    guard has(.timers(.left)) else { return [] }
    var rules: [Rule] = []
    // For each unit: singular, plural, the pattern of its numbers, the pattern of a half more, its
    // blank.
    for (one, many, pattern, halves, blank) in [
      (EnglishWord.TimerWord.second, EnglishWord.TimerWord.seconds, "0000**", "", "seconds"),
      (.minute, .minutes, "00**00", "00**30", "minutes"),
      (.hour, .hours, "**0000", "**3000", "hours"),
    ] {
      guard has(.timers(one)), has(.timers(many)), let number = number(blank, prefix) else {
        continue
      }
      let first = pattern.replacingAny(with: "01")
      rules.append((first, "\(prefix)1 \(one.rawValue) left"))
      rules.append((pattern, "\(number) \(many.rawValue) left"))
      if !halves.isEmpty, has(.timers(.andAHalf)) {
        rules.append((halves, "\(number) and-a-half \(many.rawValue) left"))
      }
    }
    return rules
  }

  private func lengths(_ prefix: String) -> [Rule] {
    guard has(.timers(.timer)) else { return [] }
    let units = [("hours", EnglishWord.TimerWord.hour), ("minutes", .minute), ("seconds", .second)]
    // Which of the three units are not zero. The fewest come first, because `**` also matches zero.
    let choices = [1, 2, 4, 3, 6, 5, 7]
    return choices.compactMap { choice in
      var (pattern, phrase) = ("", "")
      for (index, (blank, word)) in units.enumerated() {
        guard choice & 1 << index != 0 else {
          pattern += "00"
          continue
        }
        guard has(.timers(word)), let number = number(blank, prefix) else { return nil }
        pattern += "**"
        phrase += "\(number) \(word.rawValue) "
      }
      return (pattern, "\(phrase)timer")
    }
  }

  private func interval(_ prefix: String) -> [Rule] {
    let words = [EnglishWord.TimerWord.work, .rest, .half, .go, .done].filter { has(.timers($0)) }
    var rules: [Rule] = words.map { ($0.rawValue, $0.rawValue) }
    if has(.timers(.round)), let number = number("number", prefix) {
      rules.append(("round", "round \(number)"))
    }
    return rules
  }
}

extension String {
  /// A pattern with digits in place of its `**`.
  fileprivate func replacingAny(with digits: String) -> String {
    var rest = Substring(digits)
    return String(map { $0 == "*" ? rest.removeFirst() : $0 })
  }
}
