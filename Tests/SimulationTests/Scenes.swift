import Horology

@testable import Simulation

extension World {
  /// In London, from 01:00 on 1 June 2027.
  convenience init(_ rules: OracleRules) {
    self.init(
      shown: Self.one, rules: rules, zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
  }

  static let one = 1_811_808_000 * second
}

extension OracleRules {
  /// With an alarm each day at 01:30.
  static var night: OracleRules {
    var rules = OracleRules()
    rules.alarms = [.night]
    return rules
  }

  /// A seed of a reload that changes these rules in this way.
  static func seed(
    from rules: OracleRules = OracleRules(), _ isMeant: (OracleRules) -> Bool
  ) -> UInt64 {
    (1...10_000).first { seed in
      var chance = Chance(seed: seed)
      var rules = rules
      rules.change(&chance)
      return isMeant(rules)
    }!
  }
}

extension OracleRules.Alarm {
  static let night = OracleRules.Alarm(
    name: "night", minuteOfDay: 90, days: .weekly([0, 1, 2, 3, 4, 5, 6]))
}
