import Basics
import Testing

@Suite struct TerminalColumnsTests {
  @Test(
    "a text is cut to the columns of a terminal, not to its characters",
    arguments: [
      ("tea", 2, "te"), ("tea", 3, "tea"), ("tea", 0, ""), ("Zürich", 6, "Zürich"),
      ("cafe\u{301}s", 4, "cafe\u{301}"), ("🍲🍲🍲", 5, "🍲🍲"), ("茶 tea", 4, "茶 t"),
      ("ＡＢ", 3, "Ａ"), ("⌚⌚", 3, "⌚"), ("❤\u{FE0F}!", 2, "❤\u{FE0F}"),
      ("a\u{AD}b", 2, "a\u{AD}"), ("\u{600}1!", 2, "\u{600}1"), ("\u{2329}ab", 3, "\u{2329}a"),
    ])
  func cut(text: String, columns: Int, shown: String) {
    #expect(String(text.prefix(columns: columns)) == shown)
  }
}
