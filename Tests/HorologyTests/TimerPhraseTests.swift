import Foundation
import Horology
import Testing

@Suite struct TimerPhraseTests {
  /// All remaining times that the voice may tell, in seconds.
  private static let tellable =
    Array(1...9) + [10, 20, 30, 40, 50] + (2..<120).map { $0 * 30 } + (2...20).map { $0 * 1800 }

  private func told(_ remaining: Duration) -> Int? {
    guard case .left(let duration)? = TimerPhrase.left(roughly: remaining) else { return nil }
    #expect(duration.components.attoseconds == 0)
    return Int(duration.components.seconds)
  }

  @Test("every second of five hours is told as the nearest that may be told, the lower of two")
  func everySecondIsToldAsTheNearest() {
    for second in 1...5 * 3600 {
      let nearest = Self.tellable.min { (abs($0 - second), $0) < (abs($1 - second), $1) }
      #expect(told(.seconds(second)) == nearest, "\(second)")
    }
  }

  @Test(
    "at the borders it is neither zero nor sixty",
    arguments: [
      (1, 1), (1_499, 1), (1_501, 2), (9_500, 9), (9_501, 10), (14_999, 10), (15_000, 10),
      (15_001, 20), (54_999, 50), (55_000, 50), (55_001, 60), (59_999, 60), (74_999, 60),
      (75_001, 90), (3_584_999, 3570), (3_585_000, 3570), (3_585_001, 3600),
      (3_599_999, 3600), (4_500_000, 3600), (4_500_001, 5400),
    ])
  func borders(milliseconds: Int, seconds: Int) {
    #expect(told(.milliseconds(milliseconds)) == seconds)
  }

  @Test("all that is told as left up to 59 hours belongs to what a whole pack says")
  func rangeHoldsAllThatIsTold() {
    let range = Set(TimerPhrase.range)
    #expect(range.count == TimerPhrase.range.count)
    for second in 1..<59 * 3600 + 1800 where !range.contains(.left(roughly: .seconds(second))!) {
      Issue.record("\(second)")
    }
  }
}

@Suite struct TimerGrammarTests {
  private func grammar(_ rules: [(TimerGrammar.Section, String, String)]) -> TimerGrammar {
    var grammar = TimerGrammar()
    for (section, key, phrase) in rules {
      let problem = grammar.add(section, key: key, phrase: phrase)
      #expect(problem == nil)
    }
    return grammar
  }

  @Test("the first rule that matches is spoken, with its numbers") func firstRuleIsSpoken() {
    let grammar = grammar([
      (.left, "00**30", "n-{minutes} half minutes left"), (.left, "00****", "{minutes}:{seconds}"),
      (.timer, "**0000", "n-{hours} hour timer"),
    ])
    #expect(grammar.names(.left(.seconds(270))) == ["n-4", "half", "minutes", "left"])
    #expect(grammar.names(.left(.seconds(271))) == ["4:31"])
    #expect(grammar.names(.timer(.seconds(36_000))) == ["n-10", "hour", "timer"])
    #expect(grammar.names(.timer(.seconds(36_001))) == nil)
    #expect(grammar.names(.work) == nil && grammar.names(.round(1)) == nil)
  }

  @Test("the number of a round may have a pattern") func rounds() {
    let grammar = grammar([
      (.interval, "round 0*", "round {number}-end"), (.interval, "round", "round {number}"),
      (.interval, "go", "go now"), (.answer, "untrusted", "time unknown"),
    ])
    #expect(grammar.names(.untrusted) == ["time", "unknown"])
    #expect(grammar.names(.round(9)) == ["round", "9-end"])
    #expect(grammar.names(.round(10)) == ["round", "10"])
    #expect(grammar.names(.round(0)) == nil && grammar.names(.round(100)) == nil)
    #expect(grammar.names(.go) == ["go", "now"])
  }

  @Test(
    "numbers are put together of tens and units",
    arguments: [
      (1, "1"), (19, "19"), (20, "20"), (21, "20 1"), (50, "50"), (59, "50 9"),
    ])
  func tensAndUnits(number: Int, names: String) {
    let grammar = grammar([
      (.left, "00**00", "{minutes-tens} {minutes-units}"),
      (.interval, "round", "{number-tens} {number-units}"),
    ])
    #expect(grammar.names(.left(.seconds(number * 60)))?.joined(separator: " ") == names)
    #expect(grammar.names(.round(number))?.joined(separator: " ") == names)
  }

  @Test(
    "a rule that cannot be meant is refused, with what is allowed",
    arguments: [
      (TimerGrammar.Section.left, "0000", "a", "hhmmss"), (.left, "******", "{hour12}", "{hours}"),
      (.timer, "******", "", "hhmmss"), (.timer, "******", "{hours-half}", "{minutes}"),
      (.interval, "rounds", "a", "work, rest"), (.interval, "work", "{number}", "clip names"),
      (.interval, "round ***", "a", "two digits"), (.interval, "round", "{minutes}", "{number}"),
      (.interval, "done", "a", "there twice"), (.answer, "done", "a", "untrusted, then"),
      (.interval, "untrusted", "a", "work, rest"),
    ])
  func refused(section: TimerGrammar.Section, key: String, phrase: String, words: String) {
    var grammar = grammar([(.interval, "done", "done")])
    let problem = grammar.add(section, key: key, phrase: phrase)
    #expect(problem?.contains(words) == true, "\(String(describing: problem))")
    #expect(grammar == self.grammar([(.interval, "done", "done")]))
  }
}
