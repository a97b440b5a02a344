import Horology

/// Tells whether the judge finds a fault that is made on purpose.
public struct Proof {
  /// The name of the fault, as in `lateBlows`.
  public let name: String
  /// The judge found a violation of the property that is about it.
  public let isFound: Bool
  /// The violated properties, in the order of the histories.
  public let violated: [String]

  /// Histories are tried until one shows the fault: not every history can.
  private static let seeds: ClosedRange<UInt64> = 1...6

  init(_ sabotage: Sabotage) {
    var violated: [String] = []
    let expected = sabotage.properties
    if let violation = sabotage.scene?.judge.violation { violated.append(violation.property) }
    for seed in Self.seeds where expected.isDisjoint(with: violated) {
      let outcome = Simulation(
        seed: seed, years: 0.3, zone: "Europe/London", faults: .high, sabotage: sabotage,
        patience: 0
      ).run()
      if let violation = outcome.violation { violated.append(violation.property) }
    }
    name = "\(sabotage)"
    isFound = !expected.isDisjoint(with: violated)
    self.violated = violated
  }

  /// One for every fault that can be made on purpose.
  public static var all: some Sequence<Proof> { Sabotage.allCases.lazy.map { Proof($0) } }
}

extension World {
  /// A scene in London, from that second of UTC on.
  convenience init(
    _ settings: AnnouncerSettings = .usual, from seconds: Int64 = 1_811_808_000,
    _ sabotage: Sabotage? = nil
  ) {
    self.init(
      shown: seconds * second, settings: settings, zone: "Europe/London",
      faces: Faces(over: seconds - 366 * 86_400..<seconds + 366 * 86_400), sabotage: sabotage)
  }

  /// An alarm is stopped, and the service starts again soon after that.
  static func startAfterAlarm(_ sabotage: Sabotage? = nil) -> World {
    var settings = AnnouncerSettings.usual
    // Ten minutes after the beginning, which is at 01:00.
    settings.alarms = [.daily("night", at: 70)]
    let world = World(settings, sabotage)
    world.run(
      until: 40 * minute,
      [
        Incident(time: .at(11 * minute), kind: .reminder(.stop(nil))),
        Incident(time: .at(13 * minute), kind: .restart(10 * second)),
      ])
    return world
  }

  /// A timer is at zero while another rings.
  static func twoTimers(_ sabotage: Sabotage? = nil) -> World {
    let world = World(.usual, sabotage)
    world.run(
      until: 420 * second,
      [(at: 330, length: 60_000), (at: 395, length: 2200)].map {
        Incident(
          time: .at($0.at * second),
          kind: .reminder(.start(.milliseconds($0.length), name: nil)))
      })
    return world
  }
}

extension AlarmPlan {
  /// - Parameter minute: since midnight.
  static func daily(_ name: String, at minute: Int) -> AlarmPlan {
    AlarmPlan(
      name: name,
      AlarmTimes(time: TimeOfDay(minutes: minute), days: .weekly(Set(Weekday.allCases))))
  }
}

extension Sabotage {
  /// The fault in a scene that random histories seldom contain. Nil for a fault that shows in most
  /// of them.
  fileprivate var scene: World? {
    switch self {
    case .alarmsTwice: .startAfterAlarm(self)
    case .ringsTogether: .twoTimers(self)
    default: nil
    }
  }

  /// The properties that it may violate.
  fileprivate var properties: Set<String> {
    switch self {
    case .wrongHour: ["truth"]
    case .playedTwice: ["once"]
    case .lateBlows, .driftUncorrected: ["ontime"]
    case .wordsTooLate: ["ontime", "truth"]
    case .stopsUnheard, .ringsUnstopped, .handIgnored, .muteIgnored, .muteEndsEarly, .muteWaits,
      .unmuteAtOnce, .lostSwitchSounds, .atStopExchanged:
      ["silence"]
    case .clockAlwaysTrusted: ["trust"]
    case .volumeHourLate: ["level"]
    case .chimesDropped, .occasionsDropped, .failuresSwallowed, .wakeUpTooFar, .untrustedSpeaks,
      .quietHoursUnread, .quietMinuteLate:
      ["occasions"]
    // Of a reload that is ignored, anything may be heard.
    case .reloadIgnored: ["occasions", "level", "ontime", "silence", "once"]
    case .refusalsUntold, .untrustedDropped: ["requests"]
    case .startDropped, .startsAgain: ["starts"]
    case .ringsTogether: ["overlap"]
    case .cuesDrift, .cuesDropped, .intervalLost: ["intervals"]
    case .ringsLate, .ringsDropped, .firstRingDropped, .firstRingLate, .tunesLate, .wordsDropped,
      .ringsForEver, .alarmsLate, .alarmsTwice, .timersLost, .alarmsLost, .missedUntold:
      ["rings"]
    }
  }
}
