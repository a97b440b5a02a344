import Horology

extension OwnerRules {
  /// Random rules, mostly as they are shipped.
  init(_ chance: inout Chance) {
    // Short, because there are many rings.
    ringLimit = 20 * second
    for _ in 0..<chance.below(7) { change(&chance) }
  }

  /// Changes one setting.
  mutating func change(_ chance: inout Chance) {
    switch chance.below(19) {
    case 0: interval = chance.pick([1, 2, 5, 10, 12, 20, 30, 60])
    case 1, 2: interval = 15
    case 3: quiet = (0..<chance.below(3)).map { _ in Window(&chance) }
    case 4:
      quieter = (0..<chance.below(3)).map { _ in
        Level(window: Window(&chance), decibels: -chance.below(30))
      }
    case 5, 6: chime = chance.pick(Melody.all)
    case 7: chimeQuarters = chance.pick(Melody.all)
    case 8: voiceAtHour = chance.pick([.before, .after, .after, .none])
    case 9: lateLimit = chance.pick([0, 1, 10, 10, 30, 59]) * second
    case 10: leadIn = chance.pick([0, 400, 400, 1500, 4000]) * millisecond
    case 11: untrusted = chance.pick(UntrustedPolicy.allCases)
    case 12:
      whenLost = chance.pick([.mute, .sound])
      silences = chance.pick([.everything, .announcements])
    case 13: ringLimit = chance.pick([10, 10, 30, 60, chance.oneIn(10) ? 900 : 20]) * second
    case 14: tellsLeft = chance.pick([[], [.half], [.minute], [.half, .minute]])
    case 15: latencyOffset = chance.pick([0, 0, -5000, 200, 1500, 5000]) * millisecond
    case 16, 17:
      let names = chance.pick([[], ["school"], ["school", "sun"], ["sun"]])
      alarms = names.map { Alarm(&chance, name: $0, isDated: false) }
    default: atStop = chance.pick([.fade, .finish])
    }
  }
}

extension OwnerRules.Window {
  init(_ chance: inout Chance) {
    let from = chance.below(96) * 15
    // Seldom nearly a whole day.
    let length = (chance.below(chance.oneIn(8) ? 95 : 40) + 1) * 15
    // A whole day is from 00:00 to 24:00: a window that begins when it ends is refused.
    let to = from == 0 && length > 300 ? 1440 : (from + length) % 1440
    let isWeek = chance.oneIn(2)
    self.init(
      firstDay: isWeek ? 0 : chance.below(7), lastDay: isWeek ? 6 : chance.below(7), from: from,
      to: to == 0 ? 1440 : to)
  }
}

extension OwnerRules.Melody {
  /// No chime, and tunes of several lengths.
  static let all: [OwnerRules.Melody?] = [nil, hourBell, westminster, ship, pips, carillon]

  private static func notes(_ count: Int, _ gap: Int64) -> [Int64] {
    (0..<Int64(count)).map { $0 * gap }
  }

  private static let hourBell = OwnerRules.Melody(
    name: "hour bell",
    parts: [0: .init(notes: [], lead: 0, strikes: .hour, gap: 4500 * millisecond, rest: 3 * second)]
  )

  static let westminster = OwnerRules.Melody(
    name: "westminster",
    parts: [
      0: .init(
        notes: notes(16, 1250 * millisecond), lead: 23 * second, strikes: .hour,
        gap: 4 * second, rest: 3 * second),
      1: .init(
        notes: notes(4, 900 * millisecond), lead: 0, strikes: nil, gap: second, rest: 2 * second),
      2: .init(
        notes: notes(8, 900 * millisecond), lead: 0, strikes: nil, gap: second, rest: 2 * second),
      3: .init(
        notes: notes(12, 900 * millisecond), lead: 0, strikes: nil, gap: second, rest: 2 * second),
    ])

  private static let ship = OwnerRules.Melody(
    name: "ship's bell",
    parts: [
      0: .init(notes: [], lead: 0, strikes: .watch, gap: 700 * millisecond, rest: second),
      2: .init(notes: [], lead: 0, strikes: .watch, gap: 700 * millisecond, rest: second),
    ])

  private static let pips = OwnerRules.Melody(
    name: "pips",
    parts: [
      0: .init(notes: notes(6, second), lead: 5 * second, strikes: nil, gap: second, rest: second)
    ])

  /// Nearly as long as the shortest interval.
  private static let carillon = OwnerRules.Melody(
    name: "carillon",
    parts: [
      0: .init(
        notes: notes(60, 800 * millisecond), lead: 48 * second, strikes: .hour, gap: 3 * second,
        rest: 4 * second),
      2: .init(
        notes: notes(21, 1500 * millisecond), lead: 30 * second, strikes: nil, gap: second,
        rest: 4 * second),
    ])
}
