/// Something that is to sound once.
public struct Announcement: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case occasion(Occasion)
    /// A person asked for the time.
    case request
    /// What is said of a timer.
    case timer(TimerWords)

    var isOccasion: Bool { if case .occasion = self { true } else { false } }
  }

  public let id: SoundingID
  public let cause: Cause
  /// The time that is spoken; of a timer's words, the time at which they are.
  public let time: CivilTime
  /// When its anchor frame is to leave the converter.
  public let anchor: Instant
  /// The latest instant for the anchor frame to leave the converter; if that cannot be met, it does
  /// not begin. A blow is never late, and words must still be true. Nil if it may be late.
  public let latest: Instant?
  public let programme: Programme
  /// True if there was no time left for the chime that belongs to it.
  public let isShortened: Bool
  /// How long it may sound from its anchor on, even if it begins at its latest; nil if that does not
  /// matter.
  public let room: Duration?
  /// True if it sounds at its instant or not at all, because others sound at the same instant.
  public internal(set) var isAtItsInstant = false
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

  /// When the first of it is to be heard, or a little later.
  public var begins: Instant { anchor - programme.lead }
}

/// Something that has happened and that the Announcer is told of.
public enum Event {
  /// The wake-up that was asked for has come, or the service has just started.
  case woke
  /// The system's clock was set, or the machine has slept.
  case clockSet
  case zoneChanged(any Zone)
  /// With what the switch says by the settings of its line that count now; nil if they are as they
  /// were.
  case reloaded(AnnouncerSettings, SoundChange, Ringer? = nil)
  case trust(ClockTrust)
  /// The switch was moved, lost or found again, at this moment.
  case ringer(Ringer, at: Uptime)
  /// A person wants silence for a while, or no longer.
  case mute(SoftwareMute)
  /// A person asks for this time, or for the time now; to be heard from that instant on, which is
  /// at most `Announcer.preparation` ahead, or at once. A speaker that is awake needs no lead-in.
  case asked(CivilTime? = nil, at: Instant? = nil, speakerIsAwake: Bool)
  /// A person has pressed the button: alarms that ring are put off and timers stopped, or else the
  /// interval that runs is ended, or else the time is asked for.
  case pressed(speakerIsAwake: Bool)
  /// A person has held the button since: what sounds is stopped, and alarms are over for the day.
  case held
  /// A person wants something of the timers.
  case timer(TimerOrder)
  /// A person wants something of the alarms.
  case alarm(AlarmOrder)
  /// What sounds is to end, at a person's wish or with the service.
  case stop(StopReason)
  /// Nothing of it was heard until now, whatever the clock has shown: the speaker was being opened,
  /// or the loop was held up and the player has not begun it.
  case unheard(SoundingID)
  /// An announcement that played has ended.
  case ended(SoundingID, Outcome)
}

/// What a reload changes of an announcement that is under way, as far as it is not heard yet.
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
  /// The speaker was ready only so long after the anchor. That was too late, and nothing was heard.
  case tooLate(by: Duration)
  /// It could not be played, or not to its end.
  case failed(String, heard: Heard)

  /// How much was heard of what failed.
  public enum Heard: Hashable, Sendable {
    case nothing
    /// It began, and its anchor was not heard.
    case some
    /// Its anchor, whatever the clock shows by now.
    case anchor
  }
}

/// How well an announcement met its instants, by the converter's own time stamps.
public struct Timing: Hashable, Sendable {
  /// Positive if the anchor frame left the converter after its instant. Nil if that was not
  /// measured: there is no blow at the anchor, or the device told too little.
  public let onsetError: Duration?
  /// The largest, either way, of the anchor and of every other blow; nil if none was measured.
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
  /// The same effects with the stops first, so that nothing delays the silence. No effects hold a
  /// stop of what they play: what is given to the player is decided once all that ends has ended,
  /// and a ring that begins takes back only those that cannot be given at that moment.
  static func silenceFirst(_ effects: [Effect]) -> [Effect] {
    func silences(_ effect: Effect) -> Bool { if case .stop = effect { true } else { false } }
    return effects.filter(silences) + effects.filter { !silences($0) }
  }
}

/// What the journal is told.
public enum Report: Hashable, Sendable {
  case announced(Announcement, Timing)
  /// It was stopped while it sounded. `after` is the time from the event that stopped it to
  /// silence.
  case cutOff(Announcement, StopReason, after: Duration)
  /// It could not be played to its end, though its anchor was heard.
  case brokeOff(Announcement, String)
  /// Every occasion from the first to the last of these did not sound.
  case skipped(from: Occasion, through: Occasion, SkipReason)
  /// A person asked and got no answer.
  case refused(SkipReason)
  case trust(ClockTrust)
  case ringer(Ringer)
  /// With what the clocks show when it ends by itself.
  case mute(SoftwareMute, until: CivilTime?)
  case clockSet(by: Duration)
  case slept(for: Duration)
  /// The device did not play; it is tried again while the spoken time is true.
  case retrying(Occasion, String)
  case timer(Countdown, TimerEvent)
  case interval(IntervalTimer, IntervalEvent)
  case alarm(Alarm, AlarmEvent)
  case alarmRefused(AlarmRefusal)
  /// A person wanted something of the timers, and did not get it.
  case timerRefused(TimerRefusal)
  /// What was to be said of a timer was not.
  case unsaid(TimerWords, SkipReason)
}
