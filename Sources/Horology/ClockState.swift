/// How far the system clock can be trusted, why, and how far off it may be.
public struct ClockState: Hashable, Sendable {
  /// What vouches for the clock, or why nothing does.
  public enum Basis: Hashable, Sendable {
    /// The kernel disciplines it now.
    case disciplined
    /// The kernel disciplined it, this long ago.
    case synchronisedEarlier(ago: Duration)
    /// It agrees with this RTC, whatever set it.
    case agreesWithRTC(String)

    /// It is not synchronised, and there is no RTC, or none is to be used.
    case noRTC
    case invalidRTC(name: String, RTCFault)
    /// It is ahead of this RTC by `lead`.
    case differs(name: String, lead: Duration)
    /// Something unknown has set it forward by this much since it was synchronised.
    case wasSet(by: Duration)
    /// It was right once, and may now be off by this: by more than the owner allows.
    case heldTooLong(Duration)
  }

  public let basis: Basis
  /// The largest expected error, ahead or behind; nil if it may be anything.
  public let uncertainty: Duration?
  /// When holdover ends at the earliest, rounded down to the hour, unless something sets the clock
  /// right; nil if it does not end, or this is no holdover.
  public let ends: Instant?

  public init(basis: Basis, uncertainty: Duration? = nil, ends: Instant? = nil) {
    self.basis = basis
    self.uncertainty = uncertainty
    self.ends = ends.map { Instant(seconds: $0.seconds / 3600 * 3600) }
  }

  public var trust: ClockTrust {
    switch basis {
    case .disciplined: .synchronised
    case .synchronisedEarlier, .agreesWithRTC: .holdover
    default: .untrusted
    }
  }
}

extension ClockState.Basis {
  /// For programs: the raw values do not change.
  public enum Kind: String, CaseIterable, Sendable {
    case disciplined
    case synchronisedEarlier = "synchronised_earlier"
    case agreesWithRTC = "agrees_with_rtc"
    case noRTC = "no_rtc"
    case invalidRTC = "invalid_rtc"
    case differs = "differs_from_rtc"
    case wasSet = "was_set"
    case heldTooLong = "held_too_long"
  }

  public var kind: Kind {
    switch self {
    case .disciplined: .disciplined
    case .synchronisedEarlier: .synchronisedEarlier
    case .agreesWithRTC: .agreesWithRTC
    case .noRTC: .noRTC
    case .invalidRTC: .invalidRTC
    case .differs: .differs
    case .wasSet: .wasSet
    case .heldTooLong: .heldTooLong
    }
  }
}

/// What the system reports about its clock.
public struct KernelClock: Hashable, Sendable {
  /// The `maxerror` of `adjtimex(2)`. The program that disciplines the clock sets it. Until it is
  /// set again, the kernel lets it grow by 500 ppm (`MAXFREQ` in kernel/time/ntp.c), up to 16 s.
  public let maximumError: Duration
  /// When systemd-timesyncd last had a good answer: it touches /run/systemd/timesync/synchronized
  /// at each one (`manager_receive_response`). Nil if it had none in this boot.
  public let timesyncd: Instant?

  public init(maximumError: Duration, timesyncd: Instant?) {
    self.maximumError = maximumError
    self.timesyncd = timesyncd
  }

  /// From this error on there is no bound (`NTP_PHASE_LIMIT`). A clock that is left alone reaches
  /// it 8.9 h after it was disciplined.
  public static let unbounded = Duration.seconds(16)

  /// As systemd judges it: `ntp_synced()` looks at the error alone, and on purpose not at
  /// `STA_UNSYNC`.
  public var isSynchronised: Bool { maximumError < Self.unbounded }
}

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
