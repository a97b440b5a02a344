import Horology

public struct EnglishRules {
  public typealias Rule = (pattern: String, phrase: String)

  private let words: Set<EnglishWord>

  public init(words: Set<EnglishWord>) {
    self.words = words
  }

  /// The words that the set lacks for saying the quarters of an hour on the 12-hour clock.
  public var missing: [EnglishWord] {
    var needed = (1...12).map { EnglishWord.number($0) } + [.number(15), .number(30)]
    // Forty-five may be put together from forty and five.
    if !words.contains(.number(40)) { needed.append(.number(45)) }
    return (needed + [.other(.am), .other(.pm)]).filter { !words.contains($0) }
  }

  public func sayQuarters(_ format: HourFormat) -> Bool {
    var grammar = Grammar()
    for rule in rules(format) { _ = grammar.add(pattern: rule.pattern, phrase: rule.phrase) }
    return (0..<96).allSatisfy { grammar.phrase(hour: $0 / 4, minute: $0 % 4 * 15) != nil }
  }

  /// The rules of a clock; empty if a word that every hour needs is missing.
  public func rules(_ format: HourFormat) -> [Rule] {
    let (hours, fullHour, ending) =
      format == .twelve
      ? (hours12, has(.oclock) ? " oclock" : has(.am) && has(.pm) ? " {ampm}" : nil, " {ampm}")
      : (hours24, has(.hundred) ? " hundred" : has(.oclock) ? " oclock" : nil, "")
    let minutes = format == .twentyFour || has(.am) && has(.pm) ? self.minutes : []
    return hours.flatMap { hour in
      (fullHour.map { [("\(hour.pattern)00", hour.phrase + $0)] } ?? [])
        + minutes.map { minute in
          ("\(hour.pattern)\(minute.pattern)", "\(hour.phrase) \(minute.phrase)\(ending)")
        }
    }
  }

  private var hours12: [Rule] {
    (1...12).allSatisfy { has(.number($0)) } ? [("**", "{hour12}")] : []
  }

  private var hours24: [Rule] {
    guard let zero, (0...20).allSatisfy({ has(.number($0)) }) else { return [] }
    var rules: [Rule] = [("00", "0"), ("0*", "\(zero) {hour24}")]
    for hour in 21...23 where !has(.number(hour)) { rules.append(("\(hour)", "20 \(hour - 20)")) }
    return rules + [("**", "{hour24}")]
  }

  private var minutes: [Rule] {
    var rules: [Rule] = []
    let hasUnits = (1...9).allSatisfy { has(.number($0)) }
    if let zero, hasUnits { rules.append(("0*", "\(zero) {minute}")) }
    for ten in 1...5 {
      let whole = (ten * 10..<ten * 10 + 10).filter { has(.number($0)) }
      if whole.count == 10 {
        rules.append(("\(ten)*", "{minute}"))
        continue
      }
      rules += whole.map { ("\($0)", "\($0)") }
      if ten > 1, hasUnits, has(.number(ten * 10)) {
        rules.append(("\(ten)*", "\(ten * 10) {units}"))
      }
    }
    return rules
  }

  private var zero: String? { has(.oh) ? "oh" : has(.number(0)) ? "0" : nil }

  private func has(_ word: EnglishWord) -> Bool { words.contains(word) }
  private func has(_ word: EnglishWord.Other) -> Bool { has(.other(word)) }
}

extension EnglishRules {
  /// The rules of a section that is not about the time; empty without the words that they need.
  public func rules(_ section: TimerGrammar.Section) -> [Rule] {
    switch section {
    case .left: left
    case .timer: lengths
    case .interval: interval
    case .answer:
      has(.iDoNot) && has(.knowTheTimeYet) ? [("untrusted", "i-do-not know-the-time-yet")] : []
    }
  }

  /// The blanks of a number up to 59: the whole number, otherwise tens and units.
  private func number(_ blank: String) -> String? {
    if (1...59).allSatisfy({ has(.number($0)) }) { return "{\(blank)}" }
    guard ((1...20) + [30, 40, 50]).allSatisfy({ has(.number($0)) }) else { return nil }
    return "{\(blank)-tens} {\(blank)-units}"
  }

  private var left: [Rule] {
    guard has(.left) else { return [] }
    var rules: [Rule] = []
    // For each unit: singular and plural, the patterns of one, of more and of a half more.
    let units: [(EnglishWord.Other, EnglishWord.Other, String, String, String?)] = [
      (.second, .seconds, "000001", "0000**", nil),
      (.minute, .minutes, "000100", "00**00", "00**30"),
      (.hour, .hours, "010000", "**0000", "**3000"),
    ]
    for (one, many, first, pattern, halves) in units {
      guard has(one), has(many), let number = number(many.rawValue)
      else { continue }
      rules.append((first, "1 \(one.rawValue) left"))
      rules.append((pattern, "\(number) \(many.rawValue) left"))
      if let halves, has(.andAHalf) {
        rules.append((halves, "\(number) and-a-half \(many.rawValue) left"))
      }
    }
    return rules
  }

  private var lengths: [Rule] {
    guard has(.timer) else { return [] }
    let units = [("hours", EnglishWord.Other.hour), ("minutes", .minute), ("seconds", .second)]
    // Which of the three units are not zero. The fewest come first, because `**` also matches zero.
    let choices = [1, 2, 4, 3, 6, 5, 7]
    return choices.compactMap { choice in
      var (pattern, phrase) = ("", "")
      for (index, (blank, word)) in units.enumerated() {
        guard choice & 1 << index != 0 else {
          pattern += "00"
          continue
        }
        guard has(word), let number = number(blank) else { return nil }
        pattern += "**"
        phrase += "\(number) \(word.rawValue) "
      }
      return (pattern, "\(phrase)timer")
    }
  }

  private var interval: [Rule] {
    let words = [EnglishWord.Other.work, .rest, .half, .go, .done].filter { has($0) }
    var rules: [Rule] = words.map { ($0.rawValue, $0.rawValue) }
    if has(.round), let number = number("number") {
      rules.append(("round", "round \(number)"))
    }
    return rules
  }
}
