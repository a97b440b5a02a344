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
  /// The end of `intervalRuns`. Each kind of caller has its own way to give the option.
  public static let wayToReplace = "start this one with the option 'replace'"

  /// One sentence: what is wrong, and what to do.
  public var description: String {
    switch self {
    case .length:
      "a timer lasts from 1s to 744h, with what is added to it; choose a length within that"
    case .name(let flaw): "the name cannot be used: \(flaw); choose another"
    case .nameIsTaken(let name):
      "there is a timer \"\(name)\" already; cancel it, or choose another name"
    case .tooMany: "there are \(Timers.most) timers already; cancel one first"
    case .unknown(let which):
      "there is no timer '\(which.shortened)'; 'clocksmith timer list' shows those that there are"
    case .noTimer: "there is no timer; 'clocksmith timer 10m' starts one"
    case .isPaused(let title): "\(title) is paused already"
    case .isNotPaused(let title): "\(title) is not paused"
    case .isRinging(let title): "\(title) has reached zero, and rings; 'clocksmith stop' stops it"
    case .noWords:
      "the voice has no words for timers; 'clocksmith timer list' shows how much is left"
    // The voice may lack words, as for a hundred hours, or the speaker may be away.
    case .speech(.failed(let why)): "\(why); 'clocksmith timer list' shows how much is left"
    case .speech(.busy):
      "\(SkipReason.busy.description); 'clocksmith timer list' shows how much is left"
    case .speech(let reason): reason.description
    case .interval(let flaw): "\(flaw); choose others"
    case .intervalRuns(let title):
      "there is an \(title) already; stop it first, or \(Self.wayToReplace)"
    case .noInterval: "no interval runs; 'clocksmith interval 30s' starts one"
    }
  }

  /// A stable key for programs.
  public var key: String {
    switch self {
    case .length: "length"
    case .name: "name"
    case .nameIsTaken: "name_is_taken"
    case .tooMany: "too_many"
    case .unknown: "unknown"
    case .noTimer: "no_timer"
    case .isPaused: "is_paused"
    case .isNotPaused: "is_not_paused"
    case .isRinging: "is_ringing"
    case .noWords: "no_words"
    case .speech(let reason): reason.key
    case .interval: "interval"
    case .intervalRuns: "interval_runs"
    case .noInterval: "no_interval"
    }
  }
}
