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
  /// The system is configured to keep local time in it, not UTC.
  public let keepsLocalTime: Bool

  public init(
    name: String, moment: Now, answer: Answer, health: Health, keepsLocalTime: Bool = false
  ) {
    self.name = name
    self.moment = moment
    self.answer = answer
    self.health = health
    self.keepsLocalTime = keepsLocalTime
  }

  /// Greatest drift of the chip in ppm. The DS3231 and DS3232 compensate for their temperature: 5 ppm
  /// is that of the DS3231M (data sheet 19-5312), which has the same name; the others are better.
  var drift: Int64 { ["ds3231", "ds3232"].contains(name) ? 5 : ClockJudge.crystalDrift }

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
}
