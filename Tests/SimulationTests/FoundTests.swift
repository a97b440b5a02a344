import Horology
import Testing

@testable import Simulation

extension SimulationTests {
  /// Found by ten years of every zone with seed 20261124. Each test sets up the cause alone.
  @Suite struct Found {
    /// In Africa/Brazzaville.
    @Test("an interval's cue that is about to sound may be heard as the clock is set")
    func cueAtStep() {
      let world = World(OracleRules())
      // A cue every 20 s from 300.4 s on.
      world.run(
        until: 8 * minute,
        [
          Incident(
            time: .at(5 * minute),
            kind: .timer(.startInterval(.plain(every: .seconds(20)), replaces: false))),
          Incident(time: .at(6 * minute), kind: .powerCut(10 * second, clockIsBehind: 0)),
          Incident(time: .at(420_388 * millisecond), kind: .step(3 * second, byServer: false)),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.counts["cue"] ?? 0 > 4)
    }

    /// In Asia/Tomsk.
    @Test("a cue that is about to sound may be heard as a reload lets the switch silence it")
    func cueAtReload() {
      var rules = OracleRules()
      rules.silences = .announcements
      let world = World(rules)
      let seed = OracleRules.seed(from: rules) { $0.silences == .everything }
      // A cue every 20 s from 300.4 s on.
      world.run(
        until: 6 * minute,
        [
          Incident(time: .at(minute), kind: .contact(isActive: true, edges: 1, apart: 0)),
          Incident(
            time: .at(5 * minute),
            kind: .timer(.startInterval(.plain(every: .seconds(20)), replaces: false))),
          Incident(time: .at(320_390 * millisecond), kind: .reload(seed, .none)),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.counts["cue"] == 2)
      #expect(world.machine.rules.silences == .everything)
    }

    /// In Africa/Monrovia.
    @Test("a button that is pressed as the last cue of rounds has just sounded stops that cue")
    func pressedAfterLastCue() {
      let world = World(OracleRules())
      let round = IntervalRounds(work: .milliseconds(3500), rest: .seconds(5), count: 1)
      // The last cue sounds from 303.9 to 304.3 s. Its end is told 100 ms later.
      world.run(
        until: 6 * minute,
        [
          Incident(
            time: .at(5 * minute), kind: .timer(.startInterval(.rounds(round), replaces: false))),
          Incident(time: .at(304_350 * millisecond), kind: .press(speakerIsAwake: true)),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.counts["cue"] == 4)
      #expect(world.oracle.soundings == 0)
    }

    /// In Africa/Mogadishu.
    @Test("words that wait for other words whose end was not told yet are hindered by those")
    func hinderedByTheTakenBack() {
      var rules = OracleRules.night
      rules.lateLimit = 0
      let world = World(rules)
      world.run(
        until: 31 * minute,
        [
          Incident(time: .at(minute), kind: .slowToOpen(hour, 300 * millisecond)),
          // The words of 01:30 are taken back. The machine sleeps while the speaker is opened for
          // the ring.
          Incident(time: .at(30 * minute - 800 * millisecond), kind: .reload(1, .speaker)),
          Incident(time: .after(2 * millisecond), kind: .sleep(2200 * millisecond)),
        ])
      #expect(world.oracle.violation == nil)
      // The quarter alone.
      #expect(world.oracle.soundings == 1)
    }

    /// In America/Antigua.
    @Test("a button that is read after the clock was set right snoozes the alarm that rings then")
    func pressedAsClockIsSet() {
      let world = World(.night)
      world.run(
        until: 35 * minute,
        [
          Incident(time: .at(20 * minute), kind: .step(5 * second, byServer: false)),
          Incident(time: .at(32 * minute), kind: .stall(5 * second)),
          Incident(time: .after(second), kind: .press(speakerIsAwake: true)),
          Incident(time: .after(second), kind: .synchronised),
        ])
      #expect(world.oracle.violation == nil)
      let state = world.oracle.timers.entries[.alarm(1)]?.state
      let isSnoozing = if case .snoozing = state { true } else { false }
      #expect(isSnoozing)
    }

    /// In Africa/Tripoli and Africa/Porto-Novo.
    @Test("an alarm is missed by a clock that was set back as the service ended")
    func setBackAtEnd() {
      let world = World(OracleRules())
      world.run(
        until: 2 * hour,
        [
          // It rings the next day.
          Incident(time: .at(40 * minute), kind: .alarm(.set(.night))),
          Incident(time: .at(41 * minute), kind: .zone("Europe/Lisbon")),
          Incident(time: .at(50 * minute), kind: .ask(speakerIsAwake: false)),
          Incident(time: .after(second), kind: .restart(hour)),
          Incident(time: .after(0), kind: .step(-40 * minute, byServer: true)),
        ])
      #expect(world.oracle.violation == nil)
      let alarm = world.oracle.timers.entries[.alarm(1)]?.alarm
      #expect(alarm?.acknowledged == World.one + 30 * minute)
    }

    /// In America/Tegucigalpa.
    @Test("an alarm gets its time anew by a clock that is right only as the service ends")
    func rightAtEnd() {
      var rules = OracleRules()
      rules.untrusted = .speak
      let world = World(rules)
      world.run(
        until: 2 * hour,
        [
          // It is to ring in five days. Without power the clock forgets the step.
          Incident(time: .at(10 * minute), kind: .step(5 * day, byServer: true)),
          Incident(time: .at(11 * minute), kind: .alarm(.set(.night))),
          Incident(time: .at(15 * minute), kind: .powerCut(minute, clockIsBehind: 0)),
          Incident(time: .at(25 * minute), kind: .ask(speakerIsAwake: false)),
          Incident(time: .after(second), kind: .restart(hour)),
          Incident(time: .after(5 * millisecond), kind: .synchronised),
        ])
      #expect(world.oracle.violation == nil)
      let alarm = world.oracle.timers.entries[.alarm(1)]?.alarm
      #expect(alarm?.acknowledged == World.one + 30 * minute)
    }

    /// In Pacific/Guam.
    @Test("an alarm whose time comes as the service ends is told missed after the next start")
    func dueAtEnd() {
      var rules = OracleRules.night
      rules.atStop = .finish
      let world = World(rules)
      world.run(
        until: 70 * minute,
        [
          Incident(time: .at(20 * minute), kind: .slowToOpen(hour, 747 * millisecond)),
          Incident(time: .at(30 * minute - 3 * second), kind: .restart(2300 * millisecond)),
          // The speaker is being opened for the ring.
          Incident(time: .at(30 * minute - second / 2), kind: .restart(24 * minute)),
        ])
      #expect(world.oracle.violation == nil)
      let alarm = world.oracle.timers.entries[.alarm(1)]?.alarm
      #expect(alarm?.acknowledged == World.one + 30 * minute)
    }

    /// In Africa/Accra.
    @Test("an alarm that the switch ends at the start is over for the days without power, too")
    func endedAtStart() {
      let world = World(.night)
      world.run(
        until: 56 * hour,
        [
          Incident(time: .at(second), kind: .rtc(.running(ahead: 0))),
          Incident(
            time: .at(30 * minute + 10 * second), kind: .powerCut(51 * hour, clockIsBehind: 0)),
          Incident(time: .after(0), kind: .contact(isActive: true, edges: 1, apart: 0)),
        ])
      #expect(world.oracle.violation == nil)
      let alarm = world.oracle.timers.entries[.alarm(1)]?.alarm
      #expect(alarm?.acknowledged == World.one + 30 * minute)
    }

    /// In Africa/Monrovia.
    @Test("an occasion that comes again after the clock was set back may fail for the first time")
    func failsAgain() {
      let world = World(OracleRules())
      world.run(
        until: 80 * minute,
        [
          // Nothing of 01:30 is heard when it fails.
          Incident(time: .at(20 * minute), kind: .slowToOpen(20 * minute, 4300 * millisecond)),
          Incident(time: .after(0), kind: .longQueue(20 * minute, 4 * second)),
          Incident(time: .at(30 * minute + 200 * millisecond), kind: .stall(10 * second)),
          Incident(time: .after(2 * second), kind: .step(-35 * minute, byServer: true)),
          Incident(time: .after(minute), kind: .busy(hour)),
        ])
      #expect(world.oracle.violation == nil)
      // 01:15.
      #expect(world.oracle.soundings == 1)
    }

    /// In America/Adak and America/Argentina/Mendoza.
    @Test("a speaker that is too late for every ring is told so before the last of them is due")
    func tooLateForRings() {
      var rules = OracleRules()
      (rules.ringLimit, rules.lateLimit) = (30 * second, 0)
      let world = World(rules)
      world.run(
        until: 7 * minute,
        [
          Incident(time: .at(minute), kind: .slowToOpen(hour, 3460 * millisecond)),
          Incident(time: .after(0), kind: .longQueue(hour, 5600 * millisecond)),
          Incident(time: .at(5 * minute), kind: .timer(.start(.milliseconds(4240), name: nil))),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.counts["cue"] == nil)
    }

    /// In America/Edmonton.
    @Test("words that are stopped by hand before they are heard, as the clock is set back")
    func stoppedAsClockIsSet() {
      var rules = OracleRules()
      rules.lateLimit = 0
      let world = World(rules)
      world.run(
        until: 28 * minute,
        [
          // The speaker is ready just after 01:15.
          Incident(time: .at(10 * minute), kind: .slowToOpen(6 * minute, 5050 * millisecond)),
          Incident(time: .at(15 * minute - second), kind: .stall(5 * second)),
          Incident(time: .after(2 * second), kind: .stopByHand),
          Incident(time: .after(second), kind: .step(-692 * second, byServer: true)),
        ])
      #expect(world.oracle.violation == nil)
      // The words come when the clock shows 01:15 again.
      #expect(world.oracle.soundings == 1)
    }

    /// In America/Hermosillo.
    @Test("a blow that two steps of the clock overtake together comes at once")
    func overtakenByTwoSteps() {
      let world = World(OracleRules())
      // The loop stands still from 5.932 to 5.806 s before the hour. A blow is due 5.5 s before it.
      world.run(
        until: 62 * minute,
        [
          Incident(time: .at(hour - 5932 * millisecond), kind: .stall(126 * millisecond)),
          Incident(
            time: .after(9 * millisecond), kind: .step(-48_700 * millisecond, byServer: true)),
          Incident(
            time: .after(9 * millisecond), kind: .step(49_190 * millisecond, byServer: true)),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.soundings == 4)
    }

    /// In America/North_Dakota/Center.
    @Test("an occasion is skipped again if the clock was set back as it was told skipped")
    func skippedAgain() {
      var rules = OracleRules()
      (rules.interval, rules.silences) = (5, .announcements)
      let world = World(rules)
      world.run(
        until: 30 * minute,
        [
          Incident(time: .at(minute), kind: .switchLost),
          Incident(time: .at(2 * minute), kind: .timer(.start(.seconds(7200), name: nil))),
          Incident(time: .at(3 * minute), kind: .slowToOpen(hour, 300 * millisecond)),
          // 01:20 is decided as the speaker is opened for the words of the timer.
          Incident(time: .at(20 * minute - 10 * second), kind: .wakeUpLost),
          Incident(time: .at(20 * minute + 2 * second), kind: .timer(.tell(nil))),
          Incident(time: .after(20 * millisecond), kind: .step(-8 * minute, byServer: true)),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.soundings == 0)
    }

    /// In Pacific/Saipan.
    @Test("a ring that follows a clock that was set back goes on once the clock is right")
    func ringsOnceRight() {
      let world = World(OracleRules())
      world.run(
        until: 14 * minute,
        [
          Incident(time: .at(4 * minute), kind: .timer(.start(.seconds(120), name: nil))),
          Incident(time: .after(30 * second), kind: .powerCut(10 * second, clockIsBehind: 0)),
          Incident(time: .at(380 * second), kind: .step(-30 * minute, byServer: true)),
          Incident(time: .at(12 * minute), kind: .synchronised),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.counts["cue"] ?? 0 > 20)
    }

    /// In Pacific/Kosrae.
    @Test("a stop by hand that is read after the clock is right ends the ring, not the interval")
    func stoppedAsClockIsRight() {
      let world = World(OracleRules())
      world.run(
        until: 6 * minute,
        [
          Incident(time: .at(2 * minute), kind: .powerCut(minute, clockIsBehind: 0)),
          Incident(
            time: .at(5 * minute),
            kind: .timer(.startInterval(.plain(every: .seconds(60)), replaces: false))),
          Incident(time: .after(second), kind: .timer(.start(.seconds(3), name: nil))),
          Incident(time: .after(second), kind: .stall(5 * second)),
          Incident(time: .after(second), kind: .stopByHand),
          Incident(time: .after(second), kind: .synchronised),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.timers.hasInterval)
      #expect(!world.oracle.timers.isRinging)
    }

    /// In Asia/Famagusta.
    @Test("the time for an alarm is as loud as was right before the clock was set, as it was made")
    func levelBeforeStep() {
      var rules = OracleRules.night
      rules.lateLimit = 59 * second
      rules.alarms[0].rise = .init(from: -24, length: minute)
      let world = World(rules)
      let seed = OracleRules.seed { $0.silences == .announcements }
      world.run(
        until: 32 * minute,
        [
          Incident(time: .at(20 * minute), kind: .switchLost),
          Incident(time: .at(30 * minute + 20 * second), kind: .slowToOpen(hour, second / 2)),
          // From now on the switch lets alarms through. The ring opens the speaker.
          Incident(time: .after(second), kind: .reload(seed, .none)),
          Incident(time: .after(second / 10), kind: .step(12 * day, byServer: false)),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.machine.rules.silences == .announcements)
    }

    /// In Asia/Dushanbe.
    @Test("how much is left of a timer is said though it is paused a moment before")
    func pausedBeforeWords() {
      var rules = OracleRules()
      rules.tellsLeft = [.minute]
      let world = World(rules)
      world.run(
        until: 5 * minute,
        [
          Incident(time: .at(2 * minute), kind: .timer(.start(.seconds(120), name: nil))),
          Incident(time: .after(minute - 200 * millisecond), kind: .timer(.pause("1"))),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.soundings == 1)
    }

    /// In America/Nuuk.
    @Test("a longer lead that a reload brings does not bring the time for an alarm forward")
    func longerLead() {
      var rules = OracleRules.night
      rules.ringLimit = 30 * second
      // As long as the alarm rings: there is no time for words after it.
      rules.alarms[0].tune = OracleRules.Melody.all.first { $0?.name == "carillon" } ?? nil
      let world = World(rules)
      let seed = OracleRules.seed { $0.leadIn == 4 * second }
      world.run(
        until: 31 * minute,
        [Incident(time: .at(30 * minute + 13 * second), kind: .reload(seed, .none))])
      #expect(world.oracle.violation == nil)
      #expect(world.machine.rules.leadIn == 4 * second)
    }

    @Test("words may finish that were due before a small step back, just before the service ends")
    func stepBackAtEnd() {
      var rules = OracleRules()
      rules.atStop = .finish
      let world = World(rules)
      // The words of 01:15 are heard 2.5 s late.
      world.run(
        until: 17 * minute,
        [
          Incident(time: .at(minute), kind: .slowToOpen(hour, 4500 * millisecond)),
          Incident(time: .after(0), kind: .longQueue(hour, 3 * second)),
          Incident(
            time: .at(15 * minute + second / 2), kind: .step(-700 * millisecond, byServer: true)),
          Incident(time: .after(20 * millisecond), kind: .restart(minute)),
        ])
      #expect(world.oracle.violation == nil)
      #expect(world.oracle.soundings == 1)
    }
  }
}
