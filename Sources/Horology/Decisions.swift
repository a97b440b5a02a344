/// Remembers which occasions have been decided, even if the clock is set back over them.
struct Decisions: Sendable {
  /// Every occasion up to here has been decided, or had passed before the start.
  private var through: Instant
  /// The latest time that the clock has shown since the past was last forgotten.
  private var reached: Instant
  /// If the clock is set back to before this, it was wrong. It is an interval before `reached`: the
  /// longest that was configured since `reached` last changed.
  private var horizon: Instant
  /// How long decided occasions are remembered: twice the longest interval, because a reload may
  /// make the interval longer.
  private static let memory = Duration.seconds(2 * 3600)
  /// The decided occasions that the clock may reach again if it is set back.
  private var recent: [Instant] = []
  /// The latest occasion that has sounded; nil if there was none, or the past is forgotten.
  private(set) var sounded: Instant?

  /// - Parameter sounded: the latest occasion that sounded before the start. The clock may have
  ///   been set back since; then this occasion stays decided.
  init(at start: Instant, every interval: Interval, sounded: Instant? = nil) {
    through = start
    reached = max(start, sounded ?? start)
    horizon = reached - interval.duration
    if start < horizon {
      // The clock was wrong when it sounded.
      reached = start
      horizon = start - interval.duration
    } else if let sounded {
      self.sounded = sounded
      recent = [sounded]
    }
  }

  /// Notes that an occasion has sounded, unless the clock was wrong then.
  mutating func mark(sounded occasion: Occasion) {
    guard occasion.instant <= reached else { return }
    sounded = max(sounded ?? occasion.instant, occasion.instant)
  }

  /// The first occasion that has not been decided.
  func next(in schedule: Schedule) -> Occasion {
    var occasion = schedule.next(after: through)
    while recent.contains(occasion.instant) { occasion = schedule.next(after: occasion.instant) }
    return occasion
  }

  /// Decides every undecided occasion up to this one.
  mutating func decide(through last: Occasion, in schedule: Schedule) {
    // The interval may have been longer before: then a longer step back reaches them again.
    var occasion = schedule.next(after: max(through, last.instant - Self.memory))
    while occasion.instant < last.instant {
      if !recent.contains(occasion.instant) { recent.append(occasion.instant) }
      occasion = schedule.next(after: occasion.instant)
    }
    if !recent.contains(last.instant) { recent.append(last.instant) }
    through = last.instant
    // Occasions that the clock has yet to pass again are kept, however far it is set.
    let oldest = reached - Self.memory
    recent.removeAll { $0 < oldest && $0 <= through }
  }

  /// Takes another interval or zone. Its occasions that have already passed do not sound late. An
  /// old occasion that is still open stays open.
  mutating func change(from schedule: Schedule, at now: Instant) {
    through = max(through, min(now, next(in: schedule).instant - .nanoseconds(1)))
  }

  /// Opens a decided occasion again. Later ones that are decided stay so.
  mutating func reopen(_ occasion: Occasion) {
    through = min(through, occasion.instant - .nanoseconds(1))
    recent.removeAll { $0 == occasion.instant }
  }

  /// Notes what the clock shows now, and what it showed before it was set.
  ///
  /// If the clock is now more than an interval before the latest time it has shown, by one step or
  /// many, it was wrong before: all decisions are forgotten. Otherwise an occasion that comes again
  /// is open only if it was not decided.
  mutating func clockShows(_ shown: Instant, before: Instant, every interval: Interval) {
    reach(before, every: interval)
    if shown < horizon {
      // What was decided up to this time does not come again.
      through = max(through, recent.filter { $0 <= shown }.max() ?? through)
      recent = []
      sounded = nil
      reached = shown
      horizon = shown - interval.duration
    }
    reach(shown, every: interval)
    if shown < before { through = min(through, shown) }
  }

  private mutating func reach(_ shown: Instant, every interval: Interval) {
    if shown > reached {
      reached = shown
      horizon = shown - interval.duration
    }
    horizon = min(horizon, reached - interval.duration)
  }
}
