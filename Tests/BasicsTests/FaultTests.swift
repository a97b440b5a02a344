import Basics
import Testing

@Suite struct FaultTests {
  @Test(
    "what would steer a terminal is told by its number",
    arguments: [
      ("\u{1B}[31mred", #"\u{1B}[31mred"#), ("two\nlines", #"two\u{A}lines"#),
      ("\u{202E}back", #"\u{202E}back"#), ("a\u{FEFF}b\u{A0}c", #"a\u{FEFF}b\u{A0}c"#),
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

  @Test("any letter is told as it is", arguments: ["Zürich café", "東京 ☃ 🔔", ""])
  func letters(text: String) {
    #expect(text.printable == text)
  }

  @Test("a quotation is short, however many accents a letter has") func excerpt() {
    let heavy = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(heavy.excerpt.unicodeScalars.count == 43)
    #expect(String(repeating: "a", count: 40).excerpt.count == 40)
    #expect(String(repeating: "a", count: 41).excerpt == String(repeating: "a", count: 40) + "...")
  }
}
