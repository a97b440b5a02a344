import Basics

/// A person's order about timers and alarms. A text is the name or the number of one.
public enum ReminderOrder: Hashable, Sendable {
  /// Starts a timer.
  case start(Duration, name: String?)
  case set(AlarmPlan)
  /// Adds to what is left of a timer.
  case add(Duration, to: String)
  case pause(String)
  case resume(String)
  /// Says how much of a timer is left; nil for the one that ends next.
  case tell(String?)
  /// Nil for all alarms that ring.
  case snooze(String?)
  /// Ends the ring or the snooze; nil for all alarms that ring or snooze.
  case stop(String?)
  /// Leaves out the next ring of an alarm. One that rings only once is removed.
  case skip(String)
  case cancel(Reminder.Kind, String)
}

/// What happened to a timer or an alarm.
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
  /// It rang until `ring_limit`, and nobody stopped it. The reason is why nothing of it was heard;
  /// nil if it was.
  case missed(SkipReason?)
  /// It was due so long ago that it does not ring any more.
  case expired(late: Duration)
  /// It cannot be heard; the text says why.
  case unheard(String)

  public enum Change: Hashable, Sendable {
    case lengthened(by: Duration)
    case paused
    case resumed
    /// The voice says how much is left of it.
    case told(left: Duration)
    case snoozed
    /// A person left out its next ring.
    case skipped
  }

  public enum Ring: Hashable, Sendable {
    /// `late` is how long ago it was due; nil if just now.
    case due(late: Duration?)
    /// Its snooze is over.
    case again
    /// It rang when the service ended, and rings on after the start.
    case on
  }
}

extension ReminderEvent {
  /// For programs: it does not change.
  public func key(of kind: Reminder.Kind) -> String {
    switch self {
    case .set: kind == .timer ? "started" : "set"
    case .changed(.lengthened): "lengthened"
    case .changed(.paused): "paused"
    case .changed(.resumed): "resumed"
    case .changed(.told): "told"
    case .changed(.snoozed): "snoozed"
    case .changed(.skipped): "skipped"
    case .cancelled: "cancelled"
    case .rings(.due, _): kind == .timer ? "elapsed" : "rings"
    case .rings(.again, _): "rings_again"
    case .rings(.on, _): "rings_on"
    case .silenced: "silenced"
    case .stopped: "stopped"
    case .missed(nil): "missed"
    case .missed: "never_heard"
    case .expired: "expired"
    case .unheard: "unheard"
    }
  }
}

/// An event, and the timer or alarm as it was then.
struct ReminderChange: Hashable, Sendable {
  let reminder: Reminder
  let event: ReminderEvent

  init(_ reminder: Reminder, _ event: ReminderEvent) {
    self.reminder = reminder
    self.event = event
  }
}

/// Why an order about timers and alarms was refused.
public struct ReminderRefusal: Error, Hashable, Sendable {
  /// What the order was about.
  public let kind: Reminder.Kind
  /// The raw value of a `RefusalKey`, or the key of the reason for which nothing may be said.
  let key: String
  /// What is wrong, without what to do about it.
  let flaw: String

  private init(_ kind: Reminder.Kind, _ key: String, _ flaw: String) {
    (self.kind, self.key, self.flaw) = (kind, key, flaw)
  }

  private init(_ kind: Reminder.Kind, _ key: RefusalKey, _ flaw: String) {
    self.init(kind, key.rawValue, flaw)
  }

  // MARK: Of both

  /// - Parameter flaw: what is wrong with the name.
  static func name(_ kind: Reminder.Kind, _ flaw: String) -> Self {
    Self(kind, .name, "the name cannot be used: \(flaw)")
  }

  static func nameIsTaken(_ other: Reminder) -> Self {
    guard other.origin == .configuration else {
      return Self(other.kind, .nameIsTaken, "there is \(other.kind.article) \(other.title) already")
    }
    return Self(
      .alarm, .nameIsConfigured, "there is an \(other.title) already, set in the configuration")
  }

  static func tooMany(_ kind: Reminder.Kind) -> Self {
    Self(kind, .tooMany, "there are \(Reminders.most(kind)) \(kind)s already")
  }

  /// None has that name or number.
  static func unknown(_ kind: Reminder.Kind, _ which: String) -> Self {
    Self(
      kind, kind == .timer ? .unknownTimer : .unknownAlarm,
      "there is no \(kind) '\(which.shortened)'")
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

  /// It cannot be said now.
  public static func speech(_ reason: SkipReason) -> Self {
    switch reason {
    case .failed, .busy: Self(.timer, .notTold, reason.flaw)
    default: Self(.timer, reason.key, reason.flaw)
    }
  }

  // MARK: Of alarms

  /// The alarm is for one date, and its time on that date is over.
  static func over(_ times: AlarmTimes) -> Self {
    Self(.alarm, .over, "\(times.time) on \(times.days) is over")
  }

  static func isNotRinging(_ alarm: Reminder) -> Self {
    Self(.alarm, .isNotRinging, "\(alarm.title) does not ring now")
  }

  static let noneRings = Self(.alarm, .noneRings, "no alarm rings now")

  /// It cannot be skipped, because it rings or is snoozed.
  static func isUp(_ alarm: Reminder) -> Self {
    Self(.alarm, .isUp, "\(alarm.title) rings or is snoozed")
  }

  /// The alarm is in the configuration: it would be back at the next start.
  static func isConfigured(_ alarm: Reminder) -> Self {
    Self(.alarm, .isConfigured, "\(alarm.title) is set in the configuration")
  }
}

extension ReminderRefusal: CustomStringConvertible {
  /// One sentence, for a terminal.
  public var description: String { Refusal.reminder(self).description }
}
