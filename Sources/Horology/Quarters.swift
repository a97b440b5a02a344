/// The occasions: which are decided, even if the clock is set back over them, which is next, how it
/// failed, and how it can still sound.
struct Quarters {
  private(set) var schedule: Schedule
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
  /// The failure of the occasion that is still open.
  private var failure: (occasion: Occasion, why: String, retryAt: Uptime)?
  /// An occasion that is open again after its melody was heard and cut off. The cut was reported:
  /// if the occasion stays silent after all, nothing more is reported.
  private(set) var cutOff: Occasion?

  /// - Parameter sounded: the latest occasion that sounded before the start. The clock may have
  ///   been set back since; then this occasion stays decided.
  init(_ schedule: Schedule, at start: Instant, sounded: Instant? = nil) {
    self.schedule = schedule
    through = start
    reached = max(start, sounded ?? start)
    horizon = reached - schedule.interval.duration
    if start < horizon {
      // The clock was wrong when it sounded.
      reached = start
      horizon = start - schedule.interval.duration
    } else if let sounded {
      self.sounded = sounded
      recent = [sounded]
    }
  }

  /// The first that has not been decided yet.
  var next: Occasion {
    var occasion = schedule.next(after: through)
    while recent.contains(occasion.instant) { occasion = schedule.next(after: occasion.instant) }
    return occasion
  }

  /// Notes that an occasion has sounded, unless the clock was wrong then.
  mutating func mark(sounded occasion: Occasion) {
    guard occasion.instant <= reached else { return }
    sounded = max(sounded ?? occasion.instant, occasion.instant)
  }

  mutating func mark(cutOff occasion: Occasion) { cutOff = occasion }

  /// Decides every undecided occasion up to this one.
  mutating func decide(through last: Occasion) {
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
  mutating func change(_ schedule: Schedule, at now: Instant) {
    through = max(through, min(now, next.instant - .nanoseconds(1)))
    self.schedule = schedule
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
  mutating func clockShows(_ shown: Instant, before: Instant) {
    // An occasion that comes again has neither failed nor been cut off this time.
    if before - shown > Announcer.retryDelay {
      failure = nil
      cutOff = nil
    }
    reach(before)
    if shown < horizon {
      // What was decided up to this time does not come again.
      through = max(through, recent.filter { $0 <= shown }.max() ?? through)
      recent = []
      sounded = nil
      reached = shown
      horizon = shown - schedule.interval.duration
    }
    reach(shown)
    if shown < before { through = min(through, shown) }
  }

  private mutating func reach(_ shown: Instant) {
    let interval = schedule.interval.duration
    if shown > reached {
      reached = shown
      horizon = shown - interval
    }
    horizon = min(horizon, reached - interval)
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

  /// When an occasion is handed to the player.
  static func due(_ occasion: Occasion, _ rules: Rules) -> Instant {
    occasion.instant - rules.programme(of: occasion).lead - rules.preparation
  }

  /// Makes the announcement of an occasion: without its chime if there is no time left for that,
  /// and nil if nothing is left to sound.
  static func announcement(
    _ id: SoundingID, of occasion: Occasion, _ rules: Rules, at now: Now
  ) -> Announcement? {
    let programme = rules.programme(of: occasion)
    let anchor =
      now.instant < occasion.instant ? occasion.instant : now.instant + rules.lead
    let isInTime =
      programme.blows.isEmpty
      || now.instant + rules.chimePreparation <= occasion.instant - programme.lead
    if isInTime {
      let latest =
        programme.blows.isEmpty
        ? rules.latestWords(of: occasion) : anchor + Announcer.latestBlow
      return Announcement(
        id, cause: .occasion(occasion), time: occasion.civil, anchor: anchor, latest: latest,
        programme: programme)
    }
    guard programme.words != .none else { return nil }
    return Announcement(
      id, cause: .occasion(occasion), time: occasion.civil, anchor: anchor,
      latest: rules.latestWords(of: occasion), programme: .wordsAlone, isShortened: true)
  }
}
