/// How far the system's clock may be believed.
public enum ClockTrust: String, CaseIterable, Sendable {
  /// The kernel's clock is disciplined now, as systemd judges it.
  case synchronised
  /// It was disciplined earlier in this boot.
  case holdover
  /// Neither: the time may be anything.
  case untrusted

  /// - Parameters:
  ///   - isSynchronised: the kernel's clock is disciplined now.
  ///   - wasSynchronised: it was, at some time in this boot.
  public init(isSynchronised: Bool, wasSynchronised: Bool) {
    self = isSynchronised ? .synchronised : wasSynchronised ? .holdover : .untrusted
  }
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
