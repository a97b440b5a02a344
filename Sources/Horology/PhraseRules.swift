/// A blank in a phrase of `voice.conf`, written in braces, such as `{minute}`.
protocol Blank: Hashable, Sendable {
  /// Nil if there is no blank of that name.
  init?(name: Substring)
}

extension Blank where Self: RawRepresentable, RawValue == String {
  init?(name: Substring) { self.init(rawValue: String(name)) }
}

/// For rules without blanks.
struct NoBlank: Blank {
  init?(name: Substring) { nil }
}

/// Rules that turn digits into a chain of clip names; the first rule that matches counts.
///
/// A rule is a pattern, with a digit or `*` for each digit, and a phrase: names separated by
/// spaces, with blanks in braces.
struct PhraseRules<Filling: Blank>: Hashable, Sendable {
  private enum Piece: Hashable {
    case text(String)
    case blank(Filling)
  }

  private struct Rule: Hashable {
    /// Nil for any digit.
    let digits: [Int?]
    /// Each name, split into its pieces.
    let names: [[Piece]]

    func matches(_ digits: [Int]) -> Bool {
      zip(self.digits, digits).allSatisfy { $0 == nil || $0 == $1 }
    }
  }

  private let digitCount: Int
  private var rules: [Rule] = []

  init(digitCount: Int) {
    self.digitCount = digitCount
  }

  var isEmpty: Bool { rules.isEmpty }

  /// Adds a rule after the existing ones. False, and nothing is added, if the pattern does not have
  /// `digitCount` digits or `*`, or the phrase is empty or has a blank that does not exist.
  mutating func add(pattern: some StringProtocol, phrase: String) -> Bool {
    let names = phrase.split(whereSeparator: \.isWhitespace).map(Self.pieces)
    guard pattern.count == digitCount, pattern.allSatisfy({ $0 == "*" || $0.isASCIIDigit }),
      !names.isEmpty, !names.contains(nil)
    else { return false }
    rules.append(Rule(digits: pattern.map(\.wholeNumberValue), names: names.compactMap { $0 }))
    return true
  }

  /// The names of the first rule for these digits, in order; nil if there is none, or if one of its
  /// blanks cannot be filled. A name is left out if one of its blanks is filled with empty text.
  /// - Parameter filling: nil if the blank cannot be filled.
  func phrase(_ digits: [Int], filling: (Filling) -> String?) -> [String]? {
    guard let rule = rules.first(where: { $0.matches(digits) }) else { return nil }
    var names: [String] = []
    for pieces in rule.names {
      var name = ""
      var isLeftOut = false
      for piece in pieces {
        switch piece {
        case .text(let text): name += text
        case .blank(let blank):
          guard let filled = filling(blank) else { return nil }
          isLeftOut = isLeftOut || filled.isEmpty
          name += filled
        }
      }
      if !isLeftOut { names.append(name) }
    }
    return names
  }

  /// The pieces of a name; nil if its braces do not pair, or hold no blank.
  private static func pieces(_ name: Substring) -> [Piece]? {
    var pieces: [Piece] = []
    for (index, part) in name.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      let halves = part.split(separator: "}", omittingEmptySubsequences: false)
      if index > 0 {
        guard halves.count == 2, let blank = Filling(name: halves[0]) else { return nil }
        pieces.append(.blank(blank))
      } else if halves.count > 1 {
        return nil
      }
      pieces.append(.text(String(halves[halves.count - 1])))
    }
    return pieces.filter { $0 != .text("") }
  }
}
