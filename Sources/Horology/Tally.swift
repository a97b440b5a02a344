/// Counts, for each local day, what is reported to the journal.
///
/// A day ends with the first report about an occasion of another date. So midnight is the first
/// occasion of its own day, whenever it was decided.
public struct Tally: Hashable, Sendable {
  /// The counts of a day, so far.
  public struct Day: Hashable, Sendable {
    /// Something that is counted. The raw value is for programs, and does not change.
    public enum Count: String, CaseIterable, Sendable {
      /// Occasions that sounded whole.
      case sounded
      /// Occasions that did not sound.
      case skipped
      /// Requests for the time that were answered.
      case answered
      /// Soundings that were stopped while they were heard.
      case cutOff = "cut_off"
      case underruns
      /// How often the speaker or a sound could not be had, or was lost.
      case failures
      case switchLosses = "switch_losses"
      case clockSteps = "clock_steps"
    }

    /// As in `2026-11-21`.
    public let date: String
    private var counts: [Count: Int] = [:]
    /// Skipped occasions, by the key of the reason.
    public fileprivate(set) var skipped: [String: Int] = [:]
    /// The largest error of an occasion that sounded whole: of a blow, or of its words. Nil if none
    /// was measured.
    public fileprivate(set) var worstError: Duration?
    /// How long the clock had each degree of trust.
    public fileprivate(set) var trusts: [ClockTrust: Duration] = [:]

    fileprivate init(date: String) { self.date = date }

    public fileprivate(set) subscript(_ count: Count) -> Int {
      get { counts[count] ?? 0 }
      set { counts[count] = newValue }
    }

    /// True if nothing was counted except the time.
    public var isEmpty: Bool { counts.values.allSatisfy { $0 == 0 } }
  }

  private var day: Day
  private var trust: ClockTrust
  /// Until when the trust has been counted.
  private var counted: Uptime

  /// - Parameter today: what the clocks show now.
  public init(today: CivilTime, trust: ClockTrust, at moment: Uptime) {
    day = Day(date: today.dateTime.date)
    self.trust = trust
    counted = moment
  }

  /// Counts a report.
  /// - Returns: the day that ended with it.
  public mutating func add(_ report: Report, every interval: Interval, at moment: Uptime) -> Day? {
    var ended: Day?
    if let date = report.occasion?.civil.dateTime.date, date != day.date {
      ended = end(at: moment)
      day = Day(date: date)
    }
    count(report, every: interval)
    if case .trust(let trust) = report {
      passTime(to: moment)
      self.trust = trust
    }
    return ended
  }

  /// The day so far, for example when the service ends.
  public mutating func end(at moment: Uptime) -> Day {
    passTime(to: moment)
    return day
  }

  private mutating func passTime(to moment: Uptime) {
    day.trusts[trust, default: .zero] += moment - counted
    counted = moment
  }

  private mutating func count(_ report: Report, every interval: Interval) {
    switch report {
    case .announced(let announcement, let timing):
      day[.underruns] += timing.underruns
      if announcement.cause == .request { day[.answered] += 1 }
      guard announcement.cause.isOccasion else { break }
      day[.sounded] += 1
      if let error = timing.worstError, error.magnitude >= day.worstError?.magnitude ?? .zero {
        day.worstError = error
      }
    case .cutOff: day[.cutOff] += 1
    case .brokeOff:
      day[.cutOff] += 1
      day[.failures] += 1
    case .skipped(let first, let last, let reason):
      // One more or less if the zone's offset changes in between.
      let span = (last.instant - first.instant).nanoseconds / interval.duration.nanoseconds
      day[.skipped] += Int(span) + 1
      day.skipped[reason.key, default: 0] += Int(span) + 1
      if case .failed = reason { day[.failures] += 1 }
    case .retrying, .refused(.request(.failed)), .startUnheard(.failed), .reminder(_, .unheard),
      .interval(_, .unheard):
      day[.failures] += 1
    case .switched(.lost): day[.switchLosses] += 1
    case .clockSet: day[.clockSteps] += 1
    case .refused, .switched, .trust, .mute, .slept, .reminder, .interval, .unsaid,
      .startUnheard:
      break
    }
  }
}

extension Report {
  /// The first occasion that it decides; nil if it is about none.
  fileprivate var occasion: Occasion? {
    switch self {
    case .announced(let announcement, _), .cutOff(let announcement, _, _),
      .brokeOff(let announcement, _):
      if case .occasion(let occasion) = announcement.cause { occasion } else { nil }
    case .skipped(let first, _, _): first
    default: nil
    }
  }
}
