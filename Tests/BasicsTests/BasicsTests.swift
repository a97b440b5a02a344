import Basics
import Testing

@Suite struct FaultTests {
  @Test(
    "what would steer a terminal is told by its number",
    arguments: [
      ("\u{1B}[31mred", #"\u{1B}[31mred"#), ("two\nlines", #"two\u{A}lines"#),
      ("\u{202E}back", #"\u{202E}back"#), ("a\u{FEFF}b\u{A0}c", #"a\u{FEFF}b\u{A0}c"#),
      ("Zürich café", "Zürich café"), ("東京 ☃ 🔔", "東京 ☃ 🔔"),
    ])
  func control(text: String, told: String) {
    #expect(Fault("x", text).description == "x: \(told)")
  }

  @Test("JSON that would steer a terminal has escapes, and means the same")
  func json() throws {
    let name = "\u{1B}[31m \u{9B}31m \u{7F} caf\u{E9} \u{A0} \u{202E} \u{E0041} 🔔"
    let line = Record(["name": .text(name)]).json
    #expect(
      line
        == #"{"name":"\u001b[31m \u009b31m \u007f caf\#u{E9} \u00a0 \u202e \udb40\udc41 🔔"}"#)
    #expect(try Record(json: line, path: "x")["name"] == .text(name))
  }

  @Test("a quotation is short, however many accents a letter has") func excerpt() {
    let heavy = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(heavy.excerpt.unicodeScalars.count == 43)
    #expect(String(repeating: "a", count: 40).excerpt.count == 40)
    #expect(String(repeating: "a", count: 41).excerpt == String(repeating: "a", count: 40) + "...")
  }
}

@Suite struct NumberTextTests {
  @Test("a number is rounded to its decimals, and does not look equal to its limit")
  func decimals() {
    for (number, decimals, rule, text) in [
      (5.01, 1, .up, "5.1"), (5.6, 1, .up, "5.6"), (-54.9, 0, .up, "-54"), (34.9, 0, .down, "34"),
      (-12.01, 1, .down, "-12.1"), (2.675, 0, .toNearestOrAwayFromZero, "3"),
      (0.04, 2, .toNearestOrAwayFromZero, "0.04"), (-0.04, 1, .toNearestOrAwayFromZero, "0.0"),
    ] as [(Double, Int, FloatingPointRoundingRule, String)] {
      #expect(number.text(decimals: decimals, rule) == text)
    }
  }
}

@Suite struct OutageTests {
  @Test("a loss and a return are news once") func toldOnce() {
    var outage = Outage()
    let news = [outage.ends(), outage.begins(), outage.begins(), outage.ends(), outage.ends()]
    #expect(news == [false, true, false, true, false])
  }

  @Test("the waits double up to the longest, and begin anew after a return") func waits() {
    var outage = Outage(first: .seconds(1), longest: .seconds(5))
    var waits = (0..<4).map { _ in outage.nextWait() }
    _ = outage.ends()
    waits.append(outage.nextWait())
    #expect(waits == [1, 2, 4, 5, 1].map { .seconds($0) })
  }
}
