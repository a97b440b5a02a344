/// The occasions: which are decided, which is next, how it failed, and how it can still sound.
struct Quarters {
  private(set) var schedule: Schedule
  private var decisions: Decisions
  /// The failure of the occasion that is still open.
  private(set) var failure: (occasion: Occasion, why: String, retryAt: Uptime)?
  /// An occasion that is open again after its melody was heard and cut off. The cut was reported:
  /// if the occasion stays silent after all, nothing more is reported.
  private(set) var cutOff: Occasion?

  /// - Parameter sounded: the latest occasion that sounded before the start.
  init(_ schedule: Schedule, at now: Instant, sounded: Instant? = nil) {
    self.schedule = schedule
    decisions = Decisions(at: now, every: schedule.interval, sounded: sounded)
  }

  /// The first that has not been decided yet.
  var next: Occasion { decisions.next(in: schedule) }

  /// The latest occasion that has sounded; nil if there was none, or the past is forgotten.
  var sounded: Instant? { decisions.sounded }

  mutating func change(_ schedule: Schedule, at now: Instant) {
    decisions.change(from: self.schedule, at: now)
    self.schedule = schedule
  }

  /// Notes what the clock shows now, and what it showed before it was set.
  mutating func clockShows(_ shown: Instant, before: Instant) {
    // An occasion that comes again has neither failed nor been cut off this time.
    if before - shown > Announcer.retryDelay {
      failure = nil
      cutOff = nil
    }
    decisions.clockShows(shown, before: before, every: schedule.interval)
  }

  mutating func decide(through last: Occasion) { decisions.decide(through: last, in: schedule) }

  mutating func reopen(_ occasion: Occasion) { decisions.reopen(occasion) }

  mutating func mark(cutOff occasion: Occasion) { cutOff = occasion }

  mutating func mark(sounded occasion: Occasion) { decisions.mark(sounded: occasion) }

  // MARK: What failed

  /// Reopens an occasion whose announcement could not be played.
  /// - Returns: true if it is the first time.
  mutating func retry(_ occasion: Occasion, _ why: String, at now: Now) -> Bool {
    let isFirst = failure?.occasion != occasion
    decisions.reopen(occasion)
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
