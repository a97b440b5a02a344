public enum EnglishWord: Hashable, Sendable {
  /// 0...59
  case number(Int)
  case other(Other)

  /// The raw value is the name of its clip.
  public enum Other: String, CaseIterable, Sendable {
    case am, pm, oclock, oh, hundred
    // The words of timers and intervals.
    case hour, hours, minute, minutes, second, seconds, left, timer, round, work, rest, half, go,
      done
    case andAHalf = "and-a-half"
    // The halves of the answer of a clock that is not trusted.
    case iDoNot = "i-do-not"
    case knowTheTimeYet = "know-the-time-yet"
  }

  private static let units = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
  ]
  private static let tens = ["twenty", "thirty", "forty", "fifty"]

  private static let byName: [String: EnglishWord] = {
    var words: [String: EnglishWord] = ["o": .other(.oh)]
    for number in 0...59 {
      let name = EnglishWord.number(number).text.filter { $0 != "-" }
      words[name] = .number(number)
      words["\(number)"] = .number(number)
    }
    for number in 1...9 { words["0\(number)"] = .number(number) }
    for word in Other.allCases { words[word.rawValue.filter { $0 != "-" }] = .other(word) }
    return words
  }()

  /// The word of a file's name as people write it: `one`, `1`, `a-m`, `O'Clock`, `twenty_one`.
  public init?(fileName: some StringProtocol) {
    let letters = fileName.lowercased().filter { !" -_.'\u{2019}".contains($0) }
    guard let word = Self.byName[letters] else { return nil }
    self = word
  }

  public var clipName: String {
    switch self {
    case .number(let number): "\(number)"
    case .other(let word): word.rawValue
    }
  }

  public var text: String {
    switch self {
    case .number(let number):
      number < 20
        ? Self.units[number]
        : Self.tens[number / 10 - 2] + (number % 10 == 0 ? "" : "-\(Self.units[number % 10])")
    case .other(.am): "A M"
    case .other(.pm): "P M"
    case .other(.oclock): "o'clock"
    case .other(.iDoNot): "I do not"
    case .other(let word): String(word.rawValue.map { $0 == "-" ? " " : $0 })
    }
  }
}
