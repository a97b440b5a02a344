/// Rules of `voice.conf` that turn digits into a chain of clip names; the first rule that matches
/// counts.
///
/// A rule is a pattern, with a digit or `*` for each digit, and a phrase: names separated by
/// spaces, with blanks in braces, such as `{minute}`.
struct PhraseRules: Hashable, Sendable {
  private struct Rule: Hashable {
    let pattern: String
    let names: [String]

    func matches(_ digits: [Int]) -> Bool {
      zip(pattern.utf8, digits).allSatisfy { byte, digit in
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "0") + UInt8(digit)
      }
    }
  }

  private let digitCount: Int
  private let blanks: Set<String>
  private var rules: [Rule] = []

  /// - Parameter blanks: that a phrase may have.
  init(digitCount: Int, blanks: Set<String> = []) {
    (self.digitCount, self.blanks) = (digitCount, blanks)
  }

  var isEmpty: Bool { rules.isEmpty }

  /// Adds a rule after the existing ones. False, and nothing is added, if the pattern does not have
  /// `digitCount` digits or `*`, or the phrase is empty or has a blank that does not exist.
  mutating func add(pattern: some StringProtocol, phrase: String) -> Bool {
    let names = phrase.split(whereSeparator: \.isWhitespace).map(String.init)
    guard pattern.count == digitCount, pattern.allSatisfy({ $0 == "*" || $0.isASCIIDigit }),
      !names.isEmpty, names.allSatisfy(isAllowed), hasPairs(phrase)
    else { return false }
    rules.append(Rule(pattern: String(pattern), names: names))
    return true
  }

  /// A name, split at its braces: every second piece is a blank.
  private static func pieces(of name: String) -> [Substring] {
    name.split(omittingEmptySubsequences: false) { $0 == "{" || $0 == "}" }
  }

  private func isAllowed(_ name: String) -> Bool {
    let pieces = Self.pieces(of: name)
    return pieces.count % 2 == 1
      && pieces.indices.allSatisfy { $0 % 2 == 0 || blanks.contains(String(pieces[$0])) }
  }

  private func hasPairs(_ phrase: String) -> Bool {
    let braces = phrase.filter { "{}".contains($0) }
    return braces == String(repeating: "{}", count: braces.count / 2)
  }

  /// The names of the first rule for these digits, in order; nil if there is none, or if one of its
  /// blanks has no value. A name is left out if one of its blanks is filled with empty text.
  /// - Parameter value: of a blank.
  func phrase(_ digits: [Int], _ value: (String) -> String? = { _ in nil }) -> [String]? {
    guard let rule = rules.first(where: { $0.matches(digits) }) else { return nil }
    var names: [String] = []
    for written in rule.names {
      // Most names have no blank.
      guard written.utf8.contains(UInt8(ascii: "{")) else {
        names.append(written)
        continue
      }
      var name = ""
      var isLeftOut = false
      for (index, piece) in Self.pieces(of: written).enumerated() {
        let piece = String(piece)
        guard let text = index % 2 == 0 ? piece : value(piece) else { return nil }
        isLeftOut = isLeftOut || index % 2 == 1 && text.isEmpty
        name += text
      }
      if !isLeftOut { names.append(name) }
    }
    return names
  }
}
