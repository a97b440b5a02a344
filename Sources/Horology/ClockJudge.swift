/// Judges the system clock by the kernel and an RTC, and remembers what they said.
///
/// Pure: it takes readings and the time, and returns what has changed.
public struct ClockJudge {
  /// Reports for the journal, one for each change.
  public enum Report: Hashable, Sendable {
    case rtcFound(RTCJudgement)
    case rtcValid(String)
    case rtcInvalid(String, RTCFault)
    case rtcWarning(String, RTCWarning)
    case rtcGone(String)
    case rtcDrift(RTCDrift)
    /// Nothing vouches for the clock, and the reason is not just a missing RTC.
    case doubt(ClockState.Doubt)
  }

  /// Assumed drift of a crystal that nothing disciplines, in ppm: more than five times that of a
  /// Raspberry Pi, and a fifth of what the kernel allows for.
  static let assumedDrift: Int64 = 100
  /// Assumed error of a clock that timesyncd has just set: a rule of thumb for NTP over the
  /// internet. timesyncd writes no error of its own into the kernel.
  static let errorOfTimesyncd = Duration.milliseconds(100)
  /// Minimum error of a clock that an RTC vouches for: an RTC counts whole seconds.
  static let errorOfRTC = Duration.seconds(1)
  /// An RTC does not vouch for a clock that is further away than this, however long they ran apart:
  /// the spoken minute would be as likely wrong as right.
  static let greatestLead = Duration.seconds(30)
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

  private var isConfirmed = false
  private var lastLook: Now?
  private var drift = RTCDrift.Watch()
  /// The error when the kernel last disciplined the clock, and when that was seen.
  private var discipline: (error: Duration, at: Now)?
  /// A step since this moment means that the clock was set. It is the last moment at which the
  /// clock was synchronised, or else the first that was seen.
  private var reference: Now?

  public init() {}

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
  private func wasSet(by now: Now) -> Bool {
    lastLook.map { now.step(since: $0).magnitude >= .milliseconds(500) } ?? false
  }

  /// Takes a reading in.
  /// - Parameter reading: nil if there is no RTC to read.
  public mutating func take(
    _ reading: RTCReading?, kernel: KernelClock, at now: Now
  ) -> [Report] {
    let wasSet = wasSet(by: now)
    lastLook = now
    let before = rtc
    guard let reading else {
      rtc = nil
      isConfirmed = true
      drift = RTCDrift.Watch()
      return before.map { [.rtcGone($0.reading.name)] } ?? []
    }
    let earlier = before.flatMap { $0.reading.name == reading.name ? $0 : nil }
    let judgement = RTCJudgement(
      reading, after: earlier?.reading, isSynchronised: kernel.isSynchronised)
    rtc = judgement
    // A program that sets the clock, such as timedatectl, sets the RTC an instant later.
    isConfirmed = earlier.map { judgement.isSame(as: $0) && !wasSet } ?? false
    var reports = changes(from: earlier, to: judgement)
    if judgement.isValid, kernel.isSynchronised {
      if let report = drift.take(reading) { reports.append(.rtcDrift(report)) }
    }
    return reports
  }

  /// Forgets what is known of the RTC: another one is to be read.
  public mutating func forgetRTC() {
    rtc = nil
    lastLook = nil
    drift = RTCDrift.Watch()
  }

  private func changes(from earlier: RTCJudgement?, to judgement: RTCJudgement) -> [Report] {
    let name = judgement.reading.name
    var reports: [Report] = []
    switch (earlier, judgement.fault) {
    case (nil, nil): reports.append(.rtcFound(judgement))
    case (let earlier?, nil): if !earlier.isValid { reports.append(.rtcValid(name)) }
    case (let earlier, let fault?):
      if earlier?.fault?.isSame(as: fault) != true { reports.append(.rtcInvalid(name, fault)) }
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
    guard case .nothing(let doubt) = state.basis else { return [] }
    if case .nothing(let earlier) = before.basis, earlier.isSame(as: doubt) { return [] }
    switch doubt {
    // `noRTC` has no cure; `invalidRTC` is reported with the RTC.
    case .noRTC, .invalidRTC: return []
    case .differs, .wasSet: return [.doubt(doubt)]
    }
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
    if !wasSet, let held = heldOver(kernel, at: now) { return held }
    guard let rtc else {
      let isLost = wasSet && (discipline != nil || kernel.timesyncd != nil)
      return ClockState(
        basis: .nothing(isLost ? .wasSet(by: step) : .noRTC), uncertainty: nil)
    }
    return Self.state(by: rtc, at: now)
  }

  /// The state that the last synchronisation still supports; nil if it supports none.
  private func heldOver(_ kernel: KernelClock, at now: Now) -> ClockState? {
    if let discipline {
      return Self.holdover(
        error: discipline.error, age: now.sinceBoot - discipline.at.sinceBoot)
    }
    guard let timesyncd = kernel.timesyncd else { return nil }
    // The file is from this boot. If its time is not, the clock was set since.
    let age = now.instant - timesyncd
    guard age >= .zero - RTCJudgement.agreement, age <= now.sinceBoot + RTCJudgement.agreement
    else { return nil }
    return Self.holdover(error: Self.errorOfTimesyncd, age: max(age, .zero))
  }

  private static func holdover(error: Duration, age: Duration) -> ClockState {
    ClockState(
      basis: .synchronisedEarlier(ago: age), uncertainty: error + age.millionths(assumedDrift))
  }

  /// The state that an RTC supports. It vouches for a clock if they differ by no more than they can
  /// have drifted apart since the machine started.
  private static func state(by rtc: RTCJudgement, at now: Now) -> ClockState {
    let name = rtc.reading.name
    if let fault = rtc.fault {
      return ClockState(basis: .nothing(.invalidRTC(name: name, fault)), uncertainty: nil)
    }
    guard let lead = rtc.reading.lead(at: now) else {
      return ClockState(basis: .nothing(.noRTC), uncertainty: nil)
    }
    let drift = now.sinceBoot.millionths(assumedDrift)
    guard lead.magnitude <= min(RTCJudgement.agreement + drift, greatestLead) else {
      return ClockState(basis: .nothing(.differs(name: name, lead: lead)), uncertainty: nil)
    }
    return ClockState(
      basis: rtc.reading.hasSetTheClock ? .setFromRTC(name) : .agreesWithRTC(name),
      uncertainty: max(errorOfRTC + drift, lead.magnitude + .milliseconds(500)))
  }
}

extension ClockState.Doubt {
  /// True if it is the same doubt, whatever its size now.
  func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.noRTC, .noRTC), (.differs, .differs), (.wasSet, .wasSet): true
    case (.invalidRTC(_, let fault), .invalidRTC(_, let another)): fault.isSame(as: another)
    default: false
    }
  }
}
