import Horology
import Studio
import Testing

@Suite struct EnglishRulesTests {
  private static let classic =
    [.other(.am), .other(.pm)] + (Array(1...12) + [15, 30, 45]).map { EnglishWord.number($0) }
  private static let units = (0...20).map { EnglishWord.number($0) }
  private static let tens = [30, 40, 50].map { EnglishWord.number($0) }

  private func phrase(
    _ words: [EnglishWord], _ format: HourFormat, _ hour: Int, _ minute: Int
  ) -> String? {
    var grammar = Grammar()
    for rule in EnglishRules(words: Set(words)).rules(format) {
      let isRule = grammar.add(pattern: rule.pattern, phrase: rule.phrase)
      #expect(isRule)
    }
    return grammar.phrase(hour: hour, minute: minute)?.joined(separator: " ")
  }

  @Test("the classic seventeen say the quarters, and nothing else") func classicSayQuarters() {
    #expect(phrase(Self.classic, .twelve, 0, 0) == "12 am")
    #expect(phrase(Self.classic, .twelve, 15, 45) == "3 45 pm")
    #expect(phrase(Self.classic, .twelve, 15, 44) == nil)
    #expect(phrase(Self.classic, .twentyFour, 15, 45) == nil)
    #expect(phrase(Self.classic + [.other(.oclock)], .twelve, 15, 0) == "3 oclock")
  }

  @Test("tens and units make the minutes that have no word") func tensAndUnits() {
    let others: [EnglishWord.Other] = [.oh, .am, .pm, .oclock, .hundred]
    let words = Self.units + Self.tens + others.map { .other($0) }
    #expect(phrase(words, .twelve, 9, 5) == "9 oh 5 am")
    #expect(phrase(words, .twelve, 12, 19) == "12 19 pm")
    #expect(phrase(words, .twelve, 12, 20) == "12 20 pm")
    #expect(phrase(words, .twelve, 12, 47) == "12 40 7 pm")
    #expect(phrase(words + [.number(47)], .twelve, 12, 47) == "12 47 pm")
    #expect(phrase(words, .twentyFour, 0, 0) == "0 hundred")
    #expect(phrase(words, .twentyFour, 7, 30) == "oh 7 30")
    #expect(phrase(words, .twentyFour, 21, 59) == "20 1 50 9")
  }

  @Test("what the quarters lack is named") func missingIsNamed() {
    let words = Set(Self.classic).subtracting([.number(7), .other(.pm), .number(45)])
    #expect(EnglishRules(words: words).missing == [.number(7), .number(45), .other(.pm)])
    #expect(!EnglishRules(words: words).missing.contains(.other(.oclock)))
    #expect(EnglishRules(words: words.union([.number(40)])).missing == [.number(7), .other(.pm)])
  }
}

@Suite struct EnglishTimerRulesTests {
  private static let words = EnglishWord.Other.allCases.map { EnglishWord.other($0) }
  private static let tens = ((1...20) + [30, 40, 50]).map { EnglishWord.number($0) }

  private func grammar(_ words: [EnglishWord]) -> TimerGrammar {
    var grammar = TimerGrammar()
    for section in TimerGrammar.Section.allCases {
      for rule in EnglishRules(words: Set(words)).rules(section) {
        let problem = grammar.add(section, key: rule.pattern, phrase: rule.phrase)
        #expect(problem == nil)
      }
    }
    return grammar
  }

  private func text(_ phrase: TimerPhrase, _ grammar: TimerGrammar) -> String? {
    grammar.names(phrase)?.joined(separator: " ")
  }

  @Test("numbers to twenty, tens and the words say everything") func tensSayEverything() {
    let grammar = grammar(Self.words + Self.tens)
    #expect(TimerPhrase.range.allSatisfy { grammar.names($0) != nil })
    #expect(text(.left(.seconds(47 * 60)), grammar) == "40 7 minutes left")
    #expect(text(.left(.seconds(3600)), grammar) == "1 hour left")
    #expect(text(.left(.seconds(90)), grammar) == "1 and-a-half minutes left")
    #expect(text(.timer(.seconds(5400)), grammar) == "1 hour 30 minute timer")
    #expect(text(.timer(.seconds(3661)), grammar) == "1 hour 1 minute 1 second timer")
    #expect(text(.round(20), grammar) == "round 20")
    #expect(text(.half, grammar) == "half")
  }

  @Test("whole numbers are said whole") func wholeNumbers() {
    let numbers = (1...59).map { EnglishWord.number($0) }
    let grammar = grammar(Self.words + numbers)
    #expect(text(.left(.seconds(47 * 60)), grammar) == "47 minutes left")
    #expect(text(.left(.seconds(1)), grammar) == "1 second left")
  }

  @Test("a phrase whose words are there is said without the others") func someWords() {
    let some = grammar(Self.tens + [.other(.minute), .other(.minutes), .other(.left)])
    #expect(text(.left(.seconds(60)), some) == "1 minute left")
    #expect(text(.left(.seconds(90)), some) == nil && text(.left(.seconds(5)), some) == nil)
  }
}

@Suite struct RecordingPlanTests {
  @Test("the minutes say every minute of both clocks, and go on from the quarters")
  func minutesSayEveryMinute() {
    let prompts = RecordingPlan.minutes.prompts
    let rules = EnglishRules(words: Set(prompts.flatMap(\.words)))
    for format in HourFormat.allCases {
      var grammar = Grammar()
      for rule in rules.rules(format) {
        _ = grammar.add(pattern: rule.pattern, phrase: rule.phrase)
      }
      for minute in 0..<1440 {
        #expect(grammar.phrase(hour: minute / 60, minute: minute % 60) != nil, "\(minute)")
      }
    }
    let quarters = RecordingPlan.quarters.prompts
    #expect(Array(prompts.prefix(14)) == quarters && Set(prompts.map(\.name)).count == 63)
    #expect(EnglishRules(words: Set(quarters.flatMap(\.words))).sayQuarters(.twelve))
  }
}
