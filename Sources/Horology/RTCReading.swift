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

  /// The chip or its driver, as in `ds3231`.
  public let name: String
  public let moment: Now
  public let answer: Answer
  /// Nil if they cannot be read, or if the driver has none.
  public let flags: RTCFlags?
  /// The system is configured to keep local time in it, not UTC.
  public let keepsLocalTime: Bool

  public init(
    name: String, moment: Now, answer: Answer, flags: RTCFlags?, keepsLocalTime: Bool = false
  ) {
    self.name = name
    self.moment = moment
    self.answer = answer
    self.flags = flags
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
  /// The battery is low, empty, or not there.
  public static let backupLow = RTCFlags(rawValue: 1 << 1 | 1 << 2)
}
