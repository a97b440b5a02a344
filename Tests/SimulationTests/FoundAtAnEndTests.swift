import Horology
import Testing

@testable import Simulation

extension SimulationTests {
  /// Found by ten years of every zone: what happens while an interval or the service ends.
  @Suite struct FoundAtAnEnd {
    /// In Asia/Magadan.
    @Test("the last cue of rounds may fade as others replace them, and is not judged as theirs")
    func lastCueReplaced() {
      let world = World(OracleRules())
      let rounds = IntervalRounds(work: .milliseconds(3500), rest: .seconds(5), count: 1)
      let others = IntervalRounds(
        work: .seconds(5), rest: .seconds(10), count: 2, prepare: .seconds(5))
      // The last cue is due at 303.9 s. The loop is held up, so it is heard from 304.19 s.
      world.run(
        until: 6 * minute,
        [
          Incident(
            time: .at(5 * minute), kind: .timer(.startInterval(.rounds(rounds), replaces: false))),
          Incident(time: .at(303_750 * millisecond), kind: .stall(341 * millisecond)),
          Incident(
            time: .at(304_185 * millisecond),
            kind: .timer(.startInterval(.rounds(others), replaces: true))),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.counts["cue"] ?? 0 > 5)
    }

    /// In Australia/Hobart.
    @Test("a clock that is far ahead while the service ends makes no alarm ring again")
    func aheadAtEnd() {
      let world = World(OracleRules.night)
      world.run(
        until: 70 * minute,
        [
          Incident(time: .at(30 * minute + 5 * second), kind: .stopByHand),
          Incident(time: .at(44 * minute), kind: .stopsLate(hour, 2 * second)),
          Incident(time: .at(45 * minute + second / 2), kind: .restart(minute)),
          Incident(time: .after(second / 4), kind: .step(17 * day, byServer: false)),
          Incident(time: .after(second / 4), kind: .stopByHand),
          Incident(time: .after(second / 4), kind: .stopByHand),
          Incident(time: .after(second / 2), kind: .synchronised),
          Incident(time: .at(50 * minute), kind: .step(-30 * minute, byServer: true)),
        ])
      #expect(world.oracle.violation == nil)
    }
  }
}
