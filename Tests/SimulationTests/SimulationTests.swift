import Testing

@testable import Simulation

/// Simulated years. glibc knows one zone at a time, so one goes on at a time, and in a process by
/// itself: `swift test --filter SimulationTests`.
@Suite(.serialized, .enabled(if: CommandLine.arguments.contains("SimulationTests")))
struct SimulationTests {
  @Test(
    "a world with many faults violates nothing",
    arguments: [
      "Europe/London", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu",
    ])
  func manyFaults(zone: String) {
    let outcome = Simulation(seed: 1, years: 0.05, zone: zone, faults: .high).run()
    #expect(outcome.violation == nil)
    #expect(outcome.soundings > 20)
    #expect(outcome.faults.count > 20)
  }

  @Test("without faults every quarter of a year sounds") func noFaults() {
    let outcome = Simulation(seed: 1, years: 0.2, zone: "Europe/London", faults: .none).run()
    #expect(outcome.violation == nil)
    // 73.05 days.
    #expect((7_012...7_014).contains(outcome.soundings))
  }

  @Test("the same seed gives the same history") func sameSeed() {
    func run() -> Simulation.Outcome {
      Simulation(seed: 3, years: 0.05, zone: "Europe/London", faults: .high).run()
    }
    let (first, second) = (run(), run())
    #expect(first.soundings == second.soundings)
    #expect(first.faults == second.faults)
  }

  @Test("the oracle sees what is broken", arguments: Sabotage.allCases)
  func seesBreaks(sabotage: Sabotage) throws {
    let expected = Self.invariants(of: sabotage)
    var found: [String] = []
    let seeds: ClosedRange<UInt64> = 1...6
    for seed in seeds where expected.isDisjoint(with: found) {
      let outcome = Simulation(
        seed: seed, years: 0.3, zone: "Europe/London", faults: .high, sabotage: sabotage,
        patience: 0
      ).run()
      if let violation = outcome.violation { found.append(violation.invariant) }
    }
    #expect(!expected.isDisjoint(with: found), "found: \(found)")
  }

  /// What each of them violates.
  private static func invariants(of sabotage: Sabotage) -> Set<String> {
    switch sabotage {
    case .wrongHour: ["truth"]
    case .playedTwice, .decisionsForgotten: ["once"]
    case .lateBlows, .driftUncorrected: ["late"]
    case .stopsUnheard, .handIgnored, .muteWaits, .unmuteAtOnce: ["muted"]
    // It is not told either.
    case .muteIgnored: ["muted", "complete"]
    case .quietHoursUnread: ["quiet"]
    case .quietMinuteLate: ["quiet", "complete"]
    case .clockAlwaysTrusted: ["trust"]
    case .wakeUpTooFar: ["wakes"]
    case .volumeHourLate: ["level"]
    case .lateLimitIgnored: ["late", "complete"]
    case .atStopExchanged: ["muted", "complete"]
    case .reloadIgnored: ["truth", "quiet", "complete", "level", "late", "muted"]
    case .occasionsDropped, .refusalsUntold, .soundedUntold, .cutOffUntold, .soundedTwice,
      .falselyBusy, .falselyFailed, .falselyStopped, .chimesDropped, .neverRetried,
      .failuresSwallowed:
      ["complete"]
    }
  }

  @Test("the oracle's quiet hours cross midnight and the end of the week") func quietWindow() {
    let window = OracleRules.Window(firstDay: 6, lastDay: 6, from: 22 * 60, to: 7 * 60)
    #expect(window.contains(.init(minuteOfDay: 23 * 60, second: 0, weekday: 6)))
    #expect(window.contains(.init(minuteOfDay: 6 * 60, second: 0, weekday: 0)))
    #expect(!window.contains(.init(minuteOfDay: 7 * 60, second: 0, weekday: 0)))
    #expect(!window.contains(.init(minuteOfDay: 6 * 60, second: 0, weekday: 6)))
  }
}
