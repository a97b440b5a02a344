import Testing

@testable import Horology

/// Faults that clocksmith-simulate found.
@Suite struct SimulatedFindingsTests {
  @Test("set back a little and then far ahead, what has sounded is not told as skipped")
  func setBackThenFarAhead() throws {
    var desk = Desk(at: "2026-11-21T15:10:00")
    desk.wait(until: "2026-11-21T15:14:55")
    desk.wait(until: "2026-11-21T15:15:02")
    desk.end(.finished(.exact))
    desk.step(by: .seconds(-240))
    desk.step(by: .seconds(5 * 3600))
    let skipped = try #require(desk.skips.first)
    #expect(skipped.first == Instant("2026-11-21T15:30:00"))
  }

  @Test("set back by less than the interval was, nothing sounds again when that becomes shorter")
  func shorterInterval() {
    var desk = Desk(at: "2026-11-21T14:50:00") { $0.interval = .quarter }
    for minute in ["14:59", "15:14"] {
      desk.wait(until: "2026-11-21T\(minute):55")
      desk.end(.finished(.exact))
    }
    desk.wait(until: "2026-11-21T15:24:00")
    desk.step(by: .seconds(-12 * 60))
    var settings = desk.announcer.settings
    settings.interval = Interval(minutes: 5)!
    desk.tell(.reloaded(settings, .none))
    desk.tell(.woke)
    #expect(desk.announcer.next.civil.minute == 20)
  }

  @Test("words that are not heard before the clock is set back come when it shows their time again")
  func setBackBeforeHeard() {
    var desk = Desk(at: "2026-11-21T15:14:00")
    desk.wait(until: "2026-11-21T15:14:55")
    desk.open(for: .milliseconds(10_100))
    desk.step(by: .seconds(-692))
    #expect(desk.stopReason == .clockSet)
    // The next occasion is not stopped by hand.
    desk.tell(.stop(.byHand))
    #expect(desk.stopReason == nil)
    desk.end(.stopped(.clockSet, silentAt: nil))
    #expect(desk.reports.isEmpty)
    desk.wait(until: "2026-11-21T15:14:55")
    #expect(desk.played == "15:15:00")
  }

  @Test("what a sleep passes over while something is prepared was slept through")
  func sleptOverWhilePreparing() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.tell(.asked(speakerIsAwake: false))
    desk.sleep(for: .seconds(9 * 60))
    #expect(desk.skipReason == .late(.seconds(60)))
  }

  @Test("asked right after a sleep, it is not refused for an occasion that has passed")
  func askedAfterSleep() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.now = desk.now.asleep(for: .seconds(17 * 60))
    desk.tell(.asked(speakerIsAwake: true))
    #expect(desk.refusal == nil)
    #expect(desk.announcer.playing?.cause == .request)
  }

  @Test("words that a step of the clock may make wrong are not said after their chime")
  func wordsAfterChime() {
    let chime = Tune(
      name: "test", description: "",
      movements: [
        1: Tune.Movement(
          melody: [Blow(bell: "E3", offset: .zero)], lead: .zero, strikes: nil, rest: .seconds(8))
      ])
    var desk = Desk(at: "2026-11-21T15:10:00") { $0.chimeQuarters = chime }
    desk.wait(until: "2026-11-21T15:14:55")
    desk.wait(until: "2026-11-21T15:15:01")
    desk.step(by: .seconds(-5))
    #expect(desk.stopReason == .clockSet)
  }

  @Test("a process has one zone: where that is another now, what is prepared is made anew")
  func zoneOfTheProcess() {
    ZoneOfProcess.offset = 0
    var desk = Desk(at: "2026-11-21T15:10:00")
    desk.tell(.zoneChanged(ZoneOfProcess()))
    desk.wait(until: "2026-11-21T15:14:56")
    #expect(desk.announcer.playing != nil)
    ZoneOfProcess.offset = 20_700
    desk.tell(.zoneChanged(ZoneOfProcess()))
    #expect(desk.stopReason == .rulesChanged)
  }

  @Test("what the end of the service stops is told, though the clock is not trusted any more")
  func endsUntrusted() {
    var desk = Desk(at: "2026-11-21T15:14:00")
    desk.wait(until: "2026-11-21T15:14:55")
    desk.tell(.stop(.serviceEnds))
    desk.tell(.trust(.untrusted))
    desk.end(.stopped(.serviceEnds, silentAt: nil))
    #expect(desk.skipReason == .stopped(.serviceEnds))
  }

  @Test("a mute for a duration ends in time, though the clock was set by a little many times")
  func manySmallSteps() {
    var desk = Desk(at: "2026-11-21T15:01:00")
    desk.tell(.mute(.until(Instant("2026-11-21T15:06:00"))))
    for _ in 0..<20 {
      desk.now = desk.now.later(by: .seconds(1))
      desk.step(by: .milliseconds(40))
    }
    desk.wait(until: "2026-11-21T15:06:00", plus: .milliseconds(700))
    #expect(desk.announcer.mute != .off)
    desk.wait(until: "2026-11-21T15:06:00", plus: .milliseconds(801))
    #expect(desk.announcer.mute == .off)
  }

  /// One note, 20 s before the hour.
  private static let note = Tune.note(leading: .seconds(20), rest: .seconds(1))

  @Test("set far ahead in a melody and back past its hour, the time is still said")
  func farAheadAndBack() {
    var desk = Desk(at: "2026-11-21T14:58:00") { $0.chime = Self.note }
    desk.wait(until: "2026-11-21T14:59:35")
    desk.wait(until: "2026-11-21T14:59:58")
    desk.step(by: .seconds(43 * 60))
    #expect(desk.stopReason == .clockSet)
    desk.step(by: .seconds(-43 * 60 + 5))
    desk.end(.stopped(.clockSet, silentAt: desk.now.uptime))
    #expect(desk.played == "15:00:00")
    #expect(desk.announcer.playing?.programme == .wordsAlone)
  }

  @Test("what was opened late and has sounded is not opened again by a step back")
  func setBackAfterOpening() throws {
    var desk = Desk(at: "2026-11-21T15:14:00")
    desk.wait(until: "2026-11-21T15:14:55")
    let prepared = try #require(desk.announcer.playing)
    desk.open(for: .seconds(6))
    desk.wait(for: .seconds(1))
    desk.step(by: .seconds(-5))
    #expect(desk.stopReason == nil)
    #expect(desk.announcer.playing == prepared)
  }
}

/// Like `SystemZone`: every instance shows the one zone of the process.
private struct ZoneOfProcess: Zone {
  nonisolated(unsafe) static var offset = 0
  let name = "Process"

  func civil(at instant: Instant) -> CivilTime {
    TestZone { _ in Self.offset }.civil(at: instant)
  }

  func instants(of time: CivilDateTime) -> [Instant] { [] }
}
