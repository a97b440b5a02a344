import Horology

/// The rules for saying times with a set of English words.
public struct EnglishRules {
  /// A pattern and a phrase, as in `voice.conf`.
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
    return (needed + [.am, .pm]).filter { !words.contains($0) }
  }

  /// True if the rules of a clock say every quarter of an hour.
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

  /// The minutes after the hour, except the full hour: whole numbers, otherwise tens and units.
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

  /// The word for the zero in "oh five".
  private var zero: String? { has(.oh) ? "oh" : has(.number(0)) ? "0" : nil }

  func has(_ word: EnglishWord) -> Bool { words.contains(word) }
}
