/// An order about timers and the interval.
public enum TimerOrder: Hashable, Sendable {
  case start(Duration, name: String?)
  /// `to` is the timer's name or number, like the texts of the next cases.
  case add(Duration, to: String)
  case pause(String)
  case resume(String)
  case cancel(String)
  /// Says how much is left; nil for the timer that ends next.
  case tell(String?)
  /// `replaces` is true if it takes the place of one that runs.
  case startInterval(IntervalPlan, replaces: Bool)
  case stopInterval
}

/// What happened to a timer.
public enum TimerEvent: Hashable, Sendable {
  case started
  case lengthened(by: Duration)
  case paused
  case resumed
  case cancelled
  /// The voice says how much is left of it.
  case told(left: Duration)
  /// It has reached zero; `late` is how long ago, nil if just now. `unheard` is why it is not
  /// heard, if known; it rings once it can be heard.
  case elapsed(late: Duration?, unheard: SkipReason? = nil)
  /// It rang when the service ended, and rings on after the start. `unheard` is why it is not
  /// heard, if known.
  case ringsOn(unheard: SkipReason? = nil)
  /// It has reached zero, and does not ring.
  case silenced(SkipReason)
  /// A person stopped it, or the switch silenced it.
  case stopped(StopReason)
  /// It rang until `ring_limit`, and nobody stopped it.
  case missed
  /// It was to ring until `ring_limit`, but nothing was heard.
  case neverHeard(SkipReason)
  /// It was at zero so long ago that it does not ring any more.
  case expired(late: Duration)
  /// It cannot be heard; the text says why.
  case unheard(String)
}

extension TimerEvent {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .started: "started"
    case .lengthened: "lengthened"
    case .paused: "paused"
    case .resumed: "resumed"
    case .cancelled: "cancelled"
    case .told: "told"
    case .elapsed: "elapsed"
    case .ringsOn: "rings_on"
    case .silenced: "silenced"
    case .stopped: "stopped"
    case .missed: "missed"
    case .neverHeard: "never_heard"
    case .expired: "expired"
    case .unheard: "unheard"
    }
  }
}

/// Why an order was refused.
public enum TimerRefusal: Error, Hashable, Sendable {
  case length
  case name(String)
  case nameIsTaken(String)
  case tooMany
  /// No timer has that name or number.
  case unknown(String)
  case noTimer
  case isPaused(String)
  case isNotPaused(String)
  case isRinging(String)
  /// The voice has no words for timers.
  case noWords
  /// It cannot be said now.
  case speech(SkipReason)
  /// The plan is not allowed; the text says what is.
  case interval(String)
  /// Another interval runs; the text is its title.
  case intervalRuns(String)
  case noInterval
}

extension TimerRefusal: CustomStringConvertible {
  /// One sentence, for a terminal.
  public var description: String { Refusal.timer(self).description }

  /// What is wrong, without what to do about it.
  var flaw: String {
    switch self {
    case .length: "a timer lasts from 1s to 744h, with what is added to it"
    case .name(let flaw): "the name cannot be used: \(flaw)"
    case .nameIsTaken(let name): "there is a timer \"\(name)\" already"
    case .tooMany: "there are \(Timers.most) timers already"
    case .unknown(let which): "there is no timer '\(which.shortened)'"
    case .noTimer: "there is no timer"
    case .isPaused(let title): "\(title) is paused already"
    case .isNotPaused(let title): "\(title) is not paused"
    case .isRinging(let title): "\(title) has reached zero, and rings"
    case .noWords: "the voice has no words for timers"
    case .speech(let reason): reason.flaw
    case .interval(let flaw): flaw
    case .intervalRuns(let title): "there is an \(title) already"
    case .noInterval: "no interval runs"
    }
  }

  /// The raw value of a `RefusalKey`, or the key of the reason for which nothing may be said.
  var key: String {
    let key: RefusalKey
    switch self {
    case .length: key = .timerLength
    case .name: key = .name
    case .nameIsTaken: key = .nameIsTaken
    case .tooMany: key = .tooMany
    case .unknown: key = .unknownTimer
    case .noTimer: key = .noTimer
    case .isPaused: key = .isPaused
    case .isNotPaused: key = .isNotPaused
    case .isRinging: key = .isRinging
    case .noWords: key = .noWords
    case .speech(.failed), .speech(.busy): key = .notTold
    case .speech(let reason): return reason.key
    case .interval: key = .interval
    case .intervalRuns: key = .intervalRuns
    case .noInterval: key = .noInterval
    }
    return key.rawValue
  }
}
