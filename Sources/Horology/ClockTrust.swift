/// How far the system clock can be trusted.
public enum ClockTrust: String, CaseIterable, Sendable {
  /// The kernel's clock is disciplined now, as systemd judges it.
  case synchronised
  /// It was disciplined earlier in this boot, or a valid RTC vouches for it, and it cannot be off by
  /// more than the owner allows.
  case holdover
  /// Not so: the time may be anything.
  case untrusted
}

/// What may sound while the clock is untrusted.
public enum UntrustedPolicy: String, CaseIterable, Sendable {
  /// Nothing.
  case silent
  /// Blows, but no words.
  case chime
  /// The time, but only when a person asks for it.
  case ask
  /// Everything.
  case speak
}
