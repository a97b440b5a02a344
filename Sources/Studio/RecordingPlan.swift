/// The words that a person is led through with a microphone.
public enum RecordingPlan: String, CaseIterable, Sendable {
  /// The quarters of an hour on the clock of 12 hours, and the answer of a clock that is not trusted.
  case quarters
  /// Every minute, on the clocks of 12 and of 24 hours.
  case minutes
  /// Timers and intervals.
  case timers

  public var words: [EnglishWord] {
    func numbers(_ numbers: [Int]) -> [EnglishWord] { numbers.map { .number($0) } }
    let time: [EnglishWord] = [.am, .pm, .oclock]
    let answer: [EnglishWord] = [.iDoNot, .knowTheTimeYet]
    return switch self {
    case .quarters: numbers(Array(1...12) + [15, 30, 45]) + time + answer
    case .minutes:
      numbers(Array(0...20) + [30, 40, 45, 50]) + [.oh] + time + [.hundred] + answer
    case .timers:
      numbers(Array(1...20) + [30, 40, 50]) + EnglishWord.TimerWord.allCases.map { .timers($0) }
    }
  }
}

extension EnglishWord {
  /// The word as it is shown to be read aloud: with dots behind it if another word follows where it is
  /// used, so that the voice stays up.
  public var prompt: String {
    let isLast =
      switch self {
      case .am, .pm, .oclock, .hundred, .knowTheTimeYet: true
      case .timers(let word): [.left, .timer, .work, .rest, .half, .go, .done].contains(word)
      default: false
      }
    return isLast ? "\(text)." : "\(text) ..."
  }
}
