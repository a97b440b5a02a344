import Horology

/// One line of the timeline that the judge reads: what happened to the machine, what people did, what
/// was heard, and what the service told.
enum Fact {
  // MARK: The machine

  /// Something that may disturb what is heard, for this much longer.
  case disturbed(Cause, lasting: Int64 = 0)
  case clockSet(by: Int64)
  /// The loop was held up for this long, until now.
  case held(Int64)
  /// The switch's contact closes or opens. While the loop is held up, nobody sees it.
  case contact(isClosed: Bool, isHeld: Bool)
  /// The machine was without power until now.
  case powerCame
  /// The service's judgement of the clock, the kernel's, now and since the machine started, and whether
  /// an RTC could vouch for it.
  case judged(ClockTrust, isSynchronised: Bool, wasSynchronised: Bool, hasRTC: Bool)

  // MARK: The service

  /// It starts with the reminders that it saved, by their names.
  case started([Source: String?])
  case stopping
  /// It is gone; true if it could not end what it did.
  case ended(isKilled: Bool)
  case saved
  /// It has handled an event. Time passes.
  case rested
  case took(OwnerRules)
  case tookZone(WallClock)
  /// What it reads of the switch.
  case read(Ringer)

  // MARK: People

  case asked(CivilTime?, at: Int64?)
  /// The answer to that: the sounding that is promised, or nil.
  case promised(Played?)
  case muted(SoftwareMute)
  case stoppedByHand
  case pressed
  /// The order was carried out. It has the number of what it made.
  case ordered(Wish, number: Int?)

  // MARK: What is heard and told

  case heard(Sound.Kind, Played)
  case skipped(from: Int64, through: Int64, SkipReason)
  /// An occasion was cut off while it was heard; nil if it failed.
  case cutOff(Int64, StopReason?)
  /// A request that was promised, and is not heard.
  case refused
  case told(Source, name: String?, Change)
  case unsaid(Source)
}

/// A possible reason for something not to sound as it should.
enum Cause: Int, CaseIterable {
  case clock, sleep, hold, service, speaker, contact, mute, trust, rules, hand
}

/// What sounds again and again.
enum Source: Hashable {
  case timer(Int)
  case alarm(Int)
  case interval
}

/// What the service tells of a reminder.
enum Change {
  case rings, ringsOn, snoozed, skipped, ends, other
}

/// Something given to the speaker.
struct Played: Hashable {
  enum What: Hashable {
    /// With its instant.
    case occasion(Int64)
    case request
    /// Words about a reminder. The time of day is said for an alarm.
    case words(Source, isTime: Bool)
    case ring(Source)
    case cue(Signal)
  }

  let id: Int
  let what: What
  /// The time that is said.
  let time: CivilTime?
  let piece: OwnerRules.Piece
  let decibels: Double

  /// The occasion's instant.
  var occasion: Int64? { if case .occasion(let instant) = what { instant } else { nil } }

  /// True if it is spoken, or chimes: one at a time.
  var isAnnouncement: Bool {
    switch what {
    case .occasion, .request, .words: true
    case .ring, .cue: false
    }
  }

  var ring: Source? { if case .ring(let source) = what { source } else { nil } }

  /// True if somebody has set it. Then `silences = announcements` lets it through.
  var isReminder: Bool {
    switch what {
    case .occasion, .request: false
    case .words, .ring, .cue: true
    }
  }
}

/// A person's order to timers, alarms and the interval.
enum Wish: Hashable {
  case start(Int64, name: String?)
  case add(Int64, to: String)
  case pause(String)
  case resume(String)
  case cancel(String)
  /// Says how much is left; nil for the timer that ends next.
  case tell(String?)
  case setAlarm(OwnerRules.Alarm)
  case cancelAlarm(String)
  /// Leaves out its next ring.
  case skipAlarm(String)
  /// For all alarms that ring, or are snoozed.
  case snooze, stopAlarms
  case startInterval(IntervalPlan, replaces: Bool)
  case stopInterval
}
