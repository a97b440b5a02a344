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

  @Test("set back just after a melody began, before that was told, the melody stops")
  func setBackAsItBegins() {
    var desk = Desk(at: "2026-11-21T14:55:00") {
      let movement = Tune.Movement(
        melody: [Blow(bell: "E3", offset: .zero)], lead: .seconds(20), strikes: nil, rest: .zero)
      $0.chime = Tune(name: "melody", description: "", movements: [0: movement])
    }
    desk.wait(until: "2026-11-21T14:59:35")
    desk.now = desk.now.later(by: .milliseconds(5_014))
    desk.step(by: .milliseconds(-2_600))
    #expect(desk.stopReason == .clockSet)
  }

  @Test("set back after the interval became longer, no occasion sounds again")
  func longerInterval() {
    var desk = Desk(at: "2026-11-21T14:50:00") { $0.interval = .quarter }
    for minute in ["14:59", "15:14", "15:29"] {
      desk.wait(until: "2026-11-21T\(minute):55")
      desk.end(.finished(.exact))
    }
    desk.wait(until: "2026-11-21T15:44:00")
    var settings = desk.announcer.settings
    settings.interval = Interval(minutes: 60)!
    desk.tell(.reloaded(settings, .none))
    desk.step(by: .seconds(-50 * 60))
    #expect(desk.announcer.next.civil.hour == 16)
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

  @Test("words that the switch held back until it was too late are told so, though it is on then")
  func heldBackBySwitch() {
    var desk = Desk(at: "2026-11-21T15:01:00") {
      $0.saysTimers = true
      $0.tellsLeft = [.minute]
    }
    desk.tell(.switched(.off, at: desk.now.uptime))
    desk.start(.seconds(120))
    desk.wait(for: .seconds(60))
    // The loop is held up.
    desk.now = desk.now.later(by: .seconds(40))
    desk.tell(.switched(.on, at: desk.now.uptime))
    let reasons = desk.reports.compactMap { report -> SkipReason? in
      if case .unsaid(_, let reason) = report { reason } else { nil }
    }
    #expect(reasons == [.switchOff])
  }

  @Test("what was cut off does not sound again after a wrong clock is forgotten")
  func cutOffAndForgotten() {
    var desk = Desk(at: "2026-11-21T15:14:00")
    desk.wait(until: "2026-11-21T15:14:55")
    desk.wait(until: "2026-11-21T15:15:00", plus: .milliseconds(300))
    desk.step(by: .seconds(-410))
    desk.end(.stopped(.clockSet, silentAt: desk.now.uptime))
    desk.step(by: .seconds(410))
    desk.tell(.asked(speakerIsAwake: true))
    // More than an interval ahead, and back before that is seen to be wrong.
    desk.step(by: .seconds(927))
    desk.step(by: .seconds(-927))
    desk.end(.stopped(.clockSet, silentAt: desk.now.uptime))
    #expect(desk.announcer.playing == nil)
    #expect(desk.announcer.next.civil.minute == 30)
  }

  @Test("what a sleep passes over while something is prepared was slept through")
  func sleptOverWhilePreparing() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.tell(.asked(speakerIsAwake: false))
    desk.sleep(for: .seconds(9 * 60))
    #expect(desk.skipReason == .late(.seconds(60)))
  }

  @Test("an occasion that failed before the clock was set back has not failed when it comes again")
  func failedBefore() {
    let now = Now("2026-11-21T14:59:56", running: .seconds(1_000))
    var quarters = Quarters(Schedule(interval: .quarter, zone: TestZone.utc), at: now.instant)
    let hour = quarters.next
    _ = quarters.retry(hour, "gone", at: now)
    #expect(quarters.failureReason(of: hour) == .failed("gone"))
    quarters.clockShows(now.instant - .seconds(3_000), before: now.instant)
    #expect(quarters.failureReason(of: hour) == nil)
  }

  @Test("asked right after a sleep, it is not refused for an occasion that has passed")
  func askedAfterSleep() {
    var desk = Desk(at: "2026-11-21T15:07:00")
    desk.now = desk.now.asleep(for: .seconds(17 * 60))
    desk.tell(.asked(speakerIsAwake: true))
    #expect(desk.refusal == nil)
    #expect(desk.announcer.playing?.cause == .request)
  }

  @Test("words that a clock set back makes wrong are not said after their chime")
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
    #expect(desk.stopReason == nil)
    desk.step(by: .seconds(-9))
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

  @Test("set back by less than the interval once was, what was skipped in a row is not told again")
  func skippedInARow() {
    var desk = Desk(at: "2026-11-21T16:29:30") { $0.interval = Interval(minutes: 60)! }
    desk.step(by: .seconds(-59 * 60))
    var settings = desk.announcer.settings
    settings.interval = Interval(minutes: 5)!
    desk.tell(.reloaded(settings, .none))
    desk.wait(until: "2026-11-21T15:34:55")
    desk.end(.finished(.exact))
    desk.wait(until: "2026-11-21T15:36:00")
    desk.sleep(for: .seconds(10 * 60 + 17))
    #expect(desk.skips.map(\.first) == [Instant("2026-11-21T15:40:00")])
    desk.step(by: .seconds(-13 * 60))
    #expect(desk.announcer.next.civil.minute == 50)
  }

  @Test("what fails and is tried again does not open what was skipped after it")
  func triedAgain() {
    let chime = Tune(
      name: "test", description: "",
      movements: [
        0: Tune.Movement(
          melody: [Blow(bell: "E3", offset: .zero)], lead: .seconds(48), strikes: nil,
          rest: .seconds(1))
      ])
    var desk = Desk(at: "2026-11-21T14:58:30") {
      $0.interval = Interval(minutes: 1)!
      $0.chime = chime
      $0.quiet = try! QuietHours(text: "15:00-16:00")
    }
    desk.wait(until: "2026-11-21T14:58:55")
    var skips: [Instant] = []
    for _ in 0..<12 {
      desk.end(.failed("busy", heard: .nothing))
      desk.wait(for: .seconds(1))
      skips += desk.skips.map(\.first)
    }
    #expect(skips == [Instant("2026-11-21T15:00:00")])
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

  @Test("an occasion that comes again while what was heard of it still stops finds it busy")
  func comesAgainWhileStopping() {
    var desk = Desk(at: "2026-11-21T15:14:00")
    desk.wait(until: "2026-11-21T15:14:55")
    desk.wait(until: "2026-11-21T15:15:00", plus: .milliseconds(500))
    desk.step(by: .seconds(13 * 86_400))
    desk.now = desk.now.later(by: .milliseconds(100))
    desk.step(by: .seconds(-13 * 86_400) - .milliseconds(1500))
    #expect(desk.announcer.playing != nil)
    desk.wait(until: "2026-11-21T15:15:10", plus: .milliseconds(1))
    #expect(desk.skipReason == .busy)
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
