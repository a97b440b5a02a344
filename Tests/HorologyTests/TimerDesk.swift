@testable import Horology

extension Desk {
  var cues: [Cue] { effects.compactMap { if case .play(.cue(let cue)) = $0 { cue } else { nil } } }

  var stopped: [SoundingID] {
    effects.compactMap { if case .stop(let id, _) = $0 { id } else { nil } }
  }

  var timerEvents: [ReminderEvent] {
    reports.compactMap {
      if case .reminder(let timer, let event) = $0, timer.kind == .timer { event } else { nil }
    }
  }

  var intervalEvents: [IntervalEvent] {
    reports.compactMap { if case .interval(_, let event) = $0 { event } else { nil } }
  }

  var alarmEvents: [ReminderEvent] {
    reports.compactMap {
      if case .reminder(let alarm, let event) = $0, alarm.kind == .alarm { event } else { nil }
    }
  }

  var orderRefusal: OrderRefusal? {
    for case .refused(.order(let refusal)) in reports { return refusal }
    return nil
  }

  var timers: [Reminder] { announcer.reminders.timers }

  mutating func start(_ length: Duration, _ name: String? = nil) {
    tell(.reminder(.start(length, name: name)))
  }

  mutating func start(_ plan: IntervalPlan) {
    tell(.interval(.start(plan, replaces: false)))
  }

  /// Lets `span` pass, then wakes the Announcer.
  mutating func wait(for span: Duration) {
    now = now.later(by: span)
    tell(.woke)
  }

  /// Lets `span` pass and wakes the Announcer whenever it asks. Every cue and announcement plays to
  /// its end, 2 s each.
  /// - Returns: the cues and announcements, and the events of timers, intervals and alarms.
  mutating func live(
    for span: Duration
  ) -> (
    cues: [Cue], events: [ReminderEvent], intervals: [IntervalEvent], alarms: [ReminderEvent],
    announcements: [Announcement]
  ) {
    let end = now.sinceBoot + span
    var sounding: [(id: SoundingID, end: Duration)] = []
    var cues: [Cue] = []
    var events: [ReminderEvent] = []
    var intervals: [IntervalEvent] = []
    var alarms: [ReminderEvent] = []
    var announcements: [Announcement] = []
    func look(_ desk: Desk) {
      cues += desk.cues
      events += desk.timerEvents
      intervals += desk.intervalEvents
      alarms += desk.alarmEvents
      for case .play(.announcement(let announcement)) in desk.effects {
        announcements.append(announcement)
        let begins = desk.now.sinceBoot + (announcement.anchor - desk.now.instant)
        sounding.append((announcement.id, begins + .seconds(2)))
      }
      sounding += desk.cues.map { ($0.id, $0.anchor + .seconds(2)) }
    }
    // Far more wake-ups than any test needs. More than these mean that the Announcer never sleeps.
    for _ in 0..<5000 {
      let woken = now.sinceBoot + (wake.map { $0 - now.instant } ?? .seconds(3600))
      let ended = sounding.min { $0.end < $1.end }
      let next = max(min(woken, ended?.end ?? woken), now.sinceBoot)
      guard next <= end else {
        now = now.later(by: end - now.sinceBoot)
        return (cues, events, intervals, alarms, announcements)
      }
      now = now.later(by: next - now.sinceBoot)
      if let ended, ended.end <= next {
        sounding.removeAll { $0.id == ended.id }
        let timing = Timing(onsetError: .zero, worstError: .zero, underruns: 0)
        tell(.ended(ended.id, .finished(timing)))
      } else {
        tell(.woke)
      }
      look(self)
    }
    fatalError("it wakes again and again at \(now.instant.nanoseconds)")
  }
}
