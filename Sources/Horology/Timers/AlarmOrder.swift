/// An order about alarms.
public enum AlarmOrder: Hashable, Sendable {
  case set(AlarmPlan)
  /// The alarm's name or number; nil for all that ring.
  case snooze(String?)
  /// Ends the ring or the snooze; nil for all alarms that ring or snooze.
  case stop(String?)
  /// Leaves out its next ring. An alarm that rings only once is removed.
  case skip(String)
  case cancel(String)
}

/// What happened to an alarm.
public enum AlarmEvent: Hashable, Sendable {
  case set
  case cancelled
  /// It rings, `late` after its time; nil if on time. `unheard` is why it is not heard, if known.
  case rings(late: Duration?, unheard: SkipReason? = nil)
  /// Its snooze is over, and it rings again. `unheard` is why it is not heard, if known.
  case ringsAgain(unheard: SkipReason? = nil)
  /// It rang when the service ended, and rings on after the start. `unheard` is why it is not
  /// heard, if known.
  case ringsOn(unheard: SkipReason? = nil)
  /// Its time has come, and it does not ring.
  case silenced(SkipReason)
  case snoozed
  /// A person left out its next ring.
  case skipped
  /// A person stopped it, or the switch silenced it.
  case stopped(StopReason)
  /// It rang until `ring_limit`, and nobody stopped it.
  case missed
  /// It was to ring until `ring_limit`, but nothing was heard.
  case neverHeard(SkipReason)
  /// Its time was so long ago that it does not ring any more.
  case expired(late: Duration)
  /// It cannot be heard; the text says why.
  case unheard(String)
  /// An alarm of the configuration took this name of it. Only its number is left to address it.
  case nameLost(String)
}

extension AlarmEvent {
  /// True if the event means that `ring_limit` has passed.
  var isOfLimit: Bool {
    switch self {
    case .missed, .neverHeard: true
    default: false
    }
  }
}

/// An event, and the alarm as it was then.
struct AlarmChange: Hashable, Sendable {
  let alarm: Alarm
  let event: AlarmEvent

  init(_ alarm: Alarm, _ event: AlarmEvent) {
    self.alarm = alarm
    self.event = event
  }
}

/// Why an order was refused.
public enum AlarmRefusal: Error, Hashable, Sendable {
  /// The alarm is for one date, and its time on that date is over.
  case over(AlarmTimes)
  case name(String)
  case nameIsTaken(String)
  /// An alarm of the configuration has the name.
  case nameIsConfigured(String)
  case tooMany
  /// No alarm has that name or number.
  case unknown(String)
  case isNotRinging(String)
  case noneRings
  /// It cannot be skipped, because it rings or is snoozed.
  case isUp(String)
  /// It cannot be skipped: while the clock is not trusted, nobody knows when it rings next.
  case nextIsUnknown(String)
  /// The alarm is in the configuration: it would be back at the next start.
  case isConfigured(String)
}

extension AlarmRefusal: CustomStringConvertible {
  /// One sentence, for a terminal.
  public var description: String { Refusal.alarm(self).description }

  /// What is wrong, without what to do about it.
  var flaw: String {
    switch self {
    case .over(let times): "\(times.time) on \(times.days) is over"
    case .name(let flaw): "the name cannot be used: \(flaw)"
    case .nameIsTaken(let name): "there is an alarm \"\(name)\" already"
    case .nameIsConfigured(let name):
      "there is an alarm \"\(name)\" already, set in the configuration"
    case .tooMany: "there are \(Alarms.most) alarms already"
    case .unknown(let which): "there is no alarm '\(which.shortened)'"
    case .isNotRinging(let title): "\(title) does not ring now"
    case .isUp(let title): "\(title) rings or is snoozed"
    case .nextIsUnknown(let title): "\(title) has no next ring while the clock is not trusted"
    case .noneRings: "no alarm rings now"
    case .isConfigured(let title): "\(title) is set in the configuration"
    }
  }

  var key: RefusalKey {
    switch self {
    case .over: .over
    case .name: .name
    case .nameIsTaken: .nameIsTaken
    case .nameIsConfigured: .nameIsConfigured
    case .tooMany: .tooMany
    case .unknown: .unknownAlarm
    case .isNotRinging: .isNotRinging
    case .noneRings: .noneRings
    case .isUp: .isUp
    case .nextIsUnknown: .nextIsUnknown
    case .isConfigured: .isConfigured
    }
  }
}
