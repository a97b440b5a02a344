import Horology
import TestSupport
import Testing

@testable import Simulation

/// Simulated years. glibc knows one zone at a time, so they run one at a time, in a process of
/// their own: `swift test --filter SimulationTests`.
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
    #expect(outcome.faults.count > 15)
  }

  @Test("without faults every quarter of a year sounds", .rule("wall-clock")) func noFaults() {
    let outcome = Simulation(seed: 1, years: 0.2, zone: "Europe/London", faults: .none).run()
    #expect(outcome.violation == nil)
    // 73.05 days.
    #expect((7_012...7_014).contains(outcome.soundings))
  }

  @Test("the same seed gives the same history") func sameSeed() {
    func run() -> Simulation.Summary {
      Simulation(seed: 3, years: 0.05, zone: "Europe/London", faults: .high).run()
    }
    let (first, second) = (run(), run())
    #expect(first.soundings == second.soundings)
    #expect(first.faults == second.faults)
  }

  /// `clocksmith-simulate --prove` tries all of them, which takes minutes in a debug build.
  @Test("the judge sees what is broken", arguments: [Sabotage.wrongHour, .occasionsDropped])
  func seesBreaks(sabotage: Sabotage) {
    #expect(sabotage.found != nil)
  }

  @Test("of two that ring one is heard at a time, the newer", .rule("one-ring"))
  func ringsTogether() {
    let world = World.twoTimers()
    #expect(world.judge.violation == nil)
    // The first rings at 390 and 396 s, the other at 397.2, 403.2, 406.2 s and on.
    #expect(world.judge.counts["cue"] == 9)
    #expect(World.twoTimers(.ringsTogether).judge.violation?.property == "overlap")
  }

  @Test("what is violated is told with the shortest history that violates it") func shortest() {
    let beginning = World(.usual, .stopsUnheard)
    let starts = Incident.at(
      500 * second, .order(.reminder(.start(TimerPlan(.seconds(5))))))
    let stops = Incident.at(505_500 * millisecond, .order(.stop(.byHand)))
    let others = (1...12).map { Incident.at(Int64($0) * minute, .step(Int64($0))) }
    let world = World(copy: beginning)
    world.run(until: hour, others[..<8] + [starts, stops] + others[8...])
    #expect(world.judge.violation?.property == "silence")
    #expect(world.happened.count == 10)
    let shrinking = Shrinking(beginning: beginning, patience: 120)
    #expect(shrinking.shortest(world).happened.map(\.at) == [starts.at, stops.at])
    #expect(shrinking.failure(of: world).first?.hasPrefix("silence: ") == true)
    // `patience` limits the tries.
    let hasty = Shrinking(beginning: beginning, patience: 1)
    #expect(hasty.shortest(world).happened.count == 5)
  }

  @Test("the judge's quiet hours cross midnight and the end of the week") func quietWindow() throws
  {
    let window = try QuietHours(text: "sat 22:00-07:00").windows[0]
    #expect(window.covers((minuteOfDay: 23 * 60, second: 0, weekday: 6)))
    #expect(window.covers((minuteOfDay: 6 * 60, second: 0, weekday: 0)))
    #expect(!window.covers((minuteOfDay: 7 * 60, second: 0, weekday: 0)))
    #expect(!window.covers((minuteOfDay: 6 * 60, second: 0, weekday: 6)))
  }
}
