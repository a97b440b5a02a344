import Horology

/// Tells whether the oracle finds a fault that is made on purpose.
public struct Proof {
  /// The name of the fault, as in `lateBlows`.
  public let name: String
  /// The oracle found one of the violations that the fault may cause.
  public let isFound: Bool
  /// The violated invariants, in the order of the histories.
  public let violated: [String]

  /// Histories are tried until one shows the fault: not every history can.
  private static let seeds: ClosedRange<UInt64> = 1...6

  init(_ sabotage: Sabotage) {
    var violated: [String] = []
    let expected = sabotage.invariants
    if let violation = sabotage.scene?.oracle.violation {
      violated.append(violation.invariant.rawValue)
    }
    for seed in Self.seeds where expected.isDisjoint(with: violated) {
      let outcome = Simulation(
        seed: seed, years: 0.3, zone: "Europe/London", faults: .high, sabotage: sabotage,
        patience: 0
      ).run()
      if let violation = outcome.violation { violated.append(violation.invariant) }
    }
    name = "\(sabotage)"
    isFound = !expected.isDisjoint(with: violated)
    self.violated = violated
  }

  /// One for every fault that can be made on purpose.
  public static var all: some Sequence<Proof> { Sabotage.allCases.lazy.map { Proof($0) } }
}

extension World {
  /// A scene in London that random histories seldom contain.
  private convenience init(from seconds: Int64, _ rules: OracleRules, _ sabotage: Sabotage?) {
    self.init(
      shown: seconds * second, rules: rules, zone: "Europe/London",
      faces: Faces(over: seconds - 366 * 86_400..<seconds + 366 * 86_400), sabotage: sabotage)
  }

  /// The clocks are put back, with an alarm in the hour that comes twice.
  static func repeatedHour(_ sabotage: Sabotage? = nil) -> World {
    var rules = OracleRules()
    rules.alarms = [.init(name: "night", minuteOfDay: 90, days: .weekly([0, 1, 2, 3, 4, 5, 6]))]
    // 31 October 2027.
    let world = World(from: 1_824_940_800, rules, sabotage)
    world.run(until: 3 * hour, [])
    return world
  }

  /// The night of 2 November 2027, from midnight on, with an alarm half an hour later.
  private static func night(
    _ sabotage: Sabotage?, untrusted: UntrustedPolicy = .silent
  ) -> World {
    var rules = OracleRules()
    rules.untrusted = untrusted
    rules.alarms = [.init(name: "night", minuteOfDay: 30, days: .weekly([0, 1, 2, 3, 4, 5, 6]))]
    return World(from: 1_825_113_600, rules, sabotage)
  }

  /// A zone that is changed while the service does not run, and steps over an alarm.
  static func zoneWhileOff(_ sabotage: Sabotage? = nil) -> World {
    let world = night(sabotage)
    world.run(
      until: hour,
      [
        Incident(time: .at(20 * minute), kind: .restart(minute)),
        Incident(time: .after(10 * second), kind: .zone("Europe/Berlin")),
      ])
    return world
  }

  /// A zone that is changed while the clock is not trusted, and steps over an alarm; the service is
  /// restarted before the clock is right.
  static func zoneWhileUntrusted(_ sabotage: Sabotage? = nil) -> World {
    let world = night(sabotage)
    world.run(
      until: hour,
      [
        Incident(time: .at(10 * minute), kind: .step(5 * second, byServer: false)),
        Incident(time: .at(20 * minute), kind: .zone("Pacific/Kiritimati")),
        Incident(time: .at(22 * minute), kind: .restart(minute)),
        Incident(time: .at(25 * minute), kind: .synchronised),
      ])
    return world
  }

  /// A clock that starts two days behind, and that may speak; the service is restarted before it is
  /// right.
  static func startInThePast(_ sabotage: Sabotage? = nil) -> World {
    let world = night(sabotage, untrusted: .speak)
    world.run(
      until: hour,
      [
        Incident(time: .at(15 * minute), kind: .powerCut(minute, clockIsBehind: 2 * day)),
        Incident(time: .at(20 * minute), kind: .restart(minute)),
        Incident(time: .at(40 * minute), kind: .synchronised),
      ])
    return world
  }

  /// A timer is at zero while another rings.
  ///
  /// The first rings at 390 and 396 s, each time for 1.5 s, and at 399 s. The player already has
  /// the ring of 399 s when the other timer is set. The other rings from 397.2 s on.
  static func twoTimers(
    _ sabotage: Sabotage? = nil, ringLimit: Int64 = 900,
    other: (at: Int64, length: Duration) = (395, .milliseconds(2200))
  ) -> World {
    var rules = OracleRules()
    rules.ringLimit = ringLimit * second
    let world = World(from: 1_811_808_000, rules, sabotage)
    world.run(
      until: 420 * second,
      [(at: 330, length: .seconds(60)), other].map {
        Incident(time: .at($0.at * second), kind: .timer(.start($0.length, name: nil)))
      })
    return world
  }
}

extension World {
  /// A timer rings while the speaker is busy, until `ring_limit`.
  static func neverHeard(_ sabotage: Sabotage? = nil) -> World {
    var rules = OracleRules()
    rules.ringLimit = 20 * second
    let world = World(from: 1_811_808_000, rules, sabotage)
    world.run(
      until: 420 * second,
      [
        Incident(time: .at(330 * second), kind: .busy(hour)),
        Incident(time: .at(340 * second), kind: .timer(.start(.seconds(20), name: nil))),
      ])
    return world
  }

  /// The switch is lost in the first of two rounds, and not found again.
  static func roundsUnheard(_ sabotage: Sabotage? = nil) -> World {
    let world = World(from: 1_811_808_000, OracleRules(), sabotage)
    let rounds = IntervalRounds(work: .seconds(20), rest: .seconds(10), count: 2)
    world.run(
      until: 420 * second,
      [
        Incident(
          time: .at(330 * second), kind: .timer(.startInterval(.rounds(rounds), replaces: false))),
        Incident(time: .at(340 * second), kind: .switchLost),
      ])
    return world
  }
}

extension Sabotage {
  /// The fault in a scene that random histories seldom contain. Nil for a fault that shows in most
  /// of them.
  fileprivate var scene: World? {
    switch self {
    case .alarmsTwice: .repeatedHour(self)
    case .zoneUnsaved, .expiredDayEarly: .zoneWhileOff(self)
    case .zoneSavedAnew: .zoneWhileUntrusted(self)
    case .promisesLost: .startInThePast(self)
    case .ringsTogether, .ringsOutOfTurn: .twoTimers(self)
    case .neverHeardToldMissed: .neverHeard(self)
    case .roundsUnheardUntold: .roundsUnheard(self)
    default: nil
    }
  }

  /// The invariants that it may violate.
  fileprivate var invariants: Set<String> {
    switch self {
    case .wrongHour: ["truth"]
    case .playedTwice, .decisionsForgotten: ["once"]
    case .lateBlows, .driftUncorrected: ["late"]
    case .stopsUnheard, .handIgnored, .muteWaits, .unmuteAtOnce: ["muted"]
    // The mute is not reported either.
    case .muteIgnored, .muteEndsEarly: ["muted", "complete"]
    case .lostSwitchSounds: ["muted"]
    case .untrustedSpeaks: ["trust"]
    case .quietHoursUnread: ["quiet"]
    case .quietMinuteLate: ["quiet", "complete"]
    case .clockAlwaysTrusted: ["trust"]
    case .wakeUpTooFar: ["wakes"]
    case .cuesDrift, .ringsLate: ["late"]
    case .ringsUnstopped, .stoppedTooEarly: ["muted"]
    case .timersLost, .intervalLost, .alarmsLost, .zoneUnsaved, .alarmsLate, .ringsForEver,
      .zoneSavedAnew, .promisesLost, .expiredDayEarly:
      ["complete"]
    // A ring an hour after its time is late by that much.
    case .alarmsTwice: ["late"]
    case .ringsTogether: ["overlap"]
    case .tunesLate, .ringsDropped, .firstRingDropped, .ringsOutOfTurn, .wordsDropped: ["ring"]
    case .firstRingLate: ["ring", "late"]
    case .elapsedTwice: ["once"]
    case .volumeHourLate: ["level"]
    case .lateLimitIgnored: ["late", "complete"]
    case .atStopExchanged: ["muted", "complete"]
    case .reloadIgnored: ["truth", "quiet", "complete", "level", "late", "muted"]
    case .occasionsDropped, .cuesDropped, .missedUntold, .neverHeardToldMissed,
      .roundsUnheardUntold, .refusalsUntold, .soundedUntold, .cutOffUntold, .soundedTwice,
      .falselyBusy, .falselyFailed, .falselyStopped, .chimesDropped, .neverRetried,
      .failuresSwallowed, .stopToldAsLate:
      ["complete"]
    }
  }
}
