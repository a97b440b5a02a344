/// Why an RTC's time cannot be trusted.
public enum RTCFault: Hashable, Sendable {
  /// The chip or its driver says so.
  case notValid
  case unreadable(String)
  /// It shows a time before this program was released, or past the years that clocksmith knows.
  case implausible(Instant)
  case stopped(at: Instant)
  /// It seems to keep local time, which is wrong after a change of daylight saving or of the zone.
  case localTime
}

/// A reading, and whether it can be trusted.
public struct RTCJudgement: Hashable, Sendable {
  public let reading: RTCReading
  /// Nil if the RTC is valid.
  public let fault: RTCFault?

  /// 1 November 2026, just before the first release: no earlier time can be right. A chip that has
  /// lost its power starts again at 2000 or 1970. The driver of the most common chip (rtc-ds1307,
  /// for the DS3231) clears the chip's own warning at boot, so only the date tells. A constant,
  /// because a build date would make each build different.
  static let earliestPlausible = Instant(seconds: 1_793_491_200)

  /// Two readings closer together than this do not tell whether the RTC runs.
  public static let shortestLook = Duration.seconds(3)
  /// The largest difference between an RTC and a clock when one was set from the other.
  static let agreement = Duration.seconds(2)

  /// - Parameters:
  ///   - earlier: the previous reading of the same RTC, if there is one.
  ///   - isSynchronised: true if the system clock is right.
  public init(_ reading: RTCReading, after earlier: RTCReading?, isSynchronised: Bool = false) {
    self.reading = reading
    fault = Self.fault(of: reading, after: earlier, isSynchronised)
  }

  public var isValid: Bool { fault == nil }

  public var isBatteryLow: Bool { reading.flags?.isDisjoint(with: .backupLow) == false }

  /// True if it is valid, and the clock could have been set from it.
  func agrees(at now: Now) -> Bool {
    guard isValid, let lead = reading.lead(at: now) else { return false }
    return lead.magnitude <= Self.agreement
  }

  private static func fault(
    of reading: RTCReading, after earlier: RTCReading?, _ isSynchronised: Bool
  ) -> RTCFault? {
    let shown: Instant
    switch reading.answer {
    case .notValid: return .notValid
    case .failed(let why): return .unreadable(why)
    case .time(let instant): shown = instant
    }
    if reading.flags?.contains(.dataInvalid) == true { return .notValid }
    let plausible = earliestPlausible...Instant.allowed.upperBound
    guard plausible.contains(shown) else { return .implausible(shown) }
    if reading.keepsLocalTime || isSynchronised && isZoneAway(reading) { return .localTime }
    if let earlier, earlier.answer == reading.answer,
      reading.moment.sinceBoot - earlier.moment.sinceBoot >= shortestLook
    {
      return .stopped(at: shown)
    }
    return nil
  }

  /// Zones are whole quarters of an hour from UTC, 14 h at most. A good crystal drifts by less than
  /// 10 s in a week.
  private static func isZoneAway(_ reading: RTCReading) -> Bool {
    guard let lead = reading.lead(at: reading.moment) else { return false }
    let seconds = Int((lead.magnitude + .seconds(10)).inSeconds)
    return 1...56 ~= seconds / 900 && seconds % 900 <= 20
  }
}
