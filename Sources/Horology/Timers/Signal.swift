/// The short sounds of timers, intervals and alarms. The raw value names the sound's file.
public enum Signal: String, CaseIterable, Sendable {
  /// Get ready.
  case prepare
  /// A work phase begins.
  case work
  case rest
  /// Half of a work phase is over.
  case half
  /// The last work phase begins.
  case last
  /// All is over.
  case end
  /// One of three, two, one.
  case count
  /// One cue of a plain interval.
  case cue
  /// A timer at zero, again and again until it is stopped.
  case ring
}
