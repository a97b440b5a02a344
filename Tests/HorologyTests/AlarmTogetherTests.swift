import Testing

@testable import Horology

/// Alarms and timers that ring at one moment, or one after the other: one is heard at a time.
@Suite struct AlarmTogetherTests {
  /// A Saturday.
  private static let seven = Instant("2026-11-21T07:00:00")

  private static func tune(lasting seconds: Int) -> Tune {
    Tune(
      name: "test", description: "",
      movements: [
        0: .init(
          melody: [
            Blow(bell: "C4", offset: .zero), Blow(bell: "E4", offset: .seconds(seconds)),
          ],
          lead: .zero, strikes: nil, rest: .seconds(1))
      ])
  }

  private func desk(_ plans: [AlarmPlan]) -> Desk {
    // No occasion sounds: no voice, no chime.
    var desk = Desk(at: "2026-11-21T06:59:30") {
      $0.interval = Interval(minutes: 60)!
      $0.voiceAtHour = .none
      $0.saysTimers = true
    }
    for plan in plans { desk.tell(.reminder(.set(plan))) }
    return desk
  }

  private func shown(_ cues: [Cue], _ desk: Desk) -> [Duration] {
    cues.map { desk.now.instant + ($0.anchor - desk.now.sinceBoot) - Self.seven }
  }

  @Test("of many alarms with a tune at one moment one cue is made, and all of them ring")
  func many() {
    let tune = Self.tune(lasting: 18)
    var desk = desk((1...99).map { AlarmPlan.at(name: "alarm \($0)", tune: tune) })
    let seen = desk.live(for: .seconds(60))
    #expect(shown(seen.cues, desk) == [.zero, .seconds(24)])
    #expect(seen.alarms == Array(repeating: .rings(.due(late: nil)), count: 99))
    desk.tell(.stop(.byHand))
    #expect(desk.alarmEvents == Array(repeating: .stopped(.byHand), count: 99))
    #expect(desk.live(for: .seconds(60)).cues.isEmpty)
  }

  @Test("the tune is heard, and not the signal of another alarm or timer of the same moment")
  func tuneAndSignal() {
    let tune = Self.tune(lasting: 18)
    for plans in [[nil, tune], [tune, nil]] {
      var desk = desk(plans.enumerated().map { AlarmPlan.at(name: "alarm \($0)", tune: $1) })
      desk.start(.seconds(30))
      let seen = desk.live(for: .seconds(50))
      #expect(shown(seen.cues, desk) == [.zero, .seconds(24)])
      #expect(seen.cues.allSatisfy { !$0.blows.isEmpty })
      #expect(seen.alarms.count == 2 && seen.events == [.rings(.due(late: nil))])
    }
  }

  @Test("if the one that was prepared is cancelled, the other one rings at its time")
  func takesOver() {
    let tune = Self.tune(lasting: 18)
    for others in [[AlarmPlan.at(name: "two", tune: tune)], [AlarmPlan.at(name: "two")]] {
      var desk = desk([AlarmPlan.at(name: "one", tune: tune)] + others)
      desk.wait(for: .seconds(27))
      let prepared = desk.cues
      #expect(prepared.map(\.source) == [.alarm(1)])
      desk.tell(.reminder(.cancel(.alarm, "one")))
      #expect(desk.stopped == prepared.map(\.id))
      #expect(desk.cues.map(\.source) == [.alarm(2)])
      #expect(shown(desk.cues, desk) == [.zero])
    }
  }

  @Test("of several alarms at one minute the time is said once") func timeOnce() {
    for tune in [nil, Self.tune(lasting: 5)] {
      var desk = desk((1...5).map { AlarmPlan.at(name: "alarm \($0)", tune: $0 == 4 ? tune : nil) })
      let seen = desk.live(for: .seconds(60))
      let from = tune == nil ? Duration.seconds(2) : .seconds(8)
      #expect(seen.announcements.map { $0.anchor - Self.seven } == [from])
    }
    // One alarm is stopped before the time is said. It is still said for the other.
    var desk = desk([AlarmPlan.at(name: "one"), AlarmPlan.at(name: "two")])
    _ = desk.live(for: .seconds(31))
    desk.tell(.reminder(.stop("one")))
    #expect(desk.live(for: .seconds(20)).announcements.count == 1)
  }
}
