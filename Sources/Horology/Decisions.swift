/// Which occasions have been decided, by what the clock has shown.
struct Decisions: Sendable {
  /// Every occasion up to here has been decided, or had passed before the start.
  private var through: Instant
  /// The latest that the clock has shown since its past was last forgotten.
  private var reached: Instant
  /// Set back to before this, the clock was wrong: an interval before what it has reached, by the
  /// longest interval that has counted since then.
  private var horizon: Instant
  /// For so long, twice the longest interval there is: the one that counts may become longer.
  private static let memory = Duration.seconds(2 * 3600)
  /// Those that have been decided, and that a clock which is set back may come to again.
  private var recent: [Instant] = []

  init(at start: Instant, every interval: Interval) {
    through = start
    reached = start
    horizon = start - interval.duration
  }

  /// The first occasion that has not been decided.
  func next(in schedule: Schedule) -> Occasion {
    var occasion = schedule.next(after: through)
    while recent.contains(occasion.instant) { occasion = schedule.next(after: occasion.instant) }
    return occasion
  }

  /// Decides every occasion that has not been decided up to this one.
  mutating func decide(through last: Occasion, in schedule: Schedule) {
    let first = max(through, last.instant - schedule.interval.duration)
    for occasion in schedule.occasions(from: first + .nanoseconds(1)) {
      guard occasion.instant <= last.instant else { break }
      recent.append(occasion.instant)
    }
    through = last.instant
  }

  /// The occasions will be others: those that have passed were none while they passed. What is
  /// still open of the old ones stays open.
  mutating func change(from schedule: Schedule, at now: Instant) {
    through = max(through, min(now, next(in: schedule).instant - .nanoseconds(1)))
  }

  /// Opens an occasion that was decided, and every later one.
  mutating func reopen(_ occasion: Occasion) {
    through = min(through, occasion.instant - .nanoseconds(1))
    recent.removeAll { $0 >= occasion.instant }
  }

  /// Takes in what the clock shows, and what it showed before it was set. More than an interval
  /// behind what it has reached, by one step or by many, it was wrong before: its past is
  /// forgotten. Else an occasion that comes again is open only if it was not decided.
  mutating func note(_ shown: Instant, before: Instant, every interval: Interval) {
    reach(before, every: interval)
    if shown < horizon {
      recent = []
      reached = shown
      horizon = shown - interval.duration
    }
    reach(shown, every: interval)
    if shown < before { through = min(through, shown) }
    // Those that the clock has still to pass again are not forgotten, however far it is set.
    recent.removeAll { $0 < reached - Self.memory && $0 <= through }
  }

  private mutating func reach(_ shown: Instant, every interval: Interval) {
    if shown > reached {
      reached = shown
      horizon = shown - interval.duration
    }
    horizon = min(horizon, reached - interval.duration)
  }
}
