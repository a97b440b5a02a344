import Horology

extension EnglishRules {
  /// The rules of a section by which a set of English words speaks of timers; none if it lacks what
  /// they need.
  /// - Parameter prefix: what the names of the clips of numbers begin with.
  public func rules(_ section: TimerGrammar.Section, numbers prefix: String = "") -> [Rule] {
    switch section {
    case .left: left(prefix)
    case .timer: lengths(prefix)
    case .interval: interval(prefix)
    }
  }

  /// The words that have to be added before all is said of timers and intervals.
  public var missingForTimers: [EnglishWord] {
    let numbers = ((1...20) + [30, 40, 50]).map { EnglishWord.number($0) }
    let words = EnglishWord.TimerWord.allCases.map { EnglishWord.timers($0) }
    return (numbers + words).filter { !has($0) }
  }

  /// True if one of the rules speaks it.
  public func speaks(_ word: EnglishWord.TimerWord) -> Bool {
    let name = EnglishWord.timers(word).clipName
    return TimerGrammar.Section.allCases.contains { section in
      rules(section).contains { $0.phrase.split(separator: " ").contains { $0 == name } }
    }
  }

  /// A number of up to 59: whole, or else tens and units; nil without the clips for either.
  private func number(_ blank: String, _ prefix: String) -> String? {
    if (1...59).allSatisfy({ has(.number($0)) }) { return "\(prefix){\(blank)}" }
    guard ((1...20) + [30, 40, 50]).allSatisfy({ has(.number($0)) }) else { return nil }
    return "\(prefix){\(blank)-tens} \(prefix){\(blank)-units}"
  }

  private func left(_ prefix: String) -> [Rule] {
    guard has(.timers(.left)) else { return [] }
    var rules: [Rule] = []
    // For each unit: how often it is one, all of it, and how it is half as much again.
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
    // Which of the three are not zero, the fewest first: `**` stands for zero as well.
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
