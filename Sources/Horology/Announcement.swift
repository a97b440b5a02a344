/// Something that is to sound once.
public struct Announcement: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case occasion(Occasion)
    /// A person asked for the time.
    case request
  }

  public let cause: Cause
  /// The time that is spoken.
  public let time: CivilTime
  /// When its anchor frame is to leave the converter.
  public let anchor: Instant

  public init(cause: Cause, time: CivilTime, anchor: Instant) {
    self.cause = cause
    self.time = time
    self.anchor = anchor
  }
}

/// What has happened, as the Announcer is told of it.
public enum Event {
  /// The wake-up that was asked for has come, or the service has just started.
  case woke
  /// The system's clock was set, or the machine has slept.
  case clockSet
  case zoneChanged(any Zone)
  case reloaded(AnnouncerSettings)
  case trust(ClockTrust)
  /// A person asks for the time.
  case asked
  /// What was playing is no longer.
  case ended(Outcome)
}

/// How an announcement ended.
public enum Outcome: Hashable, Sendable {
  /// It sounded whole; positive if the anchor frame left the converter after its instant.
  case finished(onsetError: Duration)
  case stopped(StopReason)
  /// It could not be played, or not to its end; `begun` if some of it was heard.
  case failed(String, begun: Bool)
}

/// What the Announcer wants done, in the order given.
public enum Effect: Hashable, Sendable {
  /// Wake at this instant; replaces the wake-up that was asked for before. Always the last.
  case wake(at: Instant)
  case play(Announcement)
  /// Fade out what plays; its end is reported as an event.
  case stop(StopReason)
  case report(Report)
}

/// What the journal is told.
public enum Report: Hashable, Sendable {
  case announced(Announcement, onsetError: Duration)
  /// Every occasion from the first to the last of these did not sound.
  case skipped(from: Occasion, through: Occasion, SkipReason)
  /// A person asked and got no answer.
  case refused(SkipReason)
  case trust(ClockTrust)
  /// The clock was set by this much, or the machine has slept that long.
  case clockSet(by: Duration)
  /// The device did not play; it is tried again while the spoken time is true.
  case retrying(Occasion, String)
}
