import Basics

/// A person's order about timers and alarms. A text is the name or the number of one.
public enum ReminderOrder: Hashable, Sendable {
  case start(TimerPlan)
  /// Gives another plan to an alarm that a person has set, or else sets a new one.
  case set(AlarmPlan, replaces: String? = nil)
  case add(Duration, to: String)
  case pause(String)
  case resume(String)
  /// Says how much of a timer is left; nil for the one that ends next.
  case tell(String?)
  /// Nil for all alarms that ring.
  case snooze(String?)
  /// Ends the ring or the snooze; nil for all of that kind that ring or snooze.
  case stop(Reminder.Kind, String?)
  /// Leaves out the next ring of an alarm. One that rings only once is removed.
  case skip(String)
  /// Takes that back.
  case unskip(String)
  /// An alarm that is off is kept, and does not ring.
  case turn(String, on: Bool)
  case cancel(Reminder.Kind, String)
}

public enum ReminderEvent: Hashable, Sendable {
  case set
  case changed(Change)
  case cancelled
  /// It rings. `unheard` is why it is not heard, if known; it is once it can be heard.
  case rings(Ring, unheard: SkipReason? = nil)
  /// Its time has come, and it does not ring.
  case silenced(SkipReason)
  /// A person stopped it, or the switch silenced it.
  case stopped(StopReason)
  /// It rang until `ring_limit`, and nobody stopped it.
  case missed
  /// It was due so long ago that it does not ring any more.
  case expired(late: Duration)
  case unheard(String)

  public enum Change: Hashable, Sendable {
    case lengthened(by: Duration)
    case paused
    case resumed
    case told(left: Duration)
    case snoozed
    case skipped
    case unskipped
    case turned(on: Bool)
  }

  public enum Ring: Hashable, Sendable {
    /// `late` is how long ago it was due; nil if just now.
    case due(late: Duration?)
    case again
    /// It rang when the service ended, and rings on after the start.
    case on
  }
}

extension ReminderEvent {
  public func key(of kind: Reminder.Kind) -> String {
    switch self {
    case .set: kind == .timer ? "started" : "set"
    case .changed(.lengthened): "lengthened"
    case .changed(.paused): "paused"
    case .changed(.resumed): "resumed"
    case .changed(.told): "told"
    case .changed(.snoozed): "snoozed"
    case .changed(.skipped): "skipped"
    case .changed(.unskipped): "unskipped"
    case .changed(.turned(let on)): on ? "turned_on" : "turned_off"
    case .cancelled: "cancelled"
    case .rings(.due, _): kind == .timer ? "elapsed" : "rings"
    case .rings(.again, _): "rings_again"
    case .rings(.on, _): "rings_on"
    case .silenced: "silenced"
    case .stopped: "stopped"
    case .missed: "missed"
    case .expired: "expired"
    case .unheard: "unheard"
    }
  }
}

/// The timer or alarm as it was then.
typealias ReminderChange = (reminder: Reminder, event: ReminderEvent)

/// Why an order about timers, alarms or the interval was refused.
public struct OrderRefusal: Error, Hashable, Sendable {
  /// What the order was about: `timer`, `alarm` or `interval`.
  public let subject: String
  /// The raw value of a `RefusalKey`, or the key of the reason for which nothing may be heard.
  let key: String
  /// What is wrong, without what to do about it.
  let flaw: String

  private init(_ subject: String, _ key: String, _ flaw: String) {
    (self.subject, self.key, self.flaw) = (subject, key, flaw)
  }

  private init(_ kind: Reminder.Kind, _ key: RefusalKey, _ flaw: String) {
    self.init(kind.rawValue, key.rawValue, flaw)
  }

  // MARK: Of timers and alarms

  static func name(_ kind: Reminder.Kind, _ flaw: String) -> Self {
    Self(kind, .name, "the name cannot be used: \(flaw)")
  }

  static func nameIsTaken(_ other: Reminder) -> Self {
    let flaw = "there is \(other.kind.article) \(other.title) already"
    return other.origin == .configuration
      ? Self(.alarm, .nameIsConfigured, "\(flaw), set in the configuration")
      : Self(other.kind, .nameIsTaken, flaw)
  }

  static func tooMany(_ kind: Reminder.Kind) -> Self {
    Self(kind, .tooMany, "there are \(Reminders.most(kind)) \(kind)s already")
  }

  /// - Parameter alike: several that may be meant.
  static func unknown(_ kind: Reminder.Kind, _ which: String, alike: [Reminder] = []) -> Self {
    let titles = alike.map(\.title).joined(separator: " or ")
    return Self(
      kind, kind == .timer ? .unknownTimer : .unknownAlarm,
      alike.isEmpty
        ? "there is no \(kind) '\(which.shortened)'"
        : "it is not clear whether \(titles) is meant")
  }

  // MARK: Of timers

  static let length = Self(
    .timer, .timerLength, "a timer lasts from 1s to 744h, with what is added to it")
  public static let noTimer = Self(.timer, .noTimer, "there is no timer")
  static let noWords = Self(.timer, .noWords, "the voice has no words for timers")

  static func isPaused(_ timer: Reminder) -> Self {
    Self(.timer, .isPaused, "\(timer.title) is paused already")
  }

  static func isNotPaused(_ timer: Reminder) -> Self {
    Self(.timer, .isNotPaused, "\(timer.title) is not paused")
  }

  static func isRinging(_ timer: Reminder) -> Self {
    Self(.timer, .isRinging, "\(timer.title) has reached zero, and rings")
  }

  public static func speech(_ reason: SkipReason) -> Self {
    switch reason {
    case .failed, .busy: Self(.timer, .notTold, reason.flaw)
    default: Self("timer", reason.key, reason.flaw)
    }
  }

  // MARK: Of alarms

  /// The alarm is for one date, and its time on that date is over.
  static func over(_ times: AlarmTimes) -> Self {
    Self(.alarm, .over, "\(times.time) on \(times.days) is over")
  }

  static func isNotRinging(_ reminder: Reminder) -> Self {
    Self(
      reminder.kind, reminder.kind == .timer ? .noTimerRings : .isNotRinging,
      "\(reminder.title) does not ring now")
  }

  static func noneRings(_ kind: Reminder.Kind) -> Self {
    Self(kind, kind == .timer ? .noTimerRings : .noneRings, "no \(kind) rings now")
  }

  static func isUp(_ alarm: Reminder) -> Self {
    Self(.alarm, .isUp, "\(alarm.title) rings or is snoozed")
  }

  static func isOff(_ alarm: Reminder) -> Self {
    Self(.alarm, .isOff, "\(alarm.title) is off")
  }

  static func skipsNothing(_ alarm: Reminder) -> Self {
    Self(.alarm, .skipsNothing, "\(alarm.title) leaves out no ring")
  }

  /// The alarm is in the configuration: it would be back at the next start.
  static func isConfigured(_ alarm: Reminder) -> Self {
    Self(.alarm, .isConfigured, "\(alarm.title) is set in the configuration")
  }

  // MARK: Of the interval

  static func runs(_ interval: IntervalTimer) -> Self {
    Self("interval", RefusalKey.intervalRuns.rawValue, "there is an \(interval.title) already")
  }

  static let noInterval = Self(
    "interval", RefusalKey.noInterval.rawValue, "no interval runs")

  static func silenced(_ reason: SkipReason) -> Self {
    Self("interval", reason.key, reason.flaw)
  }
}

extension OrderRefusal: CustomStringConvertible {
  public var description: String { Refusal.order(self).description }
}
