@testable import Horology

/// Alarms with their clock, which a test moves by hand.
struct AlarmDesk {
  var reminders = Reminders()
  var alarms: [Reminder] { reminders.alarms }
  var now: Now
  var zone = TestZone.utc
  var isTrusted = true
  var settings = AnnouncerSettings()
  /// The events of the last order, wake-up or step of the clock.
  private(set) var events: [ReminderEvent] = []

  static let lead = Duration.milliseconds(400)

  init(at start: String, isTrusted: Bool = true) {
    now = Now(instant: Instant(start), uptime: Uptime(seconds: 1000), sinceBoot: .seconds(1000))
    self.isTrusted = isTrusted
  }

  var rules: Rules {
    Rules(settings, zone: zone, trust: isTrusted ? .synchronised : .untrusted)
  }

  mutating func set(_ time: String, _ days: String = "once", name: String? = nil) throws {
    try order(.set(.at(time, days, name: name)))
  }

  mutating func order(_ order: ReminderOrder) throws {
    events = try reminders.handle(order, at: now, rules).map { $0.event }
  }

  mutating func settle() {
    events = reminders.due(at: now, rules).map { $0.event }
  }

  mutating func configure(_ plans: [AlarmPlan]) {
    settings.alarms = plans
    events = reminders.configure(at: now, rules).map { $0.event }
  }

  mutating func wait(for span: Duration) {
    now = now.later(by: span)
    settle()
  }

  mutating func wait(until text: String, plus span: Duration = .zero) {
    wait(for: Instant(text) + span - now.instant)
  }

  /// Sets the clock, and its trust if `isTrusted` is given.
  mutating func step(
    to text: String, plus span: Duration = .zero, isTrusted: Bool? = nil
  ) {
    now = Now(instant: Instant(text) + span, uptime: now.uptime, sinceBoot: now.sinceBoot)
    if let isTrusted { self.isTrusted = isTrusted }
    _ = reminders.noteClockSet(at: now, rules)
    settle()
  }

  /// Restarts the service after `span`, from the saved alarms.
  mutating func restart(after span: Duration, isSameBoot: Bool, plans: [AlarmPlan] = []) {
    now = now.later(by: span)
    if !isSameBoot {
      now = Now(instant: now.instant, uptime: Uptime(seconds: 20), sinceBoot: .seconds(20))
    }
    reminders = Reminders(reminders.all, isSameBoot: isSameBoot, at: now)
    configure(plans)
    settle()
  }

  /// Lets `span` pass, waking only when the alarms ask for it.
  mutating func live(for span: Duration) -> [(ReminderEvent, Instant)] {
    let end = now.sinceBoot + span
    var seen: [(ReminderEvent, Instant)] = []
    for _ in 0..<5000 {
      guard let next = reminders.nextDue(rules), next <= end else {
        now = now.later(by: end - now.sinceBoot)
        return seen
      }
      wait(for: max(next - now.sinceBoot, .zero))
      seen += events.map { ($0, now.instant) }
    }
    fatalError("they wake again and again at \(now.instant.nanoseconds)")
  }

  /// The next ring of each alarm, in UTC; nil for an alarm that does not wait.
  var next: [String?] {
    alarms.map { $0.isUp ? nil : $0.next.map { TestZone.utc.civil(at: $0).dateTime.description } }
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
