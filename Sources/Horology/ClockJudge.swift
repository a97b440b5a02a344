/// Judges the system clock by the kernel and an RTC, and remembers what they said.
///
/// Pure: it takes readings and the time, and returns what has changed.
public struct ClockJudge {
  /// Reports for the journal, one for each change.
  public enum Report: Hashable, Sendable {
    case rtcValid(String)
    case rtcInvalid(String, RTCFault)
    case rtcWarning(String, RTCWarning)
    case rtcGone(String)
    /// Nothing vouches for the clock, and the reason is not just a missing RTC.
    case doubt(ClockState.Doubt)
    /// Holdover will end at this instant, unless the clock is set right before.
    case endsSoon(Instant)
  }

  /// Drift of a crystal that nothing disciplines, in ppm: that of an RTC, or of the machine. "+-30
  /// ppm" is what production spread and temperature "easily" add up to (NXP UM10301, 7.2).
  static let crystalDrift: Int64 = 30
  /// Drift of the kernel's clock after NTP has disciplined it, in ppm: the frequency tolerance PHI
  /// of RFC 5905, 7.2.
  static let disciplinedDrift: Int64 = 15
  /// Assumed error of a clock that timesyncd has just set: a rule of thumb for NTP over the
  /// internet. timesyncd writes no error of its own into the kernel.
  static let errorOfTimesyncd = Duration.milliseconds(100)
  /// Minimum error of a clock that an RTC vouches for: an RTC counts whole seconds.
  static let errorOfRTC = Duration.seconds(1)
  /// Default of `greatestError`: beyond it, the spoken minute would be as likely wrong as right.
  public static let defaultGreatestError = Duration.seconds(30)
  /// How long before its end holdover is reported to end soon.
  static let endNotice = Duration.seconds(3 * 86_400)
  /// How often an RTC that vouches for the clock is read. One that does not is read sooner, because
  /// it may have been set right meanwhile.
  static let readingInterval = Duration.seconds(3600)
  static let intervalInDoubt = Duration.seconds(60)
  /// An unconfirmed reading is repeated after this, because a program that sets the clock sets the
  /// RTC a moment later. Less than 5 s: an occasion 10 s away is decided in 5 s.
  static let secondLook = Duration.seconds(4)

  public private(set) var state = ClockState(basis: .nothing(.noRTC), uncertainty: nil)
  /// The RTC by its last reading; nil if there is none.
  public private(set) var rtc: RTCJudgement?
  /// Holdover ends when the clock may be off by more than this; nil if it never ends.
  public var greatestError: Duration?
  /// When the RTC was last right, by its own time: it agreed with a synchronised clock, or was set
  /// by hand. If neither was ever seen, when it was first read; nil without an RTC.
  public private(set) var rtcSet: Instant?

  private var hasReportedEnd = false
  private var isConfirmed = false
  private var lastLook: Now?
  /// The error when the kernel last disciplined the clock, and when that was seen.
  private var discipline: (error: Duration, at: Now)?
  /// A step since this moment means that the clock was set. It is the last moment at which the
  /// clock was synchronised, or else the first that was seen.
  private var reference: Now?

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
    guard isConfirmed else { return Self.secondLook }
    switch state.basis {
    case .nothing(.differs), .nothing(.invalidRTC): return Self.intervalInDoubt
    default: return Self.readingInterval
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
    let wasSet = wasSet(by: now)
    lastLook = now
    let before = rtc
    guard let reading else {
      rtc = nil
      isConfirmed = true
      return before.map { [.rtcGone($0.reading.name)] } ?? []
    }
    let earlier = before.flatMap { $0.reading.name == reading.name ? $0 : nil }
    let judgement = RTCJudgement(
      reading, after: earlier?.reading, isSynchronised: kernel.isSynchronised)
    rtc = judgement
    updateRTCSet(judgement, before: before, wasSet: wasSet, kernel, at: now)
    // A program that sets the clock, such as timedatectl, sets the RTC an instant later.
    isConfirmed = earlier.map { judgement.fault?.key == $0.fault?.key && !wasSet } ?? false
    return changes(from: earlier, to: judgement)
  }

  /// Keeps when the RTC was last right.
  private mutating func updateRTCSet(
    _ judgement: RTCJudgement, before: RTCJudgement?, wasSet: Bool, _ kernel: KernelClock,
    at now: Now
  ) {
    if kernel.isSynchronised {
      if judgement.agrees(at: now) { rtcSet = now.instant }
    } else if wasSet, before?.agrees(at: now) != true {
      // Set by hand, and not by the RTC. The RTC may follow in a moment.
      rtcSet = now.instant
    } else if rtcSet == nil, judgement.isValid, let lead = judgement.reading.lead(at: now) {
      rtcSet = now.instant - lead
    }
  }

  /// Forgets what is known of the RTC: another one is to be read.
  public mutating func forgetRTC() {
    rtc = nil
    rtcSet = nil
    lastLook = nil
  }

  private func changes(from earlier: RTCJudgement?, to judgement: RTCJudgement) -> [Report] {
    let name = judgement.reading.name
    var reports: [Report] = []
    if let fault = judgement.fault {
      if earlier?.fault?.key != fault.key { reports.append(.rtcInvalid(name, fault)) }
    } else if earlier?.isValid != true {
      reports.append(.rtcValid(name))
    }
    for warning in judgement.warnings where earlier?.warnings.contains(warning) != true {
      reports.append(.rtcWarning(name, warning))
    }
    return reports
  }

  // MARK: The clock

  /// Judges the clock as it is now.
  public mutating func judge(_ kernel: KernelClock, at now: Now) -> [Report] {
    let before = state
    if kernel.isSynchronised {
      remember(kernel.maximumError, at: now)
      state = ClockState(basis: .disciplined, uncertainty: kernel.maximumError)
    } else {
      if reference == nil { reference = now }
      state = undisciplined(kernel, at: now)
    }
    return newDoubt(after: before).map { [.doubt($0)] } ?? endSoon(at: now)
  }

  private func newDoubt(after before: ClockState) -> ClockState.Doubt? {
    guard case .nothing(let doubt) = state.basis else { return nil }
    if case .nothing(let earlier) = before.basis, earlier.key == doubt.key { return nil }
    switch doubt {
    // `noRTC` has no cure; `invalidRTC` is reported with the RTC.
    case .noRTC, .invalidRTC: return nil
    case .differs, .wasSet, .heldTooLong: return doubt
    }
  }

  private mutating func endSoon(at now: Now) -> [Report] {
    guard let ends = state.ends else {
      hasReportedEnd = false
      return []
    }
    guard !hasReportedEnd, ends - now.instant < Self.endNotice else { return [] }
    hasReportedEnd = true
    return [.endsSoon(ends)]
  }

  /// Keeps the error from when the clock was last disciplined. The clock drifts from then on.
  private mutating func remember(_ error: Duration, at now: Now) {
    reference = now
    if let discipline {
      // If the error only grew as the kernel lets it grow, nothing has disciplined the clock since.
      let grown = discipline.error + (now.sinceBoot - discipline.at.sinceBoot).millionths(500)
      if (error - grown).magnitude < .milliseconds(2) { return }
    }
    discipline = (error, now)
  }

  private func undisciplined(_ kernel: KernelClock, at now: Now) -> ClockState {
    let step = reference.map { now.step(since: $0) } ?? .zero
    let wasSet = step.magnitude > RTCJudgement.agreement
    let held = wasSet ? nil : heldOver(kernel, at: now)
    if let vouched = rtc.map({ state(by: $0, at: now) }) {
      guard let held else { return vouched }
      return vouched.outlasts(held) ? vouched : held
    }
    let isLost = wasSet && (discipline != nil || kernel.timesyncd != nil)
    return held
      ?? ClockState(basis: .nothing(isLost ? .wasSet(by: step) : .noRTC), uncertainty: nil)
  }

  /// The state by the last synchronisation; nil if there was none.
  private func heldOver(_ kernel: KernelClock, at now: Now) -> ClockState? {
    if let discipline {
      return held(error: discipline.error, for: now.sinceBoot - discipline.at.sinceBoot, at: now)
    }
    guard let timesyncd = kernel.timesyncd else { return nil }
    // The file is from this boot. If its time is not, the clock was set since.
    let age = now.instant - timesyncd
    guard age >= .zero - RTCJudgement.agreement, age <= now.sinceBoot + RTCJudgement.agreement
    else { return nil }
    return held(error: Self.errorOfTimesyncd, for: max(age, .zero), at: now)
  }

  private func held(error: Duration, for age: Duration, at now: Now) -> ClockState {
    let drift = Self.disciplinedDrift
    return holdover(
      .synchronisedEarlier(ago: age), error: error + age.millionths(drift), drift: drift, at: now)
  }

  /// Holdover, if the error is not too great.
  /// - Parameter drift: the rate at which the error grows, in ppm.
  private func holdover(
    _ basis: ClockState.Basis, error: Duration, drift: Int64, at now: Now
  ) -> ClockState {
    guard let greatestError else { return ClockState(basis: basis, uncertainty: error) }
    let left = greatestError - error
    guard left >= .zero else {
      return ClockState(basis: .nothing(.heldTooLong(error)), uncertainty: error)
    }
    let ends = now.instant + .nanoseconds(left.nanoseconds / drift * 1_000_000)
    return ClockState(basis: basis, uncertainty: error, ends: ends)
  }

  /// The state by an RTC. It vouches for a clock if they differ by no more than they can have
  /// drifted apart since the machine started.
  private func state(by rtc: RTCJudgement, at now: Now) -> ClockState {
    let name = rtc.reading.name
    if let fault = rtc.fault {
      return ClockState(basis: .nothing(.invalidRTC(name: name, fault)), uncertainty: nil)
    }
    guard let lead = rtc.reading.lead(at: now) else {
      return ClockState(basis: .nothing(.noRTC), uncertainty: nil)
    }
    let apart = now.sinceBoot.millionths(2 * Self.crystalDrift)
    guard lead.magnitude <= RTCJudgement.agreement + apart else {
      return ClockState(basis: .nothing(.differs(name: name, lead: lead)), uncertainty: nil)
    }
    // The RTC drifts, and the clock away from it. How far the clock has gone is measured.
    let age = rtcSet.map { max(now.instant - lead - $0, .zero) } ?? .zero
    let drift = rtc.reading.drift
    return holdover(
      .agreesWithRTC(name),
      error: max(Self.errorOfRTC, lead.magnitude + .milliseconds(500)) + age.millionths(drift),
      drift: drift + Self.crystalDrift, at: now)
  }
}

extension ClockState {
  /// True if it is holdover, and the other is not or ends earlier.
  fileprivate func outlasts(_ other: ClockState) -> Bool {
    guard trust == .holdover else { return false }
    guard other.trust == .holdover else { return true }
    guard let ends, let end = other.ends else { return false }
    return ends > end
  }
}
