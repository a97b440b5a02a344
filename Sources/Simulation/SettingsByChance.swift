import Horology

extension AnnouncerSettings {
  /// The settings as they are shipped, with words for timers.
  static let usual: AnnouncerSettings = {
    var settings = AnnouncerSettings()
    settings.chime = .westminster
    settings.saysTimers = true
    return settings
  }()

  /// Random settings, mostly as they are shipped.
  init(_ chance: inout Chance) {
    self = .usual
    // Short, because there are many rings.
    ringLimit = .seconds(20)
    for _ in 0..<chance.below(7) { change(&chance) }
  }

  mutating func change(_ chance: inout Chance) {
    func windows(_ level: (inout Chance) -> String = { _ in "" }) -> String {
      (0..<chance.below(3)).map { _ in Self.window(&chance) + level(&chance) }
        .joined(separator: ", ")
    }
    switch chance.below(18) {
    case 0: interval = Interval(minutes: chance.pick([1, 2, 5, 10, 12, 20, 30, 60]))!
    case 1, 2: interval = .quarter
    case 3: quiet = try! QuietHours(text: windows())
    case 4: quieter = try! VolumeRules(text: windows { " -\($0.below(30))dB" })
    case 5, 6: chime = chance.pick(Tune.simulated)
    case 7: chimeQuarters = chance.pick(Tune.simulated)
    case 8: voiceAtHour = chance.pick([.before, .after, .after, .none])
    case 9: leadIn = .milliseconds(chance.pick([0, 400, 400, 1500, 4000]))
    case 10: untrusted = chance.pick(UntrustedPolicy.allCases)
    case 11:
      whenLost = chance.pick([.mute, .sound])
      silences = chance.pick([.everything, .announcements])
    case 12: ringLimit = .seconds(chance.pick([10, 10, 30, 60, chance.oneIn(10) ? 900 : 20]))
    case 13: tellsLeft = chance.pick([[], [.half], [.minute], [.half, .minute]])
    case 14: latencyOffset = .milliseconds(chance.pick([0, 0, -5000, 200, 1500, 5000]))
    case 15, 16:
      let names = chance.pick([[], ["school"], ["school", "sun"], ["sun"]])
      alarms = names.map { AlarmPlan(&chance, name: $0) }
    default: (atStop, atStart) = (chance.pick([.fade, .finish]), chance.pick(AtStart.allCases))
    }
  }

  /// As in `mon-fri 22:00-07:00`.
  private static func window(_ chance: inout Chance) -> String {
    let from = chance.below(96) * 15
    let to = (from + (chance.below(40) + 1) * 15) % 1440
    let days = Weekday.allCases.map(\.abbreviation)
    let range = chance.oneIn(2) ? "sun-sat" : "\(chance.pick(days))-\(chance.pick(days))"
    return "\(range) \(TimeOfDay(minutes: from))-\(TimeOfDay(minutes: to))"
  }

  /// The settings that differ from those that are shipped.
  var inShort: [String] {
    zip(Mirror(reflecting: self).children, Mirror(reflecting: Self.usual).children)
      .filter { "\($0.value)" != "\($1.value)" }
      .map { own, _ in "\(own.label!): \((own.value as? Tune)?.name ?? "\(own.value)")" }
  }
}

extension Tune {
  static let simulated: [Tune?] = [nil, westminster, carillon]

  static let westminster = Tune(
    name: "westminster", description: "",
    movements: [
      0: part(16, every: 1.25, lead: 23, strikes: .hour, gap: 4, rest: 3),
      1: part(4, every: 0.9, rest: 2), 2: part(8, every: 0.9, rest: 2),
      3: part(12, every: 0.9, rest: 2),
    ])

  /// Nearly as long as the shortest interval.
  private static let carillon = Tune(
    name: "carillon", description: "",
    movements: [
      0: part(60, every: 0.8, lead: 48, strikes: .hour, gap: 3, rest: 4),
      2: part(21, every: 1.5, lead: 30, rest: 4),
    ])

  /// All times are in seconds.
  private static func part(
    _ notes: Int = 0, every: Double = 0, lead: Double = 0, strikes: Count? = nil, gap: Double = 0,
    rest: Double
  ) -> Movement {
    Movement(
      melody: (0..<notes).map {
        Blow(bell: "E4", offset: .milliseconds(Int64(every * 1000) * Int64($0)))
      },
      lead: .seconds(lead),
      strikes: strikes.map { Strikes(bell: "E3", count: $0, gaps: [.seconds(gap)]) },
      rest: .seconds(rest))
  }
}
