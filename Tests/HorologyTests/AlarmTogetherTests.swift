import TestSupport
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

  private func desk(_ plans: [AlarmPlan], at start: String = "2026-11-21T06:59:30") -> Desk {
    // No occasion sounds: no voice, no chime.
    var desk = Desk(at: start) {
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

  @Test(
    "of many alarms with a tune at one moment one cue is made, and all of them ring",
    .rule("one-ring", "stop-all"))
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

  @Test("rings that begin within a second are heard as one", .rule("one-ring"))
  func almostTogether() {
    var desk = Desk(at: "2026-11-21T15:01:00")
    for number in 0..<10 { desk.start(.milliseconds(5500 + number * 90)) }
    let seen = desk.live(for: .seconds(8))
    #expect(seen.events == Array(repeating: .rings(.due(late: nil)), count: 10))
    #expect(Set(seen.cues.map(\.source)).count == 1)
  }

  @Test(
    "the tune is heard, and not the signal of another alarm or timer of the same moment",
    .rule("one-ring"))
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

  @Test(
    "a tune is faded out when another ring begins, and goes on when that is stopped",
    .rule("one-ring"))
  func handedOver() {
    var desk = desk([AlarmPlan.at(name: "school", tune: Self.tune(lasting: 20))])
    desk.start(.seconds(35), "tea")
    var sounding: [SoundingID] = []
    for second in stride(from: 5, through: 34, by: 1) {
      desk.now = desk.now.later(by: .seconds(second == 5 ? 25 : 1))
      desk.tell(.woke)
      sounding += desk.cues.filter { !$0.blows.isEmpty }.map(\.id)
      if !desk.stopped.isEmpty { break }
    }
    #expect(desk.now.instant == Self.seven + .seconds(5))
    #expect(sounding.count == 1)
    #expect(desk.stopped == sounding)
    #expect(desk.timerEvents == [.rings(.due(late: nil))])
    desk.wait(for: .seconds(1))
    #expect(!desk.cues.contains { !$0.blows.isEmpty })
    desk.tell(.reminder(.cancel(.timer, "tea")))
    let again = desk.cues.first { !$0.blows.isEmpty }
    #expect(again?.source == .alarm(1))
    #expect(again.map { $0.anchor - desk.now.sinceBoot < .seconds(1) } == true)
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

  @Test(
    "the time is said to its end while one of them rings, and cut off with the last",
    arguments: [["one", "two"], ["two", "one"]], ["stop", "snooze", "cancel"])
  func timeForTheOthers(names: [String], order: String) throws {
    let orders = names.map { name -> ReminderOrder in
      switch order {
      case "stop": .stop(.alarm, name)
      case "snooze": .snooze(name)
      default: .cancel(.alarm, name)
      }
    }
    var desk = desk([AlarmPlan.at(name: "one"), AlarmPlan.at(name: "two")])
    _ = desk.live(for: .seconds(33))
    let isSaid = desk.announcer.playing.map { desk.now.instant > $0.anchor }
    #expect(isSaid == true)
    let cut = try #require(desk.stop(.byHand))
    desk.tell(.reminder(orders[0]))
    #expect(desk.alarmEvents.count == 1)
    #expect(!desk.effects.contains(cut))
    desk.tell(.reminder(orders[1]))
    #expect(desk.alarmEvents.count == 1)
    #expect(desk.effects.contains(cut))
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
    desk.tell(.reminder(.stop(.alarm, "one")))
    #expect(desk.live(for: .seconds(20)).announcements.count == 1)
  }
}
