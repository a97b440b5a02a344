/// Counts what is reported to the journal, for a local day.
///
/// A day ends with the first report about an occasion of another date. So midnight is the first
/// occasion of its own day, whenever it was decided.
public struct Tally: Hashable, Sendable {
  /// Something that is counted. The raw value is for programs, and does not change.
  public enum Count: String, CaseIterable, Sendable {
    /// Occasions that sounded whole.
    case sounded
    /// Occasions that did not sound.
    case skipped
    /// Requests for the time that were answered.
    case answered
    case underruns
    /// How often the speaker or a sound could not be had, or was lost.
    case failures
  }

  /// As in `2026-11-21`.
  public let date: String
  private var counts: [Count: Int] = [:]
  /// Skipped occasions, by the key of the reason.
  public private(set) var skipped: [String: Int] = [:]
  /// The largest error of an occasion that sounded whole: of a blow, or of its words. Nil if none
  /// was measured.
  public private(set) var worstError: Duration?

  /// - Parameter today: what the clocks show now.
  public init(today: CivilTime) { date = today.dateTime.date }

  private init(date: String) { self.date = date }

  public private(set) subscript(_ count: Count) -> Int {
    get { counts[count] ?? 0 }
    set { counts[count] = newValue }
  }

  /// True if nothing was counted.
  public var isEmpty: Bool { counts.values.allSatisfy { $0 == 0 } }

  /// Counts a report.
  /// - Returns: the tally of the day that ended with it.
  public mutating func add(_ report: Report, every interval: Interval) -> Tally? {
    var ended: Tally?
    if let date = report.occasion?.civil.dateTime.date, date != self.date {
      ended = self
      self = Tally(date: date)
    }
    count(report, every: interval)
    return ended
  }

  private mutating func count(_ report: Report, every interval: Interval) {
    switch report {
    case .announced(let announcement, let timing):
      self[.underruns] += timing.underruns
      if announcement.cause == .request { self[.answered] += 1 }
      guard announcement.cause.isOccasion else { break }
      self[.sounded] += 1
      if let error = timing.worstError, error.magnitude >= worstError?.magnitude ?? .zero {
        worstError = error
      }
    case .skipped(let first, let last, let reason):
      // One more or less if the zone's offset changes in between.
      let span = (last.instant - first.instant).nanoseconds / interval.duration.nanoseconds
      self[.skipped] += Int(span) + 1
      skipped[reason.key, default: 0] += Int(span) + 1
      if case .failed = reason { self[.failures] += 1 }
    case .brokeOff, .retrying, .refused(.request(.failed)), .startUnheard(.failed),
      .reminder(_, .unheard), .interval(_, .unheard):
      self[.failures] += 1
    default: break
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
