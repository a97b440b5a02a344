import Horology
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

  /// `clocksmith-simulate --prove` tries all of them, which takes minutes in a debug build.
  @Test("the judge sees what is broken", arguments: [Sabotage.wrongHour, .occasionsDropped])
  func seesBreaks(sabotage: Sabotage) {
    #expect(Proof(sabotage).isFound)
  }

  @Test("of two that ring one is heard at a time, the newer") func ringsTogether() {
    let world = World.twoTimers()
    #expect(world.judge.violation == nil)
    // The first rings at 390 and 396 s, the other at 397.2, 403.2, 406.2 s and on.
    #expect(world.judge.counts["cue"] == 9)
    #expect(World.twoTimers(.ringsTogether).judge.violation?.property == "overlap")
  }

  @Test("what is violated is told with the shortest history that violates it") func shortest() {
    let sabotage = Sabotage.stopsUnheard
    let faces = Faces(over: 1_800_000_000..<1_830_000_000)
    let world = World(
      shown: 1_811_808_000 * second, settings: .usual, zone: "Europe/London", faces: faces,
      sabotage: sabotage)
    let scene = world.scene
    let starts = Incident.at(500 * second, .reminder(.start(.seconds(5), name: nil)))
    let stops = Incident.at(505_500 * millisecond, .stopByHand)
    let others = (1...12).map {
      Incident.at(Int64($0) * minute, .rtc(.running(ahead: Int64($0))))
    }
    world.run(until: hour, others[..<8] + [starts, stops] + others[8...])
    #expect(world.judge.violation?.property == "silence")
    #expect(world.happened.count == 10)
    let shrinking = Shrinking(scene: scene, faces: faces, sabotage: sabotage, patience: 120)
    let shortest = shrinking.shortest(world, "silence")
    #expect(shortest.happened.map(\.incident) == [starts, stops])
    #expect(shrinking.told(shortest).diary?.end.isEmpty == false)
    // A shorter history counts only if it violates the same. `patience` limits the tries.
    #expect(shrinking.shortest(world, "ontime") === world)
    let hasty = Shrinking(scene: scene, faces: faces, sabotage: sabotage, patience: 1)
    #expect(hasty.shortest(world, "silence").happened.count == 5)
  }

  @Test("the judge's quiet hours cross midnight and the end of the week") func quietWindow() throws
  {
    let window = try QuietHours(text: "sat 22:00-07:00").windows[0]
    #expect(window.covers(.init(minuteOfDay: 23 * 60, second: 0, weekday: 6)))
    #expect(window.covers(.init(minuteOfDay: 6 * 60, second: 0, weekday: 0)))
    #expect(!window.covers(.init(minuteOfDay: 7 * 60, second: 0, weekday: 0)))
    #expect(!window.covers(.init(minuteOfDay: 6 * 60, second: 0, weekday: 6)))
  }
}
