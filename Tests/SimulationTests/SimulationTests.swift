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
  @Test("the oracle sees what is broken", arguments: [Sabotage.wrongHour, .soundedUntold])
  func seesBreaks(sabotage: Sabotage) {
    #expect(Proof(sabotage).isFound)
  }

  @Test(
    "a ring that comes by itself excuses nothing of the first",
    arguments: [Sabotage.firstRingDropped, .firstRingLate])
  func firstRing(sabotage: Sabotage) {
    #expect(World.twoTimers(sabotage).oracle.violation?.invariant == .ring)
  }

  @Test("of two that ring one is heard at a time, the newer") func ringsTogether() {
    let world = World.twoTimers()
    #expect(world.oracle.violation == nil)
    // The first rings at 390 and 396 s, the other at 397.2, 403.2, 406.2 s and on.
    #expect(world.oracle.counts["cue"] == 9)
    #expect(World.twoTimers(.ringsTogether).oracle.violation?.invariant == .overlap)
    #expect(World.twoTimers(.ringsOutOfTurn).oracle.violation?.invariant == .ring)
  }

  /// Found with seed 3, in Africa/Cairo and Australia/Eucla.
  @Test("of two that share a ring the newer is heard from then on") func shares() {
    let other: (at: Int64, length: Duration) = (395, .milliseconds(1400))
    let world = World.twoTimers(other: other)
    #expect(world.oracle.violation == nil)
    // The first rings at 390 and 396 s. The other shares the ring at 396 s, and rings at 402.4,
    // 405.4 s and on.
    #expect(world.oracle.counts["cue"] == 8)
    #expect(World.twoTimers(.ringsOutOfTurn, other: other).oracle.violation?.invariant == .ring)
  }

  /// Found with seed 1, in Pacific/Chatham.
  @Test("a first ring that ended with the timer it was shared with may come once more")
  func sharedRing() {
    let world = World.twoTimers(ringLimit: 10, other: (340, .milliseconds(59_030)))
    #expect(world.oracle.violation == nil)
    // The first rings at 390, 396 and 399 s, and ends at 400 s. The other rings at 400.1, 405.03
    // and 408.03 s.
    #expect(world.oracle.counts["cue"] == 6)
  }

  @Test("what is violated is told with the shortest history that violates it") func shortest() {
    let sabotage = Sabotage.handIgnored
    let faces = Faces(over: 1_800_000_000..<1_830_000_000)
    let world = World(
      shown: 1_811_808_000 * second, rules: OracleRules(), zone: "Europe/London", faces: faces,
      sabotage: sabotage)
    let scene = world.scene
    let starts = Incident(
      time: .at(330 * second),
      kind: .timer(.startInterval(.plain(every: .seconds(20)), replaces: false)))
    let stops = Incident(time: .at(510 * second), kind: .stopByHand)
    let others = (1...12).map {
      Incident(time: .at(Int64($0) * minute), kind: .askFor(hour: 3, minute: $0))
    }
    world.run(until: hour, others[..<5] + [starts] + others[5..<8] + [stops] + others[8...])
    #expect(world.oracle.violation?.invariant == .muted)
    #expect(world.happened.count == 10)
    let shrinking = Shrinking(scene: scene, faces: faces, sabotage: sabotage, patience: 120)
    let shortest = shrinking.shortest(world, .muted)
    #expect(shortest.happened.map(\.incident) == [starts, stops])
    #expect(shrinking.told(shortest).diary?.end.isEmpty == false)
    // A shorter history counts only if it violates the same. `patience` limits the tries.
    #expect(shrinking.shortest(world, .late) === world)
    let hasty = Shrinking(scene: scene, faces: faces, sabotage: sabotage, patience: 1)
    #expect(hasty.shortest(world, .muted).happened.count == 5)
  }

  @Test("an alarm in the hour that autumn repeats rings once") func repeatedHour() {
    let world = World.repeatedHour()
    #expect(world.oracle.violation == nil)
    // From 01:30 until ring_limit, a ring every 3 s, without the second one.
    #expect(world.oracle.counts["cue"] == 299)
    #expect(World.repeatedHour(.alarmsTwice).oracle.violation?.invariant == .late)
  }

  @Test("an alarm that another zone steps over while nothing runs is told") func zoneWhileOff() {
    #expect(World.zoneWhileOff().oracle.violation == nil)
    #expect(World.zoneWhileOff(.zoneUnsaved).oracle.violation?.invariant == .complete)
  }

  /// Found with seed 2, in Africa/Blantyre.
  @Test("an alarm that another zone steps over while the clock is not trusted is told once")
  func zoneWhileUntrusted() {
    #expect(World.zoneWhileUntrusted().oracle.violation == nil)
    let lost = World.zoneWhileUntrusted(.zoneSavedAnew).oracle.violation
    #expect(lost?.invariant == .complete)
  }

  @Test("what a right clock promised is kept over a start in the past") func promises() {
    #expect(World.startInThePast().oracle.violation == nil)
    #expect(World.startInThePast(.promisesLost).oracle.violation?.invariant == .complete)
  }

  @Test("a ring that was never heard is not told missed") func neverHeard() {
    #expect(World.neverHeard().oracle.violation == nil)
    #expect(World.neverHeard(.neverHeardToldMissed).oracle.violation?.invariant == .complete)
  }

  @Test("what is stopped after its last sound has ended as usual, as in the player")
  func stoppedAfterItsEnd() {
    let machine = Machine(
      shown: 1_811_808_000 * second, rules: OracleRules(), zone: "Europe/London")
    let cue = Cue(
      SoundingID(1), of: .timer(1), .ring, at: .nanoseconds(machine.sinceBoot + second),
      mayBeLateBy: .seconds(1), decibels: 0)
    for (span, isWhole) in [(1600 * millisecond, true), (400 * millisecond, false)] {
      var turn = Turn(cue, queue: 100 * millisecond, machine)
      var later = machine
      later.pass(950 * millisecond)
      turn.decide(later)
      later.pass(span)
      while turn.takeSound(through: later.uptime) != nil {}
      turn.stop(.byHand, late: 0, later)
      let isFinished = if case .finished? = turn.verdict?.outcome { true } else { false }
      #expect(isFinished == isWhole)
    }
  }

  @Test("rounds whose end nobody hears are told unheard") func roundsUnheard() {
    #expect(World.roundsUnheard().oracle.violation == nil)
    #expect(World.roundsUnheard(.roundsUnheardUntold).oracle.violation?.invariant == .complete)
  }

  /// Found with seed 2, in America/Managua.
  @Test("a timer that is at zero as the clock is set right rings at once") func zeroAsClockIsSet() {
    // 28 June 2027.
    let world = World(
      shown: 1_814_140_800 * second, rules: OracleRules(), zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
    world.run(
      until: 2 * hour,
      [
        Incident(time: .at(10 * minute), kind: .timer(.start(.seconds(3600), name: nil))),
        Incident(
          time: .at(20 * minute), kind: .powerCut(minute, clockIsBehind: 30 * minute)),
        Incident(time: .at(70 * minute + second / 2), kind: .synchronised),
      ])
    #expect(world.oracle.violation == nil)
    #expect(world.oracle.counts["cue"] ?? 0 > 200)
  }

  /// Found with seed 3, in Atlantic/Madeira.
  @Test("a doubt of the clock that another reading of the RTC ends at once is not told")
  func judgedTwice() {
    let world = World(
      shown: 1_811_808_000 * second, rules: OracleRules(), zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
    let quarter = 15 * minute
    // An RTC shows whole seconds: read late in one, it seems to be further behind.
    world.run(
      until: 25 * minute,
      [
        Incident(time: .at(second), kind: .rtc(.running(ahead: 0))),
        Incident(time: .at(2 * second), kind: .powerCut(minute, clockIsBehind: 0)),
        Incident(time: .at(600_900 * millisecond), kind: .ask(speakerIsAwake: false)),
        Incident(time: .at(quarter - 1500 * millisecond), kind: .stall(75 * millisecond)),
        Incident(time: .after(10 * millisecond), kind: .reload(1, .sound)),
        Incident(time: .after(0), kind: .step(1800 * millisecond, byServer: false)),
      ])
    #expect(world.oracle.violation == nil)
    #expect(world.oracle.trust == .holdover)
    // The answer, and the quarter.
    #expect(world.oracle.soundings == 2)
  }

  /// Found with seed 13, in Pacific/Chatham.
  @Test("an alarm that rang is not owed again because the clock is set back as the service ends")
  func setBackAtEnd() {
    var rules = OracleRules()
    rules.untrusted = .speak
    rules.ringLimit = 20 * second
    rules.alarms = [.init(name: "night", minuteOfDay: 70, days: .weekly([0, 1, 2, 3, 4, 5, 6]))]
    // 01:00 in London.
    let world = World(
      shown: 1_811_808_000 * second, rules: rules, zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
    world.run(
      until: 2 * hour,
      [
        Incident(time: .at(15 * minute), kind: .step(-35 * millisecond, byServer: false)),
        Incident(time: .at(20 * minute), kind: .ask(speakerIsAwake: false)),
        Incident(time: .after(second), kind: .restart(minute)),
        Incident(time: .after(0), kind: .stall(5 * second)),
        Incident(time: .after(10 * millisecond), kind: .step(-32 * hour, byServer: false)),
        Incident(time: .at(hour), kind: .synchronised),
      ])
    #expect(world.oracle.violation == nil)
    #expect(world.oracle.counts["cue"] ?? 0 > 2)
  }

  /// Found with seed 5, in Pacific/Chatham.
  @Test("the time that is not said for alarms that began together is told once") func toldOnce() {
    var rules = OracleRules()
    (rules.lateLimit, rules.ringLimit) = (0, 10 * second)
    let loud = OracleRules.Alarm(
      name: "sun", minuteOfDay: 60, days: .weekly([0, 1, 2, 3, 4, 5, 6]))
    var soft = loud
    soft.name = "moon"
    soft.rise = .init(from: -24, length: 300 * second)
    // Five seconds long.
    soft.tune = OracleRules.Melody.all.first { $0?.name == "pips" } ?? nil
    rules.alarms = [loud, soft]
    // Half past midnight in London. The hour is said from 3 s after it on.
    let world = World(
      shown: 1_811_806_200 * second, rules: rules, zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
    world.run(until: hour + minute, [])
    #expect(world.oracle.violation == nil)
    #expect(world.oracle.counts["cue"] == 3)
  }

  /// Found with seed 11, in Africa/Cairo.
  @Test("an alarm rings by the zone that came as the service ended") func zoneAtEnd() {
    var rules = OracleRules()
    rules.alarms = [.init(name: "night", minuteOfDay: 90, days: .weekly([0, 1, 2, 3, 4, 5, 6]))]
    // 01:00 in London, midnight in the Azores.
    let world = World(
      shown: 1_811_808_000 * second, rules: rules, zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
    world.run(
      until: 2 * hour,
      [
        Incident(time: .at(20 * minute), kind: .ask(speakerIsAwake: false)),
        Incident(time: .after(second), kind: .restart(20 * minute)),
        Incident(time: .after(10 * millisecond), kind: .zone("Atlantic/Azores")),
      ])
    #expect(world.oracle.violation == nil)
    #expect(world.oracle.counts["cue"] ?? 0 > 2)
  }

  /// Found with seed 3, in America/Indiana/Marengo.
  @Test("what a person asks of a ringing timer does not take the place of what is said of it")
  func askedAtZero() {
    let world = World(
      shown: 1_811_808_000 * second, rules: OracleRules(), zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
    world.run(
      until: 3 * minute,
      [
        Incident(time: .at(minute), kind: .timer(.start(.seconds(60), name: nil))),
        Incident(time: .at(2 * minute + second / 2), kind: .timer(.tell(nil))),
        Incident(time: .after(140 * millisecond), kind: .step(-11 * minute, byServer: true)),
      ])
    #expect(world.oracle.violation == nil)
    #expect(world.oracle.soundings == 1)
  }

  /// Found with seed 18, in Pacific/Chatham.
  @Test("a tune that begins late may ring on as it comes again") func tuneComesAgain() {
    var rules = OracleRules()
    var alarm = OracleRules.Alarm(
      name: "night", minuteOfDay: 70, days: .weekly([0, 1, 2, 3, 4, 5, 6]))
    alarm.tune = .westminster
    rules.alarms = [alarm]
    let world = World(
      shown: 1_811_808_000 * second, rules: rules, zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
    world.run(
      until: 12 * minute,
      [
        Incident(time: .at(minute), kind: .slowToOpen(hour, 3100 * millisecond)),
        Incident(
          time: .at(10 * minute - 5100 * millisecond), kind: .stall(4700 * millisecond)),
      ])
    #expect(world.oracle.violation == nil)
    #expect(world.oracle.counts["cue"] ?? 0 > 2)
  }

  /// Found with seed 11, in Europe/London.
  @Test("what fails after it was stopped just as it was to begin has failed") func stopsAndFails() {
    var rules = OracleRules()
    rules.lateLimit = second
    let world = World(
      shown: 1_811_808_000 * second, rules: rules, zone: "Europe/London",
      faces: Faces(over: 1_780_000_000..<1_850_000_000))
    let quarter = 15 * minute
    world.run(
      until: quarter + minute,
      [
        Incident(time: .at(minute), kind: .contact(isActive: true, edges: 1, apart: 0)),
        Incident(time: .at(2 * minute), kind: .slowToOpen(hour, 177 * millisecond)),
        Incident(
          time: .at(quarter - 185 * millisecond),
          kind: .contact(isActive: false, edges: 5, apart: 59 * millisecond)),
        Incident(time: .at(quarter - 66 * millisecond), kind: .stall(9900 * millisecond)),
      ])
    #expect(world.oracle.violation == nil)
    #expect(world.oracle.soundings == 0)
  }

  @Test("the oracle's quiet hours cross midnight and the end of the week") func quietWindow() {
    let window = OracleRules.Window(firstDay: 6, lastDay: 6, from: 22 * 60, to: 7 * 60)
    #expect(window.contains(.init(minuteOfDay: 23 * 60, second: 0, weekday: 6)))
    #expect(window.contains(.init(minuteOfDay: 6 * 60, second: 0, weekday: 0)))
    #expect(!window.contains(.init(minuteOfDay: 7 * 60, second: 0, weekday: 0)))
    #expect(!window.contains(.init(minuteOfDay: 6 * 60, second: 0, weekday: 6)))
  }
}
