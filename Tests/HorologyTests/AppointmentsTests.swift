import Testing

@testable import Horology

/// The list of alarms, timers and intervals that are set to sound.
@Suite struct AppointmentsTests {
  private static let start = "2026-11-21T15:00:00"

  private func plan(_ time: String, _ days: String = "mon-sun") -> AlarmPlan {
    AlarmPlan(
      name: time,
      AlarmTimes(time: try! TimeOfDay(text: time), days: try! AlarmDays(text: days)))
  }

  private func moment(_ text: String) -> TimedMoment {
    TimedMoment(sinceBoot: .zero, shown: Instant(text), followsClock: true)
  }

  private func alarm(_ plan: AlarmPlan, _ state: Reminder.State) -> Reminder {
    Reminder(number: 1, .alarm(plan), state: state, occasion: Instant("2026-11-21T14:55:00"))
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

  @Test(
    "it lists what the Announcer rings, through both changes of the clocks", arguments: [3, 10])
  func asDecided(month: Int) {
    let change = Instant(month == 3 ? "2026-03-29T01:00:00" : "2026-10-25T01:00:00")
    let zone =
      month == 3
      ? TestZone.changing(from: 0, to: 3600, at: change.seconds)
      : TestZone.changing(from: 3600, to: 0, at: change.seconds)
    var settings = AnnouncerSettings()
    settings.interval = Interval(minutes: 60)!
    settings.voiceAtHour = .none
    settings.ringLimit = .seconds(10)
    settings.quiet = try! QuietHours(text: "22:00-07:00")
    settings.alarms = ["00:30", "01:00", "01:30", "02:30", "06:59", "07:00", "21:59"].map {
      plan($0)
    }
    settings.alarms += [plan("01:45", "sun"), plan("02:10", "sat,mon")]
    let start = change - .seconds(36 * 3600)
    var now = Now(instant: start, uptime: Uptime(seconds: 9), sinceBoot: .seconds(9))
    var announcer = Announcer(settings: settings, zone: zone, trust: .synchronised, at: now)
    let list = Appointments(of: announcer.reminders, nil, in: zone, from: start)
    var decided: Set<String> = []
    var ends: [(SoundingID, Instant)] = []
    while now.instant < start + .seconds(3 * 86_400) {
      var wake = now.instant + .seconds(1)
      var event = Event.woke
      if let index = ends.firstIndex(where: { $0.1 <= now.instant }) {
        event = .ended(
          ends.remove(at: index).0,
          .finished(Timing(onsetError: nil, worstError: nil, underruns: 0)))
      }
      for effect in announcer.handle(event, at: now).effects {
        switch effect {
        case .wake(let instant): wake = instant
        case .play(.cue(let cue)): ends.append((cue.id, now.instant + .seconds(6)))
        case .play(.announcement(let announcement)):
          ends.append((announcement.id, announcement.anchor + .seconds(2)))
        case .report(.reminder(let alarm, .rings(.due(late: nil), _))):
          decided.insert("\(alarm.name!) at \(now.instant.seconds) rings")
        case .report(.reminder(let alarm, .silenced(let reason))):
          decided.insert("\(alarm.name!) at \(now.instant.seconds) \(reason)")
        default: break
        }
      }
      wake = ([wake] + ends.map(\.1)).min()!
      now = now.later(by: max(wake - now.instant, .zero))
    }
    let listed = list.prefix { $0.instant < start + .seconds(3 * 86_400) }.map { entry in
      guard case .alarm(let alarm) = entry.cause else { return "no alarm" }
      return "\(alarm.name!) at \(entry.instant.seconds) rings"
    }
    #expect(decided.count > 20)
    #expect(Set(listed) == decided)
    #expect(listed.count == decided.count)
  }

  @Test("it is listed from its next ring on, now included, and what rings once is listed once")
  func next() {
    let plan = plan("15:00")
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
    let once = self.plan("15:00", "once")
    #expect(
      times(listed([alarm(once, .waiting(moment(tomorrow)))])) == ["2026-11-22T15:00:00"])
    #expect(times(listed([alarm(once, .waiting(moment(Self.start)))])).count == 1)
    #expect(listed([alarm(once, .waiting(nil))]).isEmpty)
  }

  @Test("put off it rings again, and then on its days; ringing now, on its days alone")
  func snoozed() {
    let snoozing = Reminder.State.snoozing(until: moment("2026-11-21T15:05:00"))
    #expect(
      times(listed([alarm(plan("14:55"), snoozing)], days: 2)) == [
        "2026-11-21T15:05:00", "2026-11-22T14:55:00", "2026-11-23T14:55:00",
      ])
    let ringing = Reminder.State.ringing(since: moment("2026-11-21T14:55:00"))
    #expect(
      times(listed([alarm(plan("14:55"), ringing)], days: 1)) == ["2026-11-22T14:55:00"])
  }

  @Test("a timer is listed at zero, unless it is paused or rings already") func timers() {
    let states: [Reminder.State] = [
      .waiting(moment("2026-11-21T16:00:00")), .paused(left: .seconds(9)),
      .ringing(since: moment("2026-11-21T14:59:00")), .waiting(moment("2026-11-21T15:10:00")),
    ]
    let timers = states.enumerated().map {
      Reminder(
        number: $0.offset + 1, .timer(.seconds(60), name: nil), state: $0.element)
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
