import Testing

@testable import Horology

/// Alarms as the Announcer rings them.
@Suite struct AlarmRingTests {
  /// A Saturday.
  private static let seven = Instant("2026-11-21T07:00:00")

  private func desk(_ plan: AlarmPlan = .at(name: "school")) -> Desk {
    // No occasion sounds: no voice, no chime.
    var desk = Desk(at: "2026-11-21T06:51:00") {
      $0.interval = Interval(minutes: 60)!
      $0.voiceAtHour = .none
    }
    desk.tell(.reminder(.set(plan)))
    #expect(desk.alarmEvents == [.set])
    return desk
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

  @Test("a stop ends a ring that has begun, though its wake-up is late") func lateWakeUp() {
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
    let rings = seen.cues.map { desk.now.instant + ($0.anchor - desk.now.sinceBoot) - Self.seven }
    #expect(rings.prefix(3) == [.zero, .seconds(8), .seconds(16)])
    #expect(seen.cues.prefix(3).map(\.decibels) == [-20, -16, -12])
    // Five seconds of forty have passed when the time is said.
    #expect(seen.announcements.map(\.decibels) == [-17.5])
  }
}
