/// The short sounds of timers, intervals and alarms, and of the clock itself. The raw value is the
/// name of its sound file, without `.flac`.
public enum Signal: String, CaseIterable, Sendable {
  case prepare
  case work
  case rest
  case half
  /// The last round begins; it sounds instead of `work`.
  case last
  case end
  /// One tick of a countdown; it ends before the next second.
  case count
  /// A plain interval repeats.
  case cue
  /// A timer or an alarm rings: one figure, repeated until it is stopped.
  case ring
  case start
  /// The clock is not trusted, and the voice has no words for that.
  case untrusted
}

extension Signal {
  /// Length of its sound file, including its decay.
  public var length: Duration {
    switch self {
    case .count: .milliseconds(80)
    case .half: .milliseconds(400)
    case .cue: .milliseconds(600)
    case .prepare, .work: .milliseconds(900)
    case .untrusted: .milliseconds(1200)
    case .last: .milliseconds(1250)
    case .rest, .start: .milliseconds(1500)
    case .ring: .milliseconds(1900)
    case .end: .milliseconds(2400)
    }
  }
}
