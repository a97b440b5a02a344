/// Counts, for each local day, what is reported to the journal.
///
/// A day ends with the first report about an occasion of another date. So midnight is the first
/// occasion of its own day, whenever it was decided.
public struct Tally: Hashable, Sendable {
  /// The counts of a day, so far.
  public struct Day: Hashable, Sendable {
    /// As in `2026-11-21`.
    public let date: String
    /// Occasions that sounded whole.
    public fileprivate(set) var sounded = 0
    /// Requests for the time that were answered.
    public fileprivate(set) var answered = 0
    public fileprivate(set) var cutOff = 0
    /// Skipped occasions, by the key of the reason.
    public fileprivate(set) var skipped: [String: Int] = [:]
    /// The largest error of what has a moment and sounded whole, an occasion or a request for an
    /// instant: of a blow, or of its words. Nil if none was measured.
    public fileprivate(set) var worstError: Duration?
    public fileprivate(set) var underruns = 0
    /// How often the speaker or a sound could not be had, or was lost.
    public fileprivate(set) var failures = 0
    public fileprivate(set) var switchLosses = 0
    public fileprivate(set) var clockSteps = 0
    /// How long the clock had each degree of trust.
    public fileprivate(set) var trusts: [ClockTrust: Duration] = [:]

    fileprivate init(date: String) { self.date = date }

    /// True if nothing was counted except the time.
    public var isEmpty: Bool {
      var blank = Day(date: date)
      blank.trusts = trusts
      return self == blank
    }

    /// Skipped occasions, for any reason.
    public var skippedInAll: Int { skipped.values.reduce(0, +) }
  }

  private var day: Day
  private var trust: ClockTrust
  /// Until when the trust has been counted.
  private var counted: Uptime
  /// The occasion whose failure has been counted.
  private var failed: Occasion?

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

  private mutating func add(error: Duration?) {
    guard let error, error.magnitude >= day.worstError?.magnitude ?? .zero else { return }
    day.worstError = error
  }

  private mutating func count(_ report: Report, every interval: Interval) {
    switch report {
    case .announced(let announcement, let timing):
      switch announcement.cause {
      case .occasion:
        day.sounded += 1
        add(error: timing.worstError)
      case .request:
        day.answered += 1
        if announcement.isAtItsInstant { add(error: timing.worstError) }
      case .timer, .start, .untrusted: break
      }
      day.underruns += timing.underruns
    case .cutOff: day.cutOff += 1
    case .brokeOff:
      day.cutOff += 1
      day.failures += 1
    case .skipped(let first, let last, let reason):
      // One more or less if the zone's offset changes in between.
      let count = (last.instant - first.instant).nanoseconds / interval.duration.nanoseconds + 1
      day.skipped[reason.key, default: 0] += Int(count)
      if case .failed = reason, failed != first { day.failures += 1 }
    case .refused(.request(.failed)), .startUnheard(.failed): day.failures += 1
    case .retrying(let occasion, _):
      day.failures += 1
      failed = occasion
    case .switched(.lost): day.switchLosses += 1
    case .clockSet: day.clockSteps += 1
    case .reminder(_, .unheard), .interval(_, .unheard): day.failures += 1
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
