/// The occasions: which is next, how it failed, and how it can still sound.
struct Quarters {
  /// Every occasion up to here has been decided; nil if none was since the clock was wrong.
  private var decided: Instant?
  /// Where nothing is decided, occasions up to here have passed and do not sound.
  private var passed: Instant
  /// The latest time that the clock has shown since it was wrong.
  private var reached: Instant
  /// What the clocks showed when they were last read.
  private var previous: Now
  private var failure: (occasion: Occasion, why: String, retryAt: Uptime)?

  init(at start: Now) {
    (passed, reached) = (start.instant, start.instant)
    previous = start
  }

  private var through: Instant { max(passed, decided ?? passed) }

  func next(_ schedule: Schedule) -> Occasion { schedule.next(after: through) }

  mutating func decide(through last: Occasion) { decided = last.instant }

  /// Ends a schedule. Occasions of the next one that have already passed do not sound late; an old
  /// one that is still open stays open.
  mutating func end(_ old: Schedule, at now: Instant) {
    passed = max(passed, min(now, next(old).instant - .nanoseconds(1)))
  }

  /// Opens a decided occasion again, and all after it.
  mutating func reopen(_ occasion: Occasion) {
    let before = occasion.instant - .nanoseconds(1)
    passed = min(passed, before)
    decided = decided.map { min($0, before) }
  }

  /// Notes what the clocks show.
  ///
  /// If the clock is more than an interval before the latest time it has shown, by one step or many,
  /// it was wrong before, and all decisions are forgotten.
  /// - Returns: by how much it was set since it was last read, and how long the machine slept.
  @discardableResult
  mutating func clocksShow(_ now: Now, _ interval: Interval) -> (step: Duration, sleep: Duration) {
    defer { previous = now }
    let (step, sleep) = (now.step(since: previous), now.sleep(since: previous))
    let shown = now.instant
    // What it would show had it not just moved.
    reached = max(reached, shown - (step + sleep))
    if reached - shown > interval.duration {
      passed = min(through, shown)
      decided = nil
      reached = shown
      failure = nil
    }
    reached = max(reached, shown)
    passed = min(passed, shown)
    return (step, sleep)
  }

  // MARK: What failed

  /// Reopens an occasion whose announcement could not be played.
  /// - Returns: true if it is the first time.
  mutating func retry(_ occasion: Occasion, _ why: String, at now: Now) -> Bool {
    let isFirst = failure?.occasion != occasion
    reopen(occasion)
    failure = (occasion, why, now.uptime + Announcer.retryDelay)
    return isFirst
  }

  /// When an occasion that has failed is tried again; nil if it can be tried now.
  func retry(of occasion: Occasion, after now: Now) -> Instant? {
    guard let failure, failure.occasion == occasion, now.uptime < failure.retryAt else {
      return nil
    }
    return now.instant + (failure.retryAt - now.uptime)
  }

  /// The failure of the speaker at this occasion, as a reason to skip it; nil if it has not failed.
  func failureReason(of occasion: Occasion) -> SkipReason? {
    guard let failure, failure.occasion == occasion else { return nil }
    return .failed(failure.why)
  }

  // MARK: What sounds

  static func due(_ occasion: Occasion, _ rules: Rules) -> Instant {
    occasion.instant - rules.programme(of: occasion).lead - rules.preparation
  }

  /// Without its chime if there is no time left for that; nil if nothing is left to sound.
  static func announcement(
    _ id: SoundingID, of occasion: Occasion, _ rules: Rules, at now: Now
  ) -> Announcement? {
    let programme = rules.programme(of: occasion)
    let anchor =
      now.instant < occasion.instant ? occasion.instant : now.instant + rules.lead
    let isInTime =
      programme.blows.isEmpty
      || now.instant + rules.chimePreparation <= occasion.instant - programme.lead
    guard isInTime || programme.words != .none else { return nil }
    let hasBlows = isInTime && !programme.blows.isEmpty
    return Announcement(
      id, cause: .occasion(occasion), time: occasion.civil, anchor: anchor,
      latest: hasBlows ? anchor + Announcer.latestBlow : rules.latestWords(of: occasion),
      programme: isInTime ? programme : .wordsAlone, isShortened: !isInTime)
  }
}
