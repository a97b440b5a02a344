public enum EnglishWord: Hashable, Sendable {
  /// 0...59
  case number(Int)
  case am, pm, oclock, oh, hundred
  /// The halves of the answer of a clock that is not trusted.
  case iDoNot, knowTheTimeYet
  case timers(TimerWord)

  /// A word of timers and intervals other than a number, as it is read aloud.
  public enum TimerWord: String, CaseIterable, Sendable {
    case hour, hours, minute, minutes, second, seconds, left, timer, round, work, rest, half, go,
      done
    case andAHalf = "and a half"
  }

  private static let units = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
  ]
  private static let tens = ["twenty", "thirty", "forty", "fifty"]

  private static let byName: [String: EnglishWord] = {
    var words: [String: EnglishWord] = [
      "am": .am, "pm": .pm, "oclock": .oclock, "oh": .oh, "o": .oh, "hundred": .hundred,
      "idonot": .iDoNot, "knowthetimeyet": .knowTheTimeYet,
    ]
    for number in 0...59 {
      let name = EnglishWord.number(number).text.filter { $0 != "-" }
      words[name] = .number(number)
      words["\(number)"] = .number(number)
    }
    for number in 1...9 { words["0\(number)"] = .number(number) }
    for word in TimerWord.allCases {
      words[word.rawValue.filter { $0 != " " }] = .timers(word)
    }
    return words
  }()

  /// The word that a file's name without its suffix stands for, as people write it: `one`, `1`,
  /// `AM`, `a-m`, `O'Clock`, `twenty_one`. Nil for any other.
  public init?(fileName: some StringProtocol) {
    let letters = fileName.lowercased().filter { !" -_.'\u{2019}".contains($0) }
    guard let word = Self.byName[letters] else { return nil }
    self = word
  }

  public var clipName: String {
    switch self {
    case .number(let number): "\(number)"
    case .am: "am"
    case .pm: "pm"
    case .oclock: "oclock"
    case .oh: "oh"
    case .hundred: "hundred"
    case .iDoNot: "i-do-not"
    case .knowTheTimeYet: "know-the-time-yet"
    case .timers(let word): String(word.rawValue.map { $0 == " " ? "-" : $0 })
    }
  }

  public var text: String {
    switch self {
    case .number(let number):
      number < 20
        ? Self.units[number]
        : Self.tens[number / 10 - 2] + (number % 10 == 0 ? "" : "-\(Self.units[number % 10])")
    case .am: "A M"
    case .pm: "P M"
    case .oclock: "o'clock"
    case .oh: "oh"
    case .hundred: "hundred"
    case .iDoNot: "I do not"
    case .knowTheTimeYet: "know the time yet"
    case .timers(let word): word.rawValue
    }
  }
}
