/// A phrase about a timer or an interval, or of a clock that is not trusted.
public indirect enum TimerPhrase: Hashable, Sendable {
  /// How much of a timer is left, rounded as `left(roughly:)` does it.
  case left(Duration)
  /// A timer without a name, called by its full length.
  case timer(Duration)
  case name(String)
  /// The time of day at which it is said.
  case time
  case work, rest, half, go, done
  /// The number of a round of an interval, from 1 on.
  case round(Int)
  /// The answer to the button while the clock is not trusted.
  case untrusted
  case both(TimerPhrase, TimerPhrase)

  /// How much of a timer is left, to the nearest half hour from an hour on, then half minute, below
  /// a minute 10 s, and below 10 s second. Halfway it is rounded down: a person who thinks that less
  /// time is left comes in time. Nil if nothing is left.
  public static func left(roughly remaining: Duration) -> TimerPhrase? {
    guard remaining > .zero else { return nil }
    let step: Duration =
      switch remaining {
      case .seconds(3600)...: .seconds(1800)
      case .seconds(60)...: .seconds(30)
      case .seconds(10)...: .seconds(10)
      default: .seconds(1)
      }
    let below = step * Int(remaining.nanoseconds / step.nanoseconds)
    let rounded = remaining - below > step / 2 ? below + step : below
    return .left(max(rounded, .seconds(1)))
  }

  public var text: String {
    switch self {
    case .left(let duration): "\(duration.inFull) left"
    case .timer(let duration): "a timer of \(duration.inFull)"
    case .name(let name): name
    case .time: "the time"
    case .work: "work"
    case .rest: "rest"
    case .half: "half"
    case .go: "go"
    case .done: "done"
    case .round(let number): "round \(number)"
    case .untrusted: "the clock is not trusted"
    case .both(let first, let second): "\(first.text), \(second.text)"
    }
  }

  /// The phrases that have one rule, by their sections and keys in `voice.conf`.
  static let words: [TimerGrammar.Section: [String: TimerPhrase]] = [
    .interval: ["work": .work, "rest": .rest, "half": .half, "go": .go, "done": .done],
    .answer: ["untrusted": .untrusted],
  ]

  /// The phrases of a complete pack, for numbers from 1 to 59. Of timer lengths, those with one
  /// unit, and enough with several units that each number comes with each unit.
  public static var range: [TimerPhrase] {
    let numbers = 1...59
    var phrases = [TimerPhrase.work, .rest, .half, .go, .done] + numbers.map { .round($0) }
    phrases += (1...9).map { .left(.seconds($0)) } + (1...5).map { .left(.seconds($0 * 10)) }
    for unit in [60, 3600] {
      phrases += numbers.flatMap {
        [.left(.seconds($0 * unit)), .left(.seconds($0 * unit + unit / 2))]
      }
    }
    for number in numbers {
      let other = number * 7 % 59 + 1
      phrases += [
        number, number * 60, number * 3600, number * 60 + other, number * 3600 + other,
        number * 3600 + other * 60, number * 3600 + other * 60 + number,
      ].map { .timer(.seconds($0)) }
    }
    return phrases
  }
}

extension Duration {
  /// Its whole seconds as hours, minutes and seconds; hours may be more than a day.
  var hoursMinutesSeconds: [Int] {
    let seconds = Int(components.seconds)
    return [seconds / 3600, seconds / 60 % 60, seconds % 60]
  }
}
