@testable import Horology

/// An Announcer with its two clocks, which a test moves by hand.
struct Desk {
  var announcer: Announcer
  var now: Now
  private(set) var effects: [Effect] = []
  /// The answer to the last order; nil after any other event.
  private(set) var answer: Answer?
  /// What the player has: when each begins to be heard, and when its anchor is.
  private var given: [(id: SoundingID, begins: Uptime, anchor: Uptime, told: Heard)] = []

  init(
    at start: String, trust: ClockTrust = .synchronised, mute: SoftwareMute = .off,
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) {
    var settings = AnnouncerSettings()
    change(&settings)
    now = Now(instant: Instant(start), uptime: Uptime(seconds: 1000), sinceBoot: .seconds(1000))
    announcer = Announcer(
      settings: settings, zone: TestZone.utc, trust: trust, mute: mute, at: now)
    tell(.woke)
  }

  /// The player tells what was heard by now; then the event comes.
  mutating func tell(_ event: Event) {
    let before = given.indices.flatMap { tellHeard($0) }
    (effects, answer) = announcer.handle(event, at: now)
    if case .ended(let id, _) = event { given.removeAll { $0.id == id } }
    effects = before + effects
    for case .play(let sounding) in effects { give(sounding) }
  }

  private mutating func give(_ sounding: Sounding) {
    switch sounding {
    case .announcement(let announcement):
      let anchor = now.uptime(at: .utc(announcement.anchor))
      let lead = announcement.anchor - announcement.begins
      given.append((announcement.id, anchor - lead, anchor, .nothing))
    case .cue(let cue):
      let anchor = now.uptime(at: .elapsed(cue.anchor))
      given.append((cue.id, anchor, anchor, .nothing))
    }
  }

  private mutating func tellHeard(_ index: Int) -> [Effect] {
    let sounding = given[index]
    let heard: Heard =
      now.uptime >= sounding.anchor ? .anchor : now.uptime >= sounding.begins ? .begun : .nothing
    guard heard != sounding.told, heard != .nothing else { return [] }
    given[index].told = heard
    return announcer.handle(.heard(sounding.id, heard), at: now).effects
      .filter { if case .wake = $0 { false } else { true } }
  }

  /// The speaker takes this long to open, and nothing is heard meanwhile.
  mutating func open(for span: Duration) {
    now = now.later(by: span)
    for index in given.indices {
      given[index].begins = max(given[index].begins, now.uptime + .milliseconds(1))
      given[index].anchor = max(given[index].anchor, now.uptime + .milliseconds(1))
    }
  }

  /// The service starts again with what it has saved.
  mutating func restart(
    at now: Now, isSameBoot: Bool, trust: ClockTrust = .synchronised,
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) {
    var settings = announcer.settings
    change(&settings)
    announcer = Announcer(
      settings: settings, zone: TestZone.utc, trust: trust,
      reminders: Reminders(announcer.reminders.all, isSameBoot: isSameBoot, at: now),
      interval: announcer.interval?.started(isSameBoot: isSameBoot, at: now), at: now)
    self.now = now
  }

  /// The same after `span`.
  mutating func restart(
    after span: Duration, isSameBoot: Bool,
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) {
    var later = now.later(by: span)
    if !isSameBoot {
      later = Now(instant: later.instant, uptime: Uptime(seconds: 20), sinceBoot: .seconds(20))
    }
    restart(at: later, isSameBoot: isSameBoot, trust: announcer.trust, change)
    tell(.woke)
  }

  /// The power was cut. The clock shows `shown` after that, and nobody vouches for it.
  mutating func cutPower(showing shown: Instant) {
    let now = Now(instant: shown, uptime: Uptime(seconds: 20), sinceBoot: .seconds(20))
    restart(at: now, isSameBoot: false, trust: .untrusted)
    tell(.woke)
  }

  /// Ends the playing announcement with `outcome`.
  mutating func end(_ outcome: Outcome) {
    tell(.ended(announcer.playing?.id ?? SoundingID(0), outcome))
  }

  /// Lets time pass until the clock shows `text`, and wakes the Announcer.
  mutating func wait(until text: String, plus span: Duration = .zero) {
    now = now.later(by: Instant(text) + span - now.instant)
    tell(.woke)
  }

  /// Sets the clock.
  mutating func step(by span: Duration) {
    now = now.set(by: span)
    tell(.woke)
  }

  mutating func sleep(for span: Duration) {
    now = now.asleep(for: span)
    tell(.woke)
  }

  var wake: Instant? {
    guard case .wake(let instant)? = effects.last else { return nil }
    return instant
  }

  var played: String? {
    for case .play(.announcement(let announcement)) in effects {
      return announcement.time.dateTime.timeOfDay
    }
    return nil
  }

  var anchor: Instant? {
    for case .play(.announcement(let announcement)) in effects { return announcement.anchor }
    return nil
  }

  /// The effect that stops the playing announcement; nil if none plays.
  func stop(_ reason: StopReason) -> Effect? {
    announcer.playing.map { .stop($0.id, reason) }
  }

  var stopReason: StopReason? {
    for case .stop(_, let reason) in effects { return reason }
    return nil
  }

  var latest: Instant? {
    for case .play(.announcement(let announcement)) in effects { return announcement.latest }
    return nil
  }

  var decibels: Double? {
    for case .play(.announcement(let announcement)) in effects { return announcement.decibels }
    return nil
  }

  var reports: [Report] {
    effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
  }

  var skips: [(first: Instant, last: Instant)] {
    reports.compactMap {
      guard case .skipped(let first, let last, _) = $0 else { return nil }
      return (first.instant, last.instant)
    }
  }

  var skipReason: SkipReason? {
    for case .skipped(_, _, let reason) in reports { return reason }
    return nil
  }

  var refusal: SkipReason? {
    for case .refused(.request(let reason)) in reports { return reason }
    return nil
  }
}

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
  var alarms: [Reminder] { announcer.reminders.alarms }

  /// The next ring of each alarm, in UTC; nil for an alarm that does not wait.
  var next: [String?] {
    alarms.map { $0.isUp ? nil : $0.next.map { TestZone.utc.civil(at: $0).dateTime.description } }
  }

  /// Why nobody has heard what was missed.
  var neverHeard: [SkipReason?] {
    reports.compactMap {
      if case .reminder(let reminder, .missed) = $0 { announcer.neverHeard(reminder) } else { nil }
    }
  }

  mutating func start(_ length: Duration, _ name: String? = nil) {
    tell(.reminder(.start(TimerPlan(length, name: name))))
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
  mutating func live(
    for span: Duration
  ) -> (
    cues: [Cue], events: [ReminderEvent], alarms: [ReminderEvent], announcements: [Announcement],
    neverHeard: [SkipReason?]
  ) {
    let end = now.sinceBoot + span
    var sounding: [(id: SoundingID, end: Duration)] = []
    var cues: [Cue] = []
    var events: [ReminderEvent] = []
    var alarms: [ReminderEvent] = []
    var announcements: [Announcement] = []
    var neverHeard: [SkipReason?] = []
    func look(_ desk: Desk) {
      cues += desk.cues
      events += desk.timerEvents
      alarms += desk.alarmEvents
      neverHeard += desk.neverHeard
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
        return (cues, events, alarms, announcements, neverHeard)
      }
      now = now.later(by: next - now.sinceBoot)
      if let ended, ended.end <= next {
        sounding.removeAll { $0.id == ended.id }
        tell(.ended(ended.id, .finished(.exact)))
      } else {
        tell(.woke)
      }
      look(self)
    }
    fatalError("it wakes again and again at \(now.instant.nanoseconds)")
  }
}

extension AlarmPlan {
  /// An alarm for a test: every day unless other days are given.
  static func at(
    _ time: String = "07:00", _ days: String = "mon-sun", name: String? = nil, tune: Tune? = nil
  ) -> AlarmPlan {
    var plan = AlarmPlan(
      name: name,
      AlarmTimes(time: try! TimeOfDay(text: time), days: try! AlarmDays(text: days)))
    plan.tune = tune
    return plan
  }
}

extension Now {
  /// On a machine that has run for `running`, without sleep.
  init(_ instant: String, running: Duration) {
    self.init(
      instant: Instant(instant), uptime: Uptime(seconds: 0) + running, sinceBoot: running)
  }

  /// The same moment on a clock that was set by `span`.
  func set(by span: Duration) -> Now {
    Now(instant: instant + span, uptime: uptime, sinceBoot: sinceBoot)
  }

  /// After a sleep of `span`.
  func asleep(for span: Duration) -> Now {
    Now(instant: instant + span, uptime: uptime, sinceBoot: sinceBoot + span)
  }
}
