/// Why an RTC's time cannot be trusted.
public enum RTCFault: Hashable, Sendable {
  /// The chip says so, by its flags.
  case dataInvalid
  /// The driver says so, by refusing its time.
  case notValid
  case unreadable(String)
  /// It shows a time before this program was released, or past the years that clocksmith knows.
  case implausible(Instant)
  case stopped(at: Instant)
  /// Within this duration it went from one time to another that does not fit.
  case jumped(from: Instant, to: Instant, in: Duration)
  /// The system is configured to keep local time in it, which is wrong after a change of daylight
  /// saving or of the zone.
  case localTime
  /// The synchronised clock is ahead of it by this, which is how far a zone is from UTC.
  case zoneAway(lead: Duration)
}

extension RTCFault {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .dataInvalid: "data_invalid"
    case .notValid: "not_valid"
    case .unreadable: "unreadable"
    case .implausible: "implausible"
    case .stopped: "stopped"
    case .jumped: "jumped"
    case .localTime: "local_time"
    case .zoneAway: "zone_away"
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

extension RTCWarning {
  /// For programs: it does not change.
  public var key: String {
    switch self {
    case .batteryLow: "battery_low"
    case .batteryEmpty: "battery_empty"
    case .accuracyLow: "accuracy_low"
    }
  }
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

  /// - Parameters:
  ///   - earlier: the previous reading of the same RTC, if there is one.
  ///   - isSynchronised: true if the system clock is right.
  public init(_ reading: RTCReading, after earlier: RTCReading?, isSynchronised: Bool = false) {
    self.reading = reading
    fault =
      Self.fault(of: reading, after: earlier)
      ?? (isSynchronised ? Self.faultOfZone(reading) : nil)
    warnings = Self.warnings(of: reading.health)
  }

  public var isValid: Bool { fault == nil }

  /// True if it is valid, and the clock could have been set from it.
  func agrees(at now: Now) -> Bool {
    guard isValid, let lead = reading.lead(at: now) else { return false }
    return lead.magnitude <= Self.agreement
  }

  private static func fault(of reading: RTCReading, after earlier: RTCReading?) -> RTCFault? {
    let shown: Instant
    switch reading.answer {
    case .notValid: return .notValid
    case .failed(let why): return .unreadable(why)
    case .time(let instant): shown = instant
    }
    if case .told(let flags) = reading.health, flags.contains(.dataInvalid) { return .dataInvalid }
    guard (earliestPlausible..<latestPlausible).contains(shown) else { return .implausible(shown) }
    if reading.keepsLocalTime { return .localTime }
    guard let earlier, case .time(let before) = earlier.answer else { return nil }
    return faultOfRunning(from: before, to: shown, reading, after: earlier)
  }

  /// Zones are whole quarters of an hour from UTC, 14 h at most. A good crystal drifts by less than
  /// 10 s in a week.
  private static func faultOfZone(_ reading: RTCReading) -> RTCFault? {
    guard let lead = reading.lead(at: reading.moment) else { return nil }
    let seconds = Int((lead.magnitude + .seconds(10)).inSeconds)
    return 1...56 ~= seconds / 900 && seconds % 900 <= 20 ? .zoneAway(lead: lead) : nil
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
