/// A phrase that a person reads aloud, and that is then cut into its words.
public struct RecordingPrompt: Hashable, Sendable {
  public let words: [EnglishWord]

  init(_ words: [EnglishWord]) {
    self.words = words
  }

  /// As it is shown: `three ... forty-five ... P M`.
  public var text: String { words.map(\.text).joined(separator: " ... ") }
  /// The name of its take: `3-45-pm`.
  public var name: String { words.map(\.clipName).joined(separator: "-") }
}

public enum RecordingPlan: String, CaseIterable, Sendable {
  /// The classic clips: every quarter of an hour on the clock of 12 hours.
  case quarters
  /// Every minute, on the clocks of 12 and of 24 hours.
  case minutes
  /// The phrases of timers and intervals, for a voice that says the time too.
  case timers

  /// Every word is at the place where it will be spoken: the hour first, the minute in the middle,
  /// A M or P M last. `minutes` has all the prompts of `quarters`.
  public var prompts: [RecordingPrompt] {
    if self == .timers { return Self.timerPrompts }
    let quarters =
      (1...12).map { hour in
        RecordingPrompt([
          .number(hour), .number([45, 15, 30][hour % 3]), .other(hour % 2 == 0 ? .pm : .am),
        ])
      } + [
        RecordingPrompt([.number(10), .other(.oclock)]),
        RecordingPrompt([.other(.iDoNot), .other(.knowTheTimeYet)]),
      ]
    guard self == .minutes else { return quarters }
    let others = (10...59).filter { $0 % 15 != 0 }.map { minute in
      RecordingPrompt([
        .number(minute % 12 == 0 ? 12 : minute % 12), .number(minute),
        .other(minute % 2 == 0 ? .pm : .am),
      ])
    }
    return quarters + others + [
      RecordingPrompt([.number(6), .other(.oh), .number(5), .other(.pm)]),
      RecordingPrompt([.number(0), .other(.hundred)]),
    ]
  }

  /// Every number has a word behind it. Otherwise its take would fall in pitch, as the end of a
  /// sentence does.
  private static var timerPrompts: [RecordingPrompt] {
    let ends: [[EnglishWord.Other]] = [
      [.minutes, .left], [.second, .timer], [.hours, .left], [.minute, .timer], [.seconds, .left],
      [.hour, .timer],
    ]
    let numbers = (1...59).map { number in
      // The number 1 gets `second`, which is singular.
      RecordingPrompt([.number(number)] + ends[number % ends.count].map { .other($0) })
    }
    func words(_ words: EnglishWord.Other...) -> [EnglishWord] { words.map { .other($0) } }
    return numbers + [
      RecordingPrompt([.number(4)] + words(.andAHalf, .minutes, .left)),
      RecordingPrompt([.number(2)] + words(.andAHalf, .hours, .left)),
      RecordingPrompt(words(.round) + [.number(6)] + words(.go)),
      RecordingPrompt(words(.round) + [.number(7)] + words(.done)),
      RecordingPrompt(words(.work)), RecordingPrompt(words(.rest)), RecordingPrompt(words(.half)),
    ]
  }
}
