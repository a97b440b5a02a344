import Horology

/// Tells whether the judge finds a fault that is made on purpose.
public struct Proof {
  /// The name of the fault, as in `lateBlows`.
  public let name: String
  /// The judge found a violation of the property that is about it.
  public let isFound: Bool
  /// The violated properties, in the order of the histories.
  public let violated: [String]

  init(_ sabotage: Sabotage) {
    var violated: [String] = []
    // Two timers seldom ring together by chance.
    if sabotage == .ringsTogether, let violation = World.twoTimers(sabotage).judge.violation {
      violated.append(violation.property)
    }
    // Histories are tried until one shows the fault: not every history can.
    for seed in 1...6 as ClosedRange<UInt64> where !violated.contains(sabotage.property) {
      let simulation = Simulation(
        seed: seed, years: 0.3, zone: "Europe/London", faults: .high, sabotage: sabotage,
        patience: 0)
      if let violation = simulation.run().violation { violated.append(violation.property) }
    }
    name = "\(sabotage)"
    isFound = violated.contains(sabotage.property)
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
      shown: seconds * second, settings: settings, zone: "Europe/London", sabotage: sabotage)
  }

  /// A timer is at zero while another rings.
  static func twoTimers(_ sabotage: Sabotage? = nil) -> World {
    let world = World(.usual, sabotage)
    world.run(
      until: 420 * second,
      [(at: 330, length: 60_000), (at: 395, length: 2200)].map {
        Incident(
          at: $0.at * second,
          kind: .order(.reminder(.start(.milliseconds($0.length), name: nil))))
      })
    return world
  }
}
