/// Something that is to sound once.
public struct Announcement: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case occasion(Occasion)
    /// A person asked for the time.
    case request
    /// Words about a timer, the interval or an alarm.
    case timer(TimerWords)

    var isOccasion: Bool { if case .occasion = self { true } else { false } }
  }

  public let id: SoundingID
  public let cause: Cause
  /// The time that is spoken. For a timer's words, the time when they are spoken.
  public let time: CivilTime
  /// When its anchor frame is to leave the converter.
  public let anchor: Instant
  /// The latest instant for the anchor frame to leave the converter. If that cannot be met, the
  /// announcement does not begin: a blow is never late, and words must still be true. Nil if it may
  /// be late.
  public let latest: Instant?
  public let programme: Programme
  /// True if there was no time left for the chime that belongs to it.
  public let isShortened: Bool
  /// The most that it may sound after its anchor, even if it begins at `latest`; nil for no limit.
  public let room: Duration?
  /// True if it sounds at its instant or not at all: other clocks sound at the same instant.
  var isAtItsInstant = false
  /// How loud, in dB at most 0, by the rules for the time at which it sounds.
  public internal(set) var decibels = 0.0

  public init(
    _ id: SoundingID, cause: Cause, time: CivilTime, anchor: Instant, latest: Instant? = nil,
    programme: Programme = .wordsAlone, isShortened: Bool = false,
    room: Duration? = nil
  ) {
    self.room = room
    self.id = id
    self.cause = cause
    self.time = time
    self.anchor = anchor
    self.latest = latest
    self.programme = programme
    self.isShortened = isShortened
  }

  /// The earliest instant at which it is heard. Words before a chime may begin a little later.
  public var begins: Instant { anchor - programme.lead }
}

/// An event that the Announcer is told of.
public enum Event {
  /// The wake-up that was asked for has come, or the service has just started.
  case woke
  /// The system's clock was set, or the machine has slept.
  case clockSet
  case zoneChanged(any Zone)
  /// The ringer is the switch as read with the new settings of its line; nil if those are
  /// unchanged.
  case reloaded(AnnouncerSettings, SoundChange, Ringer? = nil)
  case trust(ClockTrust)
  /// The switch was moved, lost or found again, at this moment.
  case ringer(Ringer, at: Uptime)
  /// A person wants silence for a while, or no longer.
  case mute(SoftwareMute)
  /// A person asks for this time, or for the current time; to be heard from that instant on, or at
  /// once. The instant is at most `Announcer.preparation` ahead. An awake speaker needs no lead-in.
  case asked(CivilTime? = nil, at: Instant? = nil, speakerIsAwake: Bool)
  /// A person has pressed the button. Ringing alarms snooze and ringing timers stop. If nothing
  /// rings, the running interval ends. If none runs, the button asks for the time.
  case pressed(speakerIsAwake: Bool)
  /// A person has kept holding the button: rings and the announcement that is heard stop, and
  /// alarms are over for the day.
  case held
  /// A person gives an order about the timers.
  case timer(TimerOrder)
  /// A person gives an order about the alarms.
  case alarm(AlarmOrder)
  /// Everything that sounds is to end.
  case stop(Stop)
  /// Nothing of it has been heard yet, whatever the clock showed: the speaker was being opened, or
  /// the loop was held up and the player has not begun it.
  case unheard(SoundingID)
  /// An announcement that played has ended.
  case ended(SoundingID, Outcome)
}

/// Why everything that sounds is to end.
public enum Stop: Hashable, Sendable {
  /// A person wants it.
  case byHand
  case serviceEnds

  var reason: StopReason {
    switch self {
    case .byHand: .byHand
    case .serviceEnds: .serviceEnds
    }
  }
}

/// What a reload changes in an announcement that is not heard yet.
public enum SoundChange: Sendable {
  case none
  /// Where and how loud it is played.
  case speaker
  /// Its bells, or its words.
  case sound
}

/// How an announcement ended.
public enum Outcome: Hashable, Sendable {
  /// It sounded whole.
  case finished(Timing)
  /// It was faded out and silent from `silentAt` on; nil if nothing of it was heard.
  case stopped(StopReason, silentAt: Uptime?)
  /// The speaker was ready this long after the anchor. That was too late; nothing was heard.
  case tooLate(by: Duration)
  /// It could not be played, or not to its end.
  case failed(String, heard: Heard)

  /// How much of a failed sounding was heard.
  public enum Heard: Hashable, Sendable {
    case nothing
    /// It began, but its anchor was not heard.
    case some
    /// Its anchor was heard, whatever the clock shows now.
    case anchor
  }
}

/// How well an announcement met its instants, by the converter's own time stamps.
public struct Timing: Hashable, Sendable {
  /// Positive if the anchor frame left the converter after its instant. Nil if that was not
  /// measured: there is no blow at the anchor, or the device told too little.
  public let onsetError: Duration?
  /// The largest error of the anchor or any other blow, early or late; nil if none was measured.
  public let worstError: Duration?
  /// How often the converter ran out of frames.
  public let underruns: Int

  public init(onsetError: Duration?, worstError: Duration?, underruns: Int) {
    self.onsetError = onsetError
    self.worstError = worstError
    self.underruns = underruns
  }
}

/// What the Announcer wants done, in the order given.
public enum Effect: Hashable, Sendable {
  /// Wake at this instant; replaces the wake-up that was asked for before. Always the last.
  case wake(at: Instant)
  case play(Sounding)
  /// Fade this out; its end is reported as an event.
  case stop(SoundingID, StopReason)
  case report(Report)
}

extension Effect {
  /// The same effects with the stops first, so that nothing delays the silence. This is safe,
  /// because no effects stop what they also play: everything that ends is decided before anything
  /// is given to the player, and a ring that begins takes back only rings that cannot be given at
  /// the same moment.
  static func silenceFirst(_ effects: [Effect]) -> [Effect] {
    func silences(_ effect: Effect) -> Bool { if case .stop = effect { true } else { false } }
    return effects.filter(silences) + effects.filter { !silences($0) }
  }
}

/// A report for the journal.
public enum Report: Hashable, Sendable {
  case announced(Announcement, Timing)
  /// It was stopped while it sounded. `after` is the time from the event that stopped it to
  /// silence.
  case cutOff(Announcement, StopReason, after: Duration)
  /// It could not be played to its end, though its anchor was heard.
  case brokeOff(Announcement, String)
  /// No occasion from the first to the last of these sounded.
  case skipped(from: Occasion, through: Occasion, SkipReason)
  /// A person asked and got no answer.
  case refused(SkipReason)
  case trust(ClockTrust)
  case ringer(Ringer)
  /// `until` is what the clocks show when the mute ends by itself.
  case mute(SoftwareMute, until: CivilTime?)
  case clockSet(by: Duration)
  case slept(for: Duration)
  /// The device did not play. It is tried again while the spoken time is true.
  case retrying(Occasion, String)
  case timer(Countdown, TimerEvent)
  case interval(IntervalTimer, IntervalEvent)
  case alarm(Alarm, AlarmEvent)
  case alarmRefused(AlarmRefusal)
  /// An order about the timers was refused.
  case timerRefused(TimerRefusal)
  /// Words about a timer, the interval or an alarm were not spoken.
  case unsaid(TimerWords, SkipReason)
}
