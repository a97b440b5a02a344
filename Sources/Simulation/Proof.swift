import Horology

/// Tells whether the judge finds a fault that is made on purpose.
public struct Proof {
  /// The name of the fault, as in `lateBlows`.
  public let name: String
  /// What the judge found; nil if nothing.
  public private(set) var violation: String?

  init(_ sabotage: Sabotage) {
    name = "\(sabotage)"
    // Two timers seldom ring together by chance.
    if sabotage == .ringsTogether { violation = World.twoTimers(sabotage).judge.violation?.what }
    // Histories are tried until one shows the fault: not every history can.
    for seed in 1...6 as ClosedRange<UInt64> where violation == nil {
      let simulation = Simulation(
        seed: seed, years: 0.3, zone: "Europe/London", faults: .high, sabotage: sabotage,
        patience: 0)
      violation = simulation.run().violation?.report.first
    }
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
