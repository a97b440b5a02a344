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
    /// An alarm of the configuration took this name of it. Only its number is left to address it.
    case nameLost(String)
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
    case .changed(.nameLost): "name_lost"
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
public enum ReminderRefusal: Error, Hashable, Sendable {
  /// The length of a timer is not allowed.
  case length
  /// The alarm is for one date, and its time on that date is over.
  case over(AlarmTimes)
  /// The text is what is wrong with the name.
  case name(Reminder.Kind, String)
  case nameIsTaken(Reminder.Kind, String)
  /// An alarm of the configuration has the name.
  case nameIsConfigured(String)
  case tooMany(Reminder.Kind)
  /// None has that name or number.
  case unknown(Reminder.Kind, String)
  case noTimer
  case isPaused(String)
  case isNotPaused(String)
  case isRinging(String)
  case isNotRinging(String)
  case noneRings
  /// It cannot be skipped, because it rings or is snoozed.
  case isUp(String)
  /// It cannot be skipped: while the clock is not trusted, nobody knows when it rings next.
  case nextIsUnknown(String)
  /// The alarm is in the configuration: it would be back at the next start.
  case isConfigured(String)
  /// The voice has no words for timers.
  case noWords
  /// It cannot be said now.
  case speech(SkipReason)
}

extension ReminderRefusal: CustomStringConvertible {
  /// One sentence, for a terminal.
  public var description: String { Refusal.reminder(self).description }

  /// What is wrong, without what to do about it.
  var flaw: String {
    switch self {
    case .length: "a timer lasts from 1s to 744h, with what is added to it"
    case .over(let times): "\(times.time) on \(times.days) is over"
    case .name(_, let flaw): "the name cannot be used: \(flaw)"
    case .nameIsTaken(.timer, let name): "there is a timer \"\(name)\" already"
    case .nameIsTaken(.alarm, let name): "there is an alarm \"\(name)\" already"
    case .nameIsConfigured(let name):
      "there is an alarm \"\(name)\" already, set in the configuration"
    case .tooMany(let kind): "there are \(Reminders.most(kind)) \(kind)s already"
    case .unknown(let kind, let which): "there is no \(kind) '\(which.shortened)'"
    case .noTimer: "there is no timer"
    case .isPaused(let title): "\(title) is paused already"
    case .isNotPaused(let title): "\(title) is not paused"
    case .isRinging(let title): "\(title) has reached zero, and rings"
    case .isNotRinging(let title): "\(title) does not ring now"
    case .noneRings: "no alarm rings now"
    case .isUp(let title): "\(title) rings or is snoozed"
    case .nextIsUnknown(let title): "\(title) has no next ring while the clock is not trusted"
    case .isConfigured(let title): "\(title) is set in the configuration"
    case .noWords: "the voice has no words for timers"
    case .speech(let reason): reason.flaw
    }
  }

  /// What the order was about.
  public var kind: Reminder.Kind {
    switch self {
    case .name(let kind, _), .nameIsTaken(let kind, _), .tooMany(let kind), .unknown(let kind, _):
      kind
    case .over, .nameIsConfigured, .isNotRinging, .noneRings, .isUp, .nextIsUnknown, .isConfigured:
      .alarm
    case .length, .noTimer, .isPaused, .isNotPaused, .isRinging, .noWords, .speech: .timer
    }
  }

  /// The raw value of a `RefusalKey`, or the key of the reason for which nothing may be said.
  var key: String {
    let key: RefusalKey
    switch self {
    case .length: key = .timerLength
    case .over: key = .over
    case .name: key = .name
    case .nameIsTaken: key = .nameIsTaken
    case .nameIsConfigured: key = .nameIsConfigured
    case .tooMany: key = .tooMany
    case .unknown(.timer, _): key = .unknownTimer
    case .unknown(.alarm, _): key = .unknownAlarm
    case .noTimer: key = .noTimer
    case .isPaused: key = .isPaused
    case .isNotPaused: key = .isNotPaused
    case .isRinging: key = .isRinging
    case .isNotRinging: key = .isNotRinging
    case .noneRings: key = .noneRings
    case .isUp: key = .isUp
    case .nextIsUnknown: key = .nextIsUnknown
    case .isConfigured: key = .isConfigured
    case .noWords: key = .noWords
    case .speech(.failed), .speech(.busy): key = .notTold
    case .speech(let reason): return reason.key
    }
    return key.rawValue
  }
}
