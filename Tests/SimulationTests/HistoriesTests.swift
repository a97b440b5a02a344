import Horology
import TestSupport
import Testing

@testable import Simulation

extension SimulationTests {
  /// Short histories that long ones have come upon: what is heard when things happen together. Each
  /// start of the machine has a signal, which counts among what is heard.
  @Suite struct Histories {
    /// The world after a history in which nothing is violated.
    private func world(
      _ settings: AnnouncerSettings = .usual, from seconds: Int64 = 1_811_808_000,
      until end: Int64, _ incidents: Incident...
    ) -> World {
      let world = World(settings, from: seconds)
      world.run(until: end, incidents)
      #expect(world.judge.violation == nil)
      return world
    }

    private func alarm(at minute: Int, ringLimit: Int) -> AnnouncerSettings {
      var settings = AnnouncerSettings.usual
      settings.ringLimit = .seconds(ringLimit)
      settings.alarms = [
        AlarmPlan(
          name: "night",
          AlarmTimes(time: TimeOfDay(minutes: minute), days: .weekly(Set(Weekday.allCases))))
      ]
      return settings
    }

    @Test("an alarm that was stopped before a start does not ring again", .rule("alarm-set-back"))
    func startAfterAlarm() {
      let world = world(
        alarm(at: 70, ringLimit: 900), until: 40 * minute,
        .at(11 * minute, .order(.reminder(.stop(.alarm, nil)))),
        .at(13 * minute, .restart(10 * second)))
      // From 01:10 until the stop a minute later, a ring every 3 s, without the second one.
      #expect((18...20).contains(world.judge.counts["cue"] ?? 0))
    }

    @Test("a snooze that was over as the clock was set, before a start, rings after it")
    func snoozeOverAtStart() {
      let world = world(
        alarm(at: 70, ringLimit: 120), until: 30 * minute,
        .at(605 * second, .order(.reminder(.snooze(nil)))), .at(11 * minute, .restart(10 * minute)),
        .at(1230 * second, .step(-67 * second)))
      // The snooze is over at 1205 s.
      #expect(world.judge.counts["cue"] ?? 0 > 30)
    }

    @Test(
      "an alarm rings once, though the clock is set back by days as it rings",
      .rule("alarm-set-back"))
    func setBackByDays() {
      let world = world(
        alarm(at: 90, ringLimit: 300), until: hour,
        .at(31 * minute, .step(-32 * hour)),
        // The alarm still rings at 01:23.
        .at(33 * minute, .step(32 * hour - 10 * minute)))
      // A ring every 3 s, for 5 minutes at most.
      #expect((90...100).contains(world.judge.counts["cue"] ?? 0))
    }

    @Test("an alarm rings by the zone that came as the service ended") func zoneAtEnd() {
      // 01:00 in London, midnight in the Azores.
      let world = world(
        alarm(at: 90, ringLimit: 900), until: 2 * hour, .at(20 * minute, .ask(ahead: nil)),
        .at(1201 * second, .restart(20 * minute)),
        .at(1201 * second + 10 * millisecond, .zone("Atlantic/Azores")))
      #expect(world.judge.counts["cue"] ?? 0 > 2)
    }

    @Test("a timer that is at zero as the clock is set right rings at once", .rule("timer-late"))
    func zeroAsClockIsSet() {
      // 28 June 2027.
      let world = world(
        from: 1_814_140_800, until: 2 * hour,
        .at(10 * minute, .order(.reminder(.start(.seconds(3600), name: nil)))),
        .at(20 * minute, .powerCut(minute, clockIsAhead: -30 * minute)),
        .at(70 * minute + second / 2, .synchronised))
      #expect(world.judge.counts["cue"] ?? 0 > 200)
    }

    @Test("a ring that follows a clock that was set back goes on once the clock is right")
    func ringsOnceRight() {
      let world = world(
        until: 14 * minute, .at(4 * minute, .order(.reminder(.start(.seconds(120), name: nil)))),
        .at(270 * second, .powerCut(10 * second, clockIsAhead: 0)),
        .at(380 * second, .step(-30 * minute)), .at(12 * minute, .synchronised))
      #expect(world.judge.counts["cue"] ?? 0 > 20)
    }

    @Test("words that are stopped by hand before they are heard, as the clock is set back")
    func stoppedAsClockIsSet() {
      let world = world(
        until: 28 * minute,
        // The speaker is ready just after 01:15.
        .at(10 * minute, .slowToOpen(6 * minute, 5050 * millisecond)),
        .at(899 * second, .stall(5 * second)), .at(901 * second, .order(.stop(.byHand))),
        .at(902 * second, .step(-692 * second)))
      // The words come when the clock shows 01:15 again.
      #expect(world.judge.counts["announcement"] == 2)
    }

    @Test("how much is left of a timer is said though it is paused a moment before")
    func pausedBeforeWords() {
      var settings = AnnouncerSettings.usual
      settings.tellsLeft = [.minute]
      let world = world(
        settings, until: 5 * minute,
        .at(2 * minute, .order(.reminder(.start(.seconds(120), name: nil)))),
        .at(179_800 * millisecond, .order(.reminder(.pause("1")))))
      #expect(world.judge.counts["announcement"] == 2)
    }
  }
}

extension Incident {
  static func at(_ elapsed: Int64, _ kind: Kind) -> Incident {
    Incident(at: elapsed, kind: kind)
  }
}
