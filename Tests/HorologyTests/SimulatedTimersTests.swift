import Testing

@testable import Horology

/// Faults of timers, intervals and alarms that simulated years found.
@Suite struct SimulatedTimersTests {
  /// A Saturday.
  private static let evening = "2026-11-21T22:00:00"

  private static func desk(
    at start: String = evening, trust: ClockTrust = .synchronised,
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) -> Desk {
    // No occasion sounds by default: no voice, no chime.
    var desk = Desk(at: start, trust: trust) {
      $0.interval = Interval(minutes: 60)!
      $0.voiceAtHour = .none
      change(&$0)
    }
    desk.tell(.reminder(.set(.at("07:00"))))
    return desk
  }

  private static let seven = Instant("2026-11-22T07:00:00")

  @Test("a person sets the clock weeks back, and a server sets it right: no alarm is missed")
  func weeksBack() {
    var desk = Self.desk()
    desk.now = desk.now.set(by: .seconds(-17 * 86_400))
    desk.tell(.trust(.untrusted))
    desk.tell(.woke)
    #expect(desk.announcer.reminders.alarms[0].next == Self.seven)
    desk.now = desk.now.later(by: .seconds(3600)).set(by: .seconds(17 * 86_400))
    desk.tell(.trust(.synchronised))
    #expect(desk.alarmEvents.isEmpty)
    #expect(desk.announcer.reminders.alarms[0].next == Self.seven)
  }

  @Test("in another zone an alarm rings by that once the clock is trusted") func zoneUntrusted() {
    var desk = Self.desk()
    desk.tell(.trust(.untrusted))
    desk.tell(.zoneChanged(TestZone.fixed(minutes: 60)))
    desk.tell(.trust(.synchronised))
    #expect(desk.announcer.reminders.alarms[0].next == Self.seven - .seconds(3600))
  }

  @Test("an occasion that a sleep has passed is not in the way of words that can still be said")
  func afterSleep() {
    var desk = Self.desk(at: "2026-11-21T22:59:00") {
      $0.voiceAtHour = .after
      $0.saysTimers = true
      $0.tellsLeft = [.minute]
    }
    // A minute is left at 23:00:12.
    desk.start(.seconds(132))
    desk.wait(for: .seconds(30))
    desk.sleep(for: .seconds(45))
    #expect(desk.announcer.playing?.cause.isOccasion == false)
  }

  @Test("no ring begins when the last is to end") func lastRing() {
    var desk = Self.desk { $0.ringLimit = .seconds(12) }
    desk.start(.seconds(60))
    let zero = desk.now.sinceBoot + .seconds(60)
    #expect(
      desk.live(for: .seconds(80)).cues.map { $0.anchor - zero } == [0, 6, 9].map { .seconds($0) })
  }

  @Test("words that a sleep has made too late are told so, and not that another had the speaker")
  func lateWords() {
    var desk = Self.desk { $0.saysTimers = true }
    desk.start(.seconds(60))
    desk.wait(for: .seconds(60))
    desk.sleep(for: .seconds(20))
    #expect(Self.unsaid(desk) == [.late(.milliseconds(18_400))])
  }

  private static func unsaid(_ desk: Desk) -> [SkipReason] {
    desk.reports.compactMap { if case .unsaid(_, let reason) = $0 { reason } else { nil } }
  }

  @Test("the time that is being said is not cut off because nobody stops the alarm")
  func saidWhenMissed() {
    var desk = Self.desk { $0.ringLimit = .seconds(10) }
    desk.wait(until: "2026-11-22T06:59:55")
    desk.wait(until: "2026-11-22T07:00:00")
    desk.wait(until: "2026-11-22T07:00:09")
    let time = desk.announcer.playing
    #expect(time != nil)
    desk.wait(until: "2026-11-22T07:00:10")
    #expect(desk.alarmEvents == [.missed])
    #expect(!desk.stopped.contains(time!.id))
  }

  @Test("a clock that is set takes back no cue of an interval, though it moves a timer")
  func otherFollows() {
    var desk = Self.desk(trust: .untrusted) { $0.leadIn = .seconds(4) }
    // This timer was started before the last boot.
    let countdown = Reminder(
      number: 1, .timer(.seconds(3600), name: nil),
      state: .waiting(TimedMoment(sinceBoot: .zero, shown: desk.now.instant + .seconds(3600))))
    desk.announcer = Announcer(
      settings: desk.announcer.settings, zone: TestZone.utc, trust: .untrusted,
      reminders: Reminders([countdown], isSameBoot: false, at: desk.now), at: desk.now)
    desk.start(.plain(every: .seconds(60)))
    let cue = desk.cues.first
    #expect(cue?.source == .interval)
    desk.wait(for: .seconds(1))
    desk.step(by: .milliseconds(-500))
    #expect(!desk.stopped.contains(cue!.id))
    #expect(desk.timers[0].left(at: desk.now) == .milliseconds(3_599_500))
  }

  @Test("while a ring is heard to its end, a service that ends answers nobody") func asked() {
    var desk = Self.desk {
      $0.atStop = .finish
      $0.saysTimers = true
    }
    desk.start(.seconds(60))
    desk.tell(.stop(.serviceEnds))
    desk.tell(.asked(speakerIsAwake: true))
    #expect(desk.refusal == .stopped(.serviceEnds))
    desk.tell(.reminder(.tell(nil)))
    #expect(desk.orderRefusal == .speech(.stopped(.serviceEnds)))
    #expect(desk.played == nil)
  }

  @Test("with a lead-in as long as the ring before them words are said as soon as can be")
  func longLeadIn() {
    var desk = Self.desk {
      $0.leadIn = .seconds(4)
      $0.saysTimers = true
    }
    desk.start(.seconds(60), "tea")
    desk.wait(for: .seconds(60))
    #expect(desk.timerEvents == [.rings(.due(late: nil))])
    #expect(desk.anchor == desk.now.instant + .seconds(4))
    desk.tell(.reminder(.cancel(.timer, "tea")))
    desk.end(.stopped(.byHand, silentAt: nil))
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(desk.alarmEvents == [.rings(.due(late: nil))])
    #expect(desk.anchor == desk.now.instant + .seconds(4))
  }
}
