import Testing

@testable import Horology

/// The list of alarms, timers and intervals that are set to sound.
@Suite struct AppointmentsTests {
  private static let start = "2026-11-21T15:00:00"

  private func moment(_ text: String) -> TimedMoment {
    TimedMoment(sinceBoot: .zero, shown: Instant(text), followsClock: true)
  }

  private func alarm(_ plan: AlarmPlan, _ state: Reminder.State) -> Reminder {
    Reminder(number: 1, .alarm(plan), state: state, after: Instant("2026-11-21T14:55:00"))
  }

  private func listed(
    _ reminders: [Reminder] = [], _ interval: IntervalTimer? = nil,
    days: Int = 3
  ) -> [Appointment] {
    let start = Instant(Self.start)
    let now = Now(instant: start, uptime: Uptime(seconds: 9), sinceBoot: .seconds(9))
    let set = Reminders(reminders, isSameBoot: true, at: now)
    let list = Appointments(of: set, interval, in: TestZone.utc, from: start)
    return Array(list.prefix { $0.instant < start + .seconds(86_400 * days) }.prefix(20))
  }

  private func times(_ listed: [Appointment]) -> [String] {
    listed.map { "\(TestZone.utc.civil(at: $0.instant).dateTime)" }
  }

  @Test("it is listed from its next ring on, now included, and what rings once is listed once")
  func next() {
    let plan = AlarmPlan.at("15:00")
    #expect(
      times(listed([alarm(plan, .waiting(moment(Self.start)))], days: 2)) == [
        "2026-11-21T15:00:00", "2026-11-22T15:00:00",
      ])
    // The ring was stopped, then the clock set back. An acknowledged ring is not listed again.
    let tomorrow = "2026-11-22T15:00:00"
    #expect(
      times(listed([alarm(plan, .waiting(moment(tomorrow)))], days: 2)) == [
        "2026-11-22T15:00:00"
      ])
    let once = AlarmPlan.at("15:00", "once")
    #expect(
      times(listed([alarm(once, .waiting(moment(tomorrow)))])) == ["2026-11-22T15:00:00"])
    #expect(times(listed([alarm(once, .waiting(moment(Self.start)))])).count == 1)
    #expect(listed([alarm(once, .waiting(nil))]).isEmpty)
  }

  @Test("put off it rings again, and then on its days; ringing now, on its days alone")
  func snoozed() {
    let snoozing = Reminder.State.snoozing(until: moment("2026-11-21T15:05:00"))
    #expect(
      times(listed([alarm(AlarmPlan.at("14:55"), snoozing)], days: 2)) == [
        "2026-11-21T15:05:00", "2026-11-22T14:55:00", "2026-11-23T14:55:00",
      ])
    let ringing = Reminder.State.ringing(since: moment("2026-11-21T14:55:00"))
    #expect(
      times(listed([alarm(AlarmPlan.at("14:55"), ringing)], days: 1)) == ["2026-11-22T14:55:00"])
  }

  @Test("a timer is listed at zero, unless it is paused or rings already") func timers() {
    let states: [Reminder.State] = [
      .waiting(moment("2026-11-21T16:00:00")), .paused(left: .seconds(9)),
      .ringing(since: moment("2026-11-21T14:59:00")), .waiting(moment("2026-11-21T15:10:00")),
    ]
    let timers = states.enumerated().map {
      Reminder(
        number: $0.offset + 1, .timer(TimerPlan(.seconds(60))), state: $0.element)
    }
    #expect(times(listed(timers)) == ["2026-11-21T15:10:00", "2026-11-21T16:00:00"])
  }

  @Test("of an interval the next signal and the end are listed, and no other") func intervals() {
    let second = IntervalTimer(.plain(every: .seconds(1)), start: moment("2026-11-21T14:00:00"))
    #expect(times(listed([], second)) == [Self.start])
    let rounds = IntervalRounds(
      work: .seconds(600), rest: .seconds(60), count: 3, prepare: .seconds(30))
    let workout = IntervalTimer(.rounds(rounds), start: moment("2026-11-21T14:59:45"))
    let listed = listed([], workout)
    #expect(times(listed) == ["2026-11-21T15:00:12", "2026-11-21T15:32:15"])
    let signals = listed.map { entry in
      if case .interval(_, let cue) = entry.cause { cue.signal } else { Signal.ring }
    }
    #expect(signals == [.count, .end])
    // An interval that is about to end has only its end listed.
    let over = IntervalTimer(.rounds(rounds), start: moment("2026-11-21T14:27:30"))
    #expect(times(self.listed([], over)) == ["2026-11-21T15:00:00"])
  }
}
