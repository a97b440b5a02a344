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
  /// An order was refused, or a request was accepted and then not heard.
  case refused(Refusal)
  case trust(ClockTrust)
  case ringer(Ringer)
  /// `until` is what the clocks show when the mute ends by itself.
  case mute(SoftwareMute, until: CivilTime?)
  case clockSet(by: Duration)
  case slept(for: Duration)
  /// The device did not play. It is tried again while the spoken time is true.
  case retrying(Occasion, String)
  case reminder(Reminder, ReminderEvent)
  case interval(IntervalTimer, IntervalEvent)
  /// Words about a timer, the interval or an alarm were not spoken.
  case unsaid(TimerWords, SkipReason)
}
