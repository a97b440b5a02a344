import Horology
import Testing

@testable import Simulation

extension SimulationTests {
  /// Short histories that long ones have come upon: what is heard when things happen together. Each
  /// start of the machine has a signal, which counts among what is heard.
  @Suite struct Histories {
    @Test("a cue that is about to sound may be heard as a reload lets the switch silence it")
    func cueAtReload() {
      var settings = AnnouncerSettings.usual
      settings.silences = .announcements
      let world = World(settings)
      let seed = AnnouncerSettings.seed(from: settings) { $0.silences == .everything }
      // A cue every 20 s from 300.4 s on.
      world.run(
        until: 6 * minute,
        [
          Incident(time: .at(minute), kind: .contact(isActive: true, edges: 1, apart: 0)),
          Incident(
            time: .at(5 * minute),
            kind: .interval(.start(.plain(every: .seconds(20)), replaces: false))),
          Incident(time: .at(320_390 * millisecond), kind: .reload(seed)),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.counts["cue"] == 2)
      #expect(world.machine.settings.silences == .everything)
    }

    @Test("a button that is pressed as the last cue of rounds has just sounded stops that cue")
    func pressedAfterLastCue() {
      let world = World()
      let round = IntervalRounds(work: .milliseconds(3500), rest: .seconds(5), count: 1)
      // The last cue sounds from 303.9 to 304.3 s. Its end is told 100 ms later.
      world.run(
        until: 6 * minute,
        [
          Incident(
            time: .at(5 * minute), kind: .interval(.start(.rounds(round), replaces: false))),
          Incident(time: .at(304_350 * millisecond), kind: .press(speakerIsAwake: true)),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.counts["cue"] == 4)
      #expect(world.judge.soundings == 1)
    }

    @Test("an occasion that comes again after the clock was set back may fail for the first time")
    func failsAgain() {
      let world = World()
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
      #expect(world.judge.violation == nil)
      // 01:15.
      #expect(world.judge.soundings == 2)
    }

    @Test("a speaker that is too late for every ring is told so before the last of them is due")
    func tooLateForRings() {
      var settings = AnnouncerSettings.usual
      (settings.ringLimit, settings.saysTimers) = (.seconds(30), false)
      let world = World(settings)
      world.run(
        until: 7 * minute,
        [
          Incident(time: .at(minute), kind: .slowToOpen(hour, 3460 * millisecond)),
          Incident(time: .after(0), kind: .longQueue(hour, 5600 * millisecond)),
          Incident(time: .at(5 * minute), kind: .reminder(.start(.milliseconds(4240), name: nil))),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.counts["cue"] == nil)
    }

    @Test("words that are stopped by hand before they are heard, as the clock is set back")
    func stoppedAsClockIsSet() {
      let world = World(.usual)
      world.run(
        until: 28 * minute,
        [
          // The speaker is ready just after 01:15.
          Incident(time: .at(10 * minute), kind: .slowToOpen(6 * minute, 5050 * millisecond)),
          Incident(time: .at(15 * minute - second), kind: .stall(5 * second)),
          Incident(time: .after(2 * second), kind: .stopByHand),
          Incident(time: .after(second), kind: .step(-692 * second, byServer: true)),
        ])
      #expect(world.judge.violation == nil)
      // The words come when the clock shows 01:15 again.
      #expect(world.judge.soundings == 2)
    }

    @Test("an occasion is skipped again if the clock was set back as it was told skipped")
    func skippedAgain() {
      var settings = AnnouncerSettings.usual
      (settings.interval, settings.silences) = (Interval(minutes: 5)!, .announcements)
      let world = World(settings)
      world.run(
        until: 30 * minute,
        [
          Incident(time: .at(minute), kind: .switchLost),
          Incident(time: .at(2 * minute), kind: .reminder(.start(.seconds(7200), name: nil))),
          Incident(time: .at(3 * minute), kind: .slowToOpen(hour, 300 * millisecond)),
          // 01:20 is decided as the speaker is opened for the words of the timer.
          Incident(time: .at(20 * minute - 10 * second), kind: .wakeUpLost),
          Incident(time: .at(20 * minute + 2 * second), kind: .reminder(.tell(nil))),
          Incident(time: .after(20 * millisecond), kind: .step(-8 * minute, byServer: true)),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.soundings == 1)
    }

    @Test("a ring that follows a clock that was set back goes on once the clock is right")
    func ringsOnceRight() {
      let world = World()
      world.run(
        until: 14 * minute,
        [
          Incident(time: .at(4 * minute), kind: .reminder(.start(.seconds(120), name: nil))),
          Incident(time: .after(30 * second), kind: .powerCut(10 * second, clockIsBehind: 0)),
          Incident(time: .at(380 * second), kind: .step(-30 * minute, byServer: true)),
          Incident(time: .at(12 * minute), kind: .synchronised),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.counts["cue"] ?? 0 > 20)
    }

    @Test("how much is left of a timer is said though it is paused a moment before")
    func pausedBeforeWords() {
      var settings = AnnouncerSettings.usual
      settings.tellsLeft = [.minute]
      let world = World(settings)
      world.run(
        until: 5 * minute,
        [
          Incident(time: .at(2 * minute), kind: .reminder(.start(.seconds(120), name: nil))),
          Incident(time: .after(minute - 200 * millisecond), kind: .reminder(.pause("1"))),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.soundings == 2)
    }

    @Test("words that a slow speaker has not begun end with the service, after a small step back")
    func stepBackAtEnd() {
      var settings = AnnouncerSettings.usual
      settings.atStop = .finish
      let world = World(settings)
      // The words of 01:15 would be heard 2.5 s late.
      world.run(
        until: 17 * minute,
        [
          Incident(time: .at(minute), kind: .slowToOpen(hour, 4500 * millisecond)),
          Incident(time: .after(0), kind: .longQueue(hour, 3 * second)),
          Incident(
            time: .at(15 * minute + second / 2), kind: .step(-700 * millisecond, byServer: true)),
          Incident(time: .after(20 * millisecond), kind: .restart(minute)),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.soundings == 1)
    }

    @Test("a timer that is at zero as the clock is set right rings at once") func zeroAsClockIsSet()
    {
      // 28 June 2027.
      let world = World(.usual, from: 1_814_140_800)
      world.run(
        until: 2 * hour,
        [
          Incident(time: .at(10 * minute), kind: .reminder(.start(.seconds(3600), name: nil))),
          Incident(
            time: .at(20 * minute), kind: .powerCut(minute, clockIsBehind: 30 * minute)),
          Incident(time: .at(70 * minute + second / 2), kind: .synchronised),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.counts["cue"] ?? 0 > 200)
    }

    @Test("a doubt of the clock that another reading of the RTC ends at once is not told")
    func judgedTwice() {
      let world = World()
      let quarter = 15 * minute
      // An RTC shows whole seconds: read late in one, it seems to be further behind.
      world.run(
        until: 25 * minute,
        [
          Incident(time: .at(second), kind: .rtc(.running(ahead: 0))),
          Incident(time: .at(2 * second), kind: .powerCut(minute, clockIsBehind: 0)),
          Incident(time: .at(600_900 * millisecond), kind: .ask(speakerIsAwake: false)),
          Incident(time: .at(quarter - 1500 * millisecond), kind: .stall(75 * millisecond)),
          Incident(time: .after(10 * millisecond), kind: .reload(1)),
          Incident(time: .after(0), kind: .step(1800 * millisecond, byServer: false)),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.world.trust == .holdover)
      // The answer, and the quarter.
      #expect(world.judge.soundings == 4)
    }

    @Test("an alarm rings by the zone that came as the service ended") func zoneAtEnd() {
      var settings = AnnouncerSettings.usual
      settings.alarms = [.daily("night", at: 90)]
      // 01:00 in London, midnight in the Azores.
      let world = World(settings)
      world.run(
        until: 2 * hour,
        [
          Incident(time: .at(20 * minute), kind: .ask(speakerIsAwake: false)),
          Incident(time: .after(second), kind: .restart(20 * minute)),
          Incident(time: .after(10 * millisecond), kind: .zone("Atlantic/Azores")),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.counts["cue"] ?? 0 > 2)
    }

    @Test("an alarm rings once, though the clock is set back by days as it rings")
    func setBackByDays() {
      var settings = AnnouncerSettings.usual
      settings.ringLimit = .seconds(300)
      settings.alarms = [.daily("night", at: 90)]
      let world = World(settings)
      world.run(
        until: hour,
        [
          Incident(time: .at(31 * minute), kind: .step(-32 * hour, byServer: true)),
          // The alarm still rings at 01:23.
          Incident(
            time: .at(33 * minute), kind: .step(32 * hour - 10 * minute, byServer: true)),
        ])
      #expect(world.judge.violation == nil)
      // A ring every 3 s, for 5 minutes at most.
      #expect((90...100).contains(world.judge.counts["cue"] ?? 0))
    }

    @Test("a snooze that was over as the clock was set, before a start, rings after it")
    func snoozeOverAtStart() {
      var settings = AnnouncerSettings.usual
      (settings.ringLimit, settings.alarms) = (.seconds(120), [.daily("night", at: 70)])
      let world = World(settings)
      world.run(
        until: 30 * minute,
        [
          Incident(time: .at(605 * second), kind: .reminder(.snooze(nil))),
          Incident(time: .at(11 * minute), kind: .restart(10 * minute)),
          Incident(time: .at(1230 * second), kind: .step(-67 * second, byServer: true)),
        ])
      #expect(world.judge.violation == nil)
      // The snooze is over at 1205 s.
      #expect(world.judge.counts["cue"] ?? 0 > 30)
    }

    @Test("what a person asks of a ringing timer does not take the place of what is said of it")
    func askedAtZero() {
      let world = World()
      world.run(
        until: 3 * minute,
        [
          Incident(time: .at(minute), kind: .reminder(.start(.seconds(60), name: nil))),
          Incident(time: .at(2 * minute + second / 2), kind: .reminder(.tell(nil))),
          Incident(time: .after(140 * millisecond), kind: .step(-11 * minute, byServer: true)),
        ])
      #expect(world.judge.violation == nil)
      #expect(world.judge.soundings == 2)
    }

    @Test("what fails after it was stopped just as it was to begin has failed") func stopsAndFails()
    {
      let world = World(.usual)
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
      #expect(world.judge.violation == nil)
      #expect(world.judge.soundings == 1)
    }
  }
}

extension AnnouncerSettings {
  /// A seed of a reload that changes these settings in this way.
  static func seed(
    from settings: AnnouncerSettings, _ isMeant: (AnnouncerSettings) -> Bool
  ) -> UInt64 {
    (1...10_000).first { seed in
      var chance = Chance(seed: seed)
      var changed = settings
      changed.change(&chance)
      return isMeant(changed)
    }!
  }
}
