/// What a real-time clock reported, and what the system clock showed then.
public struct RTCReading: Hashable, Sendable {
  /// The RTC's answer when it was asked for the time.
  public enum Answer: Hashable, Sendable {
    /// The whole second that it shows; that is right until the next.
    case time(Instant)
    /// The driver says that the chip's time is not valid (`EINVAL`): its oscillator has stopped,
    /// or it was never set.
    case notValid
    /// It could not be read, in the kernel's words.
    case failed(String)
  }

  /// The result of asking for its flags. Support is per driver: no flags do not mean that all is
  /// well.
  public enum Health: Hashable, Sendable {
    case told(RTCFlags)
    /// The driver reports no flags.
    case unsupported
    /// The device could not be opened, in the kernel's words.
    case unreadable(String)
  }

  /// The chip or its driver, as in `ds3231`.
  public let name: String
  public let moment: Now
  public let answer: Answer
  public let health: Health
  /// The kernel set its clock from this RTC as the machine started or woke (`hctosys`).
  public let hasSetTheClock: Bool

  public init(
    name: String, moment: Now, answer: Answer, health: Health, hasSetTheClock: Bool
  ) {
    self.name = name
    self.moment = moment
    self.answer = answer
    self.health = health
    self.hasSetTheClock = hasSetTheClock
  }

  /// How far the system clock is ahead of this RTC at `later`, if the RTC has run correctly since
  /// it was read; nil if it gave no time. Exact to half a second: the RTC counts whole seconds, so
  /// on average it shows half a second too little. The kernel adds the same when it sets its clock
  /// from an RTC (drivers/rtc/class.c, rtc_hctosys).
  public func lead(at later: Now) -> Duration? {
    guard case .time(let shown) = answer else { return nil }
    return later.instant - shown - .milliseconds(500) - (later.sinceBoot - moment.sinceBoot)
  }
}

/// What a chip knows about its own state: the bits of `RTC_VL_READ` (linux/rtc.h).
public struct RTCFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let dataInvalid = RTCFlags(rawValue: 1 << 0)
  public static let backupLow = RTCFlags(rawValue: 1 << 1)
  public static let backupEmpty = RTCFlags(rawValue: 1 << 2)
  public static let accuracyLow = RTCFlags(rawValue: 1 << 3)
  /// It has run on its battery, as it does whenever the power is off.
  public static let backupSwitch = RTCFlags(rawValue: 1 << 4)
}

/// Why an RTC's time cannot be trusted.
public enum RTCFault: Hashable, Sendable {
  /// The chip says so, by its flags.
  case dataInvalid
  /// The driver says so, by refusing its time.
  case notValid
  case unreadable(String)
  /// It shows a time before this program was released.
  case beforeRelease(Instant)
  /// It shows a time past the years that clocksmith knows.
  case beyondRange(Instant)
  case stopped(at: Instant)
  /// Within this duration it went from one time to another that does not fit.
  case jumped(from: Instant, to: Instant, in: Duration)

  /// True if it is the same fault, whatever the RTC shows now.
  public func isSame(as other: RTCFault) -> Bool {
    switch (self, other) {
    case (.dataInvalid, .dataInvalid), (.notValid, .notValid), (.unreadable, .unreadable),
      (.beforeRelease, .beforeRelease), (.beyondRange, .beyondRange), (.stopped, .stopped),
      (.jumped, .jumped):
      true
    default: false
    }
  }
}

/// What an RTC will need soon.
public enum RTCWarning: Hashable, Sendable {
  case batteryLow
  /// Empty, or not there.
  case batteryEmpty
  case accuracyLow
}

/// A reading, and whether it can be trusted.
public struct RTCJudgement: Hashable, Sendable {
  public let reading: RTCReading
  /// Nil if the RTC is valid.
  public let fault: RTCFault?
  public let warnings: [RTCWarning]

  /// 1 November 2026, just before the first release: no earlier time can be right. A chip that has
  /// lost its power starts again at 2000 or 1970. The driver of the most common chip (rtc-ds1307,
  /// for the DS3231) clears the chip's own warning at boot, so only the date tells. A constant,
  /// because a build date would make each build different.
  static let earliestPlausible = Instant(seconds: 1_793_491_200)
  /// The years that clocksmith knows end with 2200.
  static let latestPlausible = Instant(seconds: 7_289_654_400)

  /// Two readings closer together than this do not tell whether the RTC runs.
  public static let shortestLook = Duration.seconds(3)
  /// The largest difference between an RTC and a clock when one was set from the other.
  static let agreement = Duration.seconds(2)

  /// - Parameter earlier: the previous reading of the same RTC, if there is one.
  public init(_ reading: RTCReading, after earlier: RTCReading?) {
    self.reading = reading
    fault = Self.fault(of: reading, after: earlier)
    warnings = Self.warnings(of: reading.health)
  }

  public var isValid: Bool { fault == nil }

  /// True if both are valid, or have the same fault.
  func isSame(as other: RTCJudgement) -> Bool {
    guard let fault, let another = other.fault else { return isValid == other.isValid }
    return fault.isSame(as: another)
  }

  private static func fault(of reading: RTCReading, after earlier: RTCReading?) -> RTCFault? {
    let shown: Instant
    switch reading.answer {
    case .notValid: return .notValid
    case .failed(let why): return .unreadable(why)
    case .time(let instant): shown = instant
    }
    if case .told(let flags) = reading.health, flags.contains(.dataInvalid) { return .dataInvalid }
    if shown < earliestPlausible { return .beforeRelease(shown) }
    if shown >= latestPlausible { return .beyondRange(shown) }
    guard let earlier, case .time(let before) = earlier.answer else { return nil }
    return faultOfRunning(from: before, to: shown, reading, after: earlier)
  }

  private static func faultOfRunning(
    from before: Instant, to shown: Instant, _ reading: RTCReading, after earlier: RTCReading
  ) -> RTCFault? {
    let elapsed = reading.moment.sinceBoot - earlier.moment.sinceBoot
    guard elapsed >= shortestLook else { return nil }
    if shown == before { return .stopped(at: shown) }
    // Each reading is a whole second, and a good crystal is far better than one part in a thousand.
    let allowed = .milliseconds(1500) + elapsed / 1000
    if ((shown - before) - elapsed).magnitude <= allowed { return nil }
    // An RTC that was set from the system clock meanwhile has jumped, but is well.
    if let lead = reading.lead(at: reading.moment), lead.magnitude <= agreement { return nil }
    return .jumped(from: before, to: shown, in: elapsed)
  }

  private static func warnings(of health: RTCReading.Health) -> [RTCWarning] {
    guard case .told(let flags) = health else { return [] }
    var warnings: [RTCWarning] = []
    if flags.contains(.backupEmpty) {
      warnings.append(.batteryEmpty)
    } else if flags.contains(.backupLow) {
      warnings.append(.batteryLow)
    }
    if flags.contains(.accuracyLow) { warnings.append(.accuracyLow) }
    return warnings
  }
}
