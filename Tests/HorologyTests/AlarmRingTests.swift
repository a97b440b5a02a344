import TestSupport
import Testing

@testable import Horology

/// Alarms as the Announcer rings them.
@Suite struct AlarmRingTests {
  /// A Saturday.
  private static let start = "2026-11-21T06:51:00"
  private static let seven = Instant("2026-11-21T07:00:00")

  private func desk(
    _ plan: AlarmPlan = .at(name: "school"), trust: ClockTrust = .synchronised,
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) -> Desk {
    // No occasion sounds: no voice, no chime.
    var desk = Desk(at: Self.start, trust: trust) {
      $0.interval = Interval(minutes: 60)!
      $0.voiceAtHour = .none
      change(&$0)
    }
    desk.tell(.reminder(.set(plan)))
    #expect(desk.alarmEvents == [.set])
    return desk
  }

  private func shown(_ cue: Cue, _ desk: Desk) -> Instant {
    desk.now.instant + (cue.anchor - desk.now.sinceBoot)
  }

  @Test("it rings at its time to the nanosecond, says the time, and rings on") func rings() {
    var desk = desk()
    let seen = desk.live(for: .seconds(553))
    #expect(seen.alarms == [.rings(.due(late: nil))])
    let rings = seen.cues.map { shown($0, desk) - Self.seven }
    #expect(rings.prefix(4) == [.zero, .seconds(6), .seconds(9), .seconds(12)])
    #expect(seen.cues.allSatisfy { $0.signal == .ring && $0.source == .alarm(1) })
    #expect(seen.announcements.map(\.anchor) == [Self.seven + .seconds(2)])
    #expect(seen.announcements.first?.time.dateTime.timeOfDay == "07:00:02")
  }

  @Test("a press puts it off for ten minutes, by the command too; stopped it is over for the day")
  func snooze() {
    for event in [Event.pressed(speakerIsAwake: true), .reminder(.snooze(nil))] {
      var desk = desk()
      _ = desk.live(for: .seconds(544))
      desk.tell(event)
      #expect(desk.alarmEvents == [.changed(.snoozed)])
      #expect(!desk.stopped.isEmpty)
      let pressed = desk.now.sinceBoot
      let seen = desk.live(for: .seconds(612))
      #expect(seen.alarms == [.rings(.again)])
      #expect(seen.cues.first?.anchor == pressed + .seconds(600))
      #expect(seen.announcements.count == 1)
      desk.tell(.stop(.byHand))
      #expect(desk.alarmEvents == [.stopped(.byHand)])
      #expect(desk.live(for: .seconds(3600)).cues.isEmpty)
      #expect(desk.announcer.reminders.alarms.first?.next == Self.seven + .seconds(86_400))
    }
  }

  @Test("held after the press that put it off it is over for the day, and an interval goes on")
  func held() {
    var desk = desk()
    desk.start(.plain(every: .seconds(20)))
    _ = desk.live(for: .seconds(544))
    desk.tell(.pressed(speakerIsAwake: true))
    desk.wait(for: .seconds(1))
    desk.tell(.held)
    #expect(desk.alarmEvents == [.stopped(.byHand)])
    #expect(desk.announcer.interval != nil)
    #expect(desk.live(for: .seconds(900)).alarms.isEmpty)
  }

  @Test("the time is not said by a clock that is not trusted any more", .rule("untrusted-snooze"))
  func untrustedTime() {
    var desk = desk()
    _ = desk.live(for: .seconds(544))
    desk.tell(.reminder(.snooze(nil)))
    desk.tell(.trust(.untrusted))
    let seen = desk.live(for: .seconds(640))
    #expect(seen.alarms == [.rings(.again)])
    #expect(seen.announcements.isEmpty)
  }

  @Test("a stop ends a ring that has begun, though its wake-up is late", .rule("mute-stops"))
  func lateWakeUp() {
    for event in [Event.stop(.byHand), .mute(.on), .held] {
      var desk = desk()
      desk.wait(until: "2026-11-21T06:59:55")
      desk.now = desk.now.later(by: .milliseconds(5100))
      desk.tell(event)
      #expect(!desk.stopped.isEmpty && !desk.announcer.reminders.isRinging)
      desk.wait(for: .seconds(10))
      #expect(desk.cues.isEmpty)
    }
  }

  @Test("a tune rings from its first note on, again and again, and it rises") func tune() throws {
    var plan = AlarmPlan.at(name: "school")
    plan.tune = Tune(
      name: "test", description: "",
      movements: [
        0: .init(
          melody: [Blow(bell: "C4", offset: .zero), Blow(bell: "E4", offset: .seconds(2))],
          lead: .seconds(4), strikes: nil, rest: .seconds(1))
      ])
    plan.rise = AlarmRise(from: -20, over: .seconds(40))
    var desk = desk(plan)
    let seen = desk.live(for: .seconds(560))
    #expect(seen.cues.first?.blows == plan.tune?.movements[0]?.melody)
    // The words begin at their own level, though the bells ring on.
    let last = try #require(seen.cues.first?.blows.last?.offset)
    #expect(seen.cues.first?.ducking == .until(last + Cue.afterTune - Ducking.returnTakes))
    // The words begin 3 s after the last blow, and the tune again 3 s after the words begin.
    #expect(seen.announcements.first?.anchor == Self.seven + .seconds(5))
    let rings = seen.cues.map { shown($0, desk) - Self.seven }
    #expect(rings.prefix(3) == [.zero, .seconds(8), .seconds(16)])
    #expect(seen.cues.prefix(3).map(\.decibels) == [-20, -16, -12])
    // Five seconds of forty have passed when the time is said.
    #expect(seen.announcements.map(\.decibels) == [-17.5])
  }

  @Test("a ring that rises does not silence a loud one", .rule("one-ring")) func loudestRings() {
    var plan = AlarmPlan.at("07:01")
    plan.name = "quiet"
    plan.rise = AlarmRise(from: -60, over: .seconds(3600))
    var desk = desk()
    desk.tell(.reminder(.set(plan)))
    let seen = desk.live(for: .seconds(640))
    let later = seen.cues.filter { shown($0, desk) > Self.seven + .seconds(70) }
    #expect(!later.isEmpty)
    #expect(later.allSatisfy { $0.source == .alarm(1) && $0.decibels == 0 })
  }
}
