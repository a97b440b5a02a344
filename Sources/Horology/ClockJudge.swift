/// Judges the system clock by the kernel and an RTC, and remembers what they said.
///
/// Pure: it takes readings and the time, and returns what has changed.
public struct ClockJudge {
  /// Reports for the journal, one for each change.
  public enum Report: Hashable, Sendable {
    case rtcValid(String)
    case rtcInvalid(String, RTCFault)
    case rtcBatteryLow(String)
    /// Holdover will end at this instant, unless the clock is set right before.
    case endsSoon(Instant)
  }

  /// Drift of a crystal that nothing disciplines, in ppm: that of an RTC, or of the machine. "+-30
  /// ppm" is what production spread and temperature "easily" add up to (NXP UM10301, 7.2).
  static let crystalDrift: Int64 = 30
  /// Drift of the kernel's clock after NTP has disciplined it, in ppm: the frequency tolerance PHI
  /// of RFC 5905, 7.2.
  static let disciplinedDrift: Int64 = 15
  /// Assumed error of a clock that has just lost its discipline: 0.1 s is a rule of thumb for NTP over
  /// the internet, and in the 8.9 h until the kernel gives the clock up it drifts by 0.5 s.
  static let errorOfNTP = Duration.milliseconds(600)
  /// Minimum error of a clock that an RTC vouches for: an RTC counts whole seconds.
  static let errorOfRTC = Duration.seconds(1)
  /// Default of `greatestError`: beyond it, the spoken minute would be as likely wrong as right.
  public static let defaultGreatestError = Duration.seconds(30)
  /// How long before its end holdover is reported to end soon.
  static let endNotice = Duration.seconds(3 * 86_400)

  public private(set) var state = ClockState(basis: .noRTC)
  /// The RTC by its last reading; nil if there is none.
  public private(set) var rtc: RTCJudgement?
  /// Holdover ends when the clock may be off by more than this; nil if it never ends.
  public var greatestError: Duration?
  /// When the RTC was last right, by its own time: it agreed with a synchronised clock, or was set
  /// by hand. If neither was ever seen, when it was first read; nil without an RTC.
  public private(set) var rtcSet: Instant?

  private var hasReportedEnd = false
  /// False if the RTC was read only once since the clock was set, or since it is valid or not.
  private var isConfirmed = false
  private var lastLook: Now?
  /// A step since this moment means that the clock was set. It is the last moment at which the
  /// clock was synchronised, or else the first that was seen.
  private var reference: Now?
  private var wasSynchronised = false

  /// - Parameter rtcSet: as an earlier judge of this machine had it; nil if that is not known.
  public init(
    greatestError: Duration? = ClockJudge.defaultGreatestError, rtcSet: Instant? = nil
  ) {
    self.greatestError = greatestError
    self.rtcSet = rtcSet
  }

  // MARK: The RTC

  /// True if the RTC should be read again: it never was, it is time, or the clock was set.
  public func isReadingDue(at now: Now) -> Bool {
    guard let lastLook else { return true }
    return now.sinceBoot - lastLook.sinceBoot >= interval || wasSet(by: now)
  }

  private var interval: Duration {
    switch state.basis {
    // A program that sets the clock, such as timedatectl, sets the RTC a moment later. An occasion
    // 10 s away is decided in 5 s.
    case _ where !isConfirmed: .seconds(4)
    // It may have been set right meanwhile.
    case .differs, .invalidRTC: .seconds(60)
    default: .seconds(3600)
    }
  }

  /// True if the clock was set since the RTC was last read.
  public func wasSet(by now: Now) -> Bool {
    lastLook.map { now.step(since: $0).magnitude >= .milliseconds(500) } ?? false
  }

  /// Takes a reading in.
  /// - Parameter reading: nil if there is no RTC to read.
  public mutating func judge(
    _ reading: RTCReading?, kernel: KernelClock, at now: Now
  ) -> [Report] {
    let (before, wasSet) = (rtc, wasSet(by: now))
    lastLook = now
    rtc = reading.map {
      RTCJudgement($0, after: before?.reading, isSynchronised: kernel.isSynchronised)
    }
    isConfirmed = rtc == nil || rtc?.isValid == before?.isValid && !wasSet
    guard let rtc else { return [] }

    // A clock that was set, but not from the RTC, was set by hand. The RTC may follow in a moment.
    let isSetByHand = wasSet && before?.agrees(at: now) != true
    if kernel.isSynchronised ? rtc.agrees(at: now) : isSetByHand {
      rtcSet = now.instant
    } else if rtcSet == nil, rtc.isValid, let lead = rtc.reading.lead(at: now) {
      rtcSet = now.instant - lead
    }

    let name = rtc.reading.name
    var reports: [Report] = []
    if let fault = rtc.fault {
      if before?.fault == nil { reports.append(.rtcInvalid(name, fault)) }
    } else if before?.isValid != true || !rtc.isBatteryLow && before?.isBatteryLow == true {
      reports.append(.rtcValid(name))
    }
    // What is valid again ends every warning about the RTC, so this one is given again.
    if rtc.isBatteryLow, before?.isBatteryLow != true || reports == [.rtcValid(name)] {
      reports.append(.rtcBatteryLow(name))
    }
    return reports
  }

  // MARK: The clock

  /// Judges the clock as it is now.
  public mutating func judge(_ kernel: KernelClock, at now: Now) -> [Report] {
    if kernel.isSynchronised {
      (reference, wasSynchronised) = (now, true)
      state = ClockState(basis: .disciplined, uncertainty: kernel.maximumError)
    } else {
      reference = reference ?? now
      state = undisciplined(kernel, at: now)
    }
    guard let ends = state.ends else {
      hasReportedEnd = false
      return []
    }
    guard !hasReportedEnd, ends - now.instant < Self.endNotice else { return [] }
    hasReportedEnd = true
    return [.endsSoon(ends)]
  }

  private func undisciplined(_ kernel: KernelClock, at now: Now) -> ClockState {
    let step = reference.map { now.step(since: $0) } ?? .zero
    let wasSet = step.magnitude > RTCJudgement.agreement
    let held = wasSet ? nil : heldOver(kernel, at: now)
    if let held, held.trust == .holdover { return held }
    if let rtc {
      let vouched = state(by: rtc, at: now)
      return vouched.trust == .holdover ? vouched : held ?? vouched
    }
    let isLost = wasSet && (wasSynchronised || kernel.timesyncd != nil)
    return held ?? ClockState(basis: isLost ? .wasSet(by: step) : .noRTC)
  }

  /// The state by the last synchronisation; nil if there was none.
  private func heldOver(_ kernel: KernelClock, at now: Now) -> ClockState? {
    var age = Duration.zero
    if wasSynchronised, let reference {
      age = now.sinceBoot - reference.sinceBoot
    } else {
      guard let timesyncd = kernel.timesyncd else { return nil }
      // The file is from this boot. If its time is not, the clock was set since.
      age = now.instant - timesyncd
      guard age >= .zero - RTCJudgement.agreement, age <= now.sinceBoot + RTCJudgement.agreement
      else { return nil }
    }
    age = max(age, .zero)
    return holdover(
      .synchronisedEarlier(ago: age),
      error: Self.errorOfNTP + age.millionths(Self.disciplinedDrift), drift: Self.disciplinedDrift,
      at: now)
  }

  /// The state by an RTC. It vouches for a clock if they differ by no more than they can have
  /// drifted apart since the machine started.
  private func state(by rtc: RTCJudgement, at now: Now) -> ClockState {
    let name = rtc.reading.name
    if let fault = rtc.fault { return ClockState(basis: .invalidRTC(name: name, fault)) }
    guard let lead = rtc.reading.lead(at: now) else { return ClockState(basis: .noRTC) }
    let apart = now.sinceBoot.millionths(2 * Self.crystalDrift)
    guard lead.magnitude <= RTCJudgement.agreement + apart else {
      return ClockState(basis: .differs(name: name, lead: lead))
    }
    // The RTC drifts, and the clock away from it. How far the clock has gone is measured.
    let age = rtcSet.map { max(now.instant - lead - $0, .zero) } ?? .zero
    let drift = rtc.reading.drift
    return holdover(
      .agreesWithRTC(name),
      error: max(Self.errorOfRTC, lead.magnitude + .milliseconds(500)) + age.millionths(drift),
      drift: drift + Self.crystalDrift, at: now)
  }

  /// Holdover, if the error is not too great.
  /// - Parameter drift: the rate at which the error grows, in ppm.
  private func holdover(
    _ basis: ClockState.Basis, error: Duration, drift: Int64, at now: Now
  ) -> ClockState {
    guard let greatestError else { return ClockState(basis: basis, uncertainty: error) }
    let left = greatestError - error
    guard left >= .zero else {
      return ClockState(basis: .heldTooLong(error), uncertainty: error)
    }
    let ends = now.instant + .nanoseconds(left.nanoseconds / drift * 1_000_000)
    return ClockState(basis: basis, uncertainty: error, ends: ends)
  }
}

extension Duration {
  /// This many millionths of the duration.
  fileprivate func millionths(_ count: Int64) -> Duration {
    // Divide first: a century in nanoseconds, times a hundred, is out of range.
    .nanoseconds(nanoseconds / 1000 * count / 1000)
  }
}
