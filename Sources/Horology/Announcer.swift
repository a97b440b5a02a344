/// Decides what sounds and when; nothing else does.
///
/// A pure state machine: it is given events and the time, and answers with effects. Each
/// occasion is decided exactly once, whatever the clock does.
public struct Announcer {
  /// How long before its anchor an announcement is handed to the player, so that the device can
  /// be opened and run on silence first: a sound server may take two seconds to start its stream,
  /// some devices take three to open.
  public static let preparation = Duration.seconds(5)
  /// A chime needs so much until its first blow: as long as some devices take to open.
  public static let chimePreparation = Duration.seconds(3)
  /// The least of the same for what is to sound at once.
  public static let requestLead = Duration.milliseconds(400)
  /// A blow that is later than this is too late: more than readings jitter, less than is heard.
  public static let latestBlow = Duration.milliseconds(10)
  /// How long after a failure the device is tried again.
  public static let retryDelay = Duration.seconds(1)
  /// Differences of the two clocks below this are their reading, not a step.
  public static let stepThreshold = Duration.milliseconds(50)
  /// A melody that sounds goes on through a step up to this, and its blows to come are moved with
  /// the clock. It is about as long as from one note to the next, so that none is overtaken.
  public static let longestFollowedStep = Duration.milliseconds(500)

  public private(set) var settings: AnnouncerSettings
  public private(set) var trust: ClockTrust
  public private(set) var ringer: Ringer
  public private(set) var mute: SoftwareMute
  /// What sounds, or is about to.
  public private(set) var playing: Announcement?
  /// The service ends: no further occasion is decided.
  private var isEnding = false
  /// How many there have been.
  private var soundings = 0
  /// What plays is being stopped before its anchor, and its occasion is open again.
  private var isTakenBack = false
  /// When what stops it came about: the first, should several.
  private var stoppedAt: Uptime?

  private(set) var schedule: Schedule
  private var decisions: Decisions
  /// When a mute for a span of time ends, since the machine started, sleep included; nil of one
  /// that ends at the instant that it names, however the clock is set.
  public private(set) var muteEndsSinceBoot: Duration?
  private var previous: Now
  /// The failure of the occasion that is still open.
  private var failure: (occasion: Occasion, why: String, retryAt: Uptime)?

  /// Occasions before `now` are past: after a start only later ones sound.
  /// - Parameters:
  ///   - mute: as it was before the start. The clock may have been set since.
  ///   - muteEndsSinceBoot: when it ends, if it is for a span of time and the machine has not
  ///     started since.
  public init(
    settings: AnnouncerSettings, zone: any Zone, trust: ClockTrust, ringer: Ringer = .absent,
    mute: SoftwareMute = .off, muteEndsSinceBoot: Duration? = nil, at now: Now
  ) {
    self.settings = settings
    self.trust = trust
    self.ringer = ringer
    self.mute = mute
    schedule = Schedule(interval: settings.interval, zone: zone)
    self.muteEndsSinceBoot = muteEndsSinceBoot
    decisions = Decisions(at: now.instant)
    previous = now
    keepEndOfMute(at: now)
  }

  /// The first occasion that has not been decided yet.
  public var next: Occasion { decisions.next(in: schedule) }

  /// The zone whose civil time is announced.
  public var zone: any Zone { schedule.zone }

  /// Takes one event in. The last effect is always the next wake-up.
  public mutating func handle(_ event: Event, at now: Now) -> [Effect] {
    var effects = noticeStep(at: now)
    switch event {
    case .woke, .clockSet:
      break
    case .zoneChanged(let zone):
      effects += change(settings, zone, .none, at: now)
    case .reloaded(let settings, let sound):
      effects += change(settings, zone, sound, at: now)
    case .trust(let trust):
      if trust != self.trust { effects.append(.report(.trust(trust))) }
      self.trust = trust
    case .ringer(let ringer, let moment):
      effects += turn(ringer, at: moment, now)
    case .mute(let mute):
      effects += turn(mute, at: now)
    case .asked(let time, let speakerIsAwake):
      effects.append(answer(time, within: speakerIsAwake ? Self.requestLead : lead, at: now))
    case .stop(let reason):
      if reason == .serviceEnds { isEnding = true }
      if let playing, isEnded(playing, by: reason, at: now) {
        effects.append(stop(playing, reason, at: now.uptime))
      }
    case .ended(let sounding, let outcome):
      if sounding == playing?.id { effects += end(with: outcome, at: now) }
    }
    return effects + settle(at: now)
  }

  // MARK: The clock was set

  private mutating func noticeStep(at now: Now) -> [Effect] {
    defer { previous = now }
    let jump = now.jump(since: previous)
    let showed = now.instant - jump
    decisions.note(now.instant, before: showed, every: settings.interval)
    guard jump.magnitude >= Self.stepThreshold else { return [] }
    var effects: [Effect] = [.report(.clockSet(by: jump))]
    keepEndOfMute(at: now)
    if let announcement = playing, !isFollowed(jump, by: announcement, at: now),
      showed >= announcement.begins || now.instant >= announcement.begins
        || canBeginAnew(announcement, at: now)
    {
      effects += takeBack(.clockSet, at: now, showing: showed)
    }
    // Any other chime is about to begin: the player still moves it with the clock.
    if let announcement = playing, showed >= announcement.anchor,
      jump.magnitude > settings.lateLimit
    {
      // Already speaking: cut it only if the step made the time wrong.
      effects.append(stop(announcement, .clockSet, at: now.uptime))
    }
    return effects
  }

  /// Cancels an announcement that has not reached its anchor and reopens its occasion.
  /// - Parameter showing: what the clock shows by the reckoning in which the anchor was set.
  private mutating func takeBack(
    _ reason: StopReason, at now: Now, showing: Instant? = nil
  ) -> [Effect] {
    guard let announcement = playing, showing ?? now.instant < announcement.anchor, !isTakenBack
    else { return [] }
    if case .occasion(let occasion) = announcement.cause {
      decisions.reopen(occasion)
      isTakenBack = true
    }
    return [stop(announcement, reason, at: now.uptime)]
  }

  /// True if there is time to prepare once more what is not heard yet. A chime for which there is
  /// none would come back as words alone.
  private func canBeginAnew(_ announcement: Announcement, at now: Now) -> Bool {
    let preparation = announcement.programme.blows.isEmpty ? .zero : Self.chimePreparation
    return now.instant + preparation <= announcement.begins
  }

  private mutating func stop(
    _ announcement: Announcement, _ reason: StopReason, at moment: Uptime
  ) -> Effect {
    stoppedAt = stoppedAt ?? moment
    return .stop(announcement.id, reason)
  }

  // MARK: The rules are changed

  /// Takes other rules, and takes back what they say something else of.
  private mutating func change(
    _ settings: AnnouncerSettings, _ zone: any Zone, _ sound: SoundChange, at now: Now
  ) -> [Effect] {
    let before = playing.map(ruling)
    self.settings = settings
    decisions.change(from: schedule, at: now.instant)
    schedule = Schedule(interval: settings.interval, zone: zone)
    guard let playing else { return [] }
    let isMadeAnew =
      sound == .sound
      || canBeginAnew(playing, at: now)
        && (sound == .speaker || decibels(at: playing.anchor) != playing.decibels)
    return isMadeAnew || ruling(on: playing) != before ? takeBack(.rulesChanged, at: now) : []
  }

  // MARK: The switch

  private mutating func turn(_ ringer: Ringer, at moment: Uptime, _ now: Now) -> [Effect] {
    guard ringer != self.ringer else { return [] }
    self.ringer = ringer
    var effects: [Effect] = []
    if isSilencedBySwitch, let playing {
      // Silence first, words after. What has not begun is open again, should the switch be put
      // back before its instant.
      if now.instant < playing.begins { effects = takeBack(.muted, at: now) }
      if effects.isEmpty && !isTakenBack { effects = [stop(playing, .muted, at: moment)] }
    }
    return effects + [.report(.ringer(ringer))]
  }

  private mutating func turn(_ mute: SoftwareMute, at now: Now) -> [Effect] {
    guard mute != self.mute else { return [] }
    self.mute = mute
    if case .until(let end) = mute {
      muteEndsSinceBoot = now.sinceBoot + (end - now.instant)
    } else {
      muteEndsSinceBoot = nil
    }
    let report = Effect.report(reportOfMute)
    guard mute != .off, let playing, !isTakenBack else { return [report] }
    // What sounds, or was asked for, is not the next occasion.
    let isNext = now.instant < playing.begins && playing.cause != .request
    if mute == .next && !isNext { return [report] }
    return isNext
      ? takeBack(.softwareMuted, at: now) + [report]
      : [stop(playing, .softwareMuted, at: now.uptime), report]
  }

  // MARK: It begins

  /// Of what is begun next.
  var newID: SoundingID { SoundingID(soundings + 1) }

  mutating func begin(_ announcement: Announcement) -> Effect {
    soundings += 1
    var announcement = announcement
    announcement.decibels = decibels(at: announcement.anchor)
    playing = announcement
    isTakenBack = false
    stoppedAt = nil
    return .play(announcement)
  }

  /// How loud something is that sounds then.
  private func decibels(at instant: Instant) -> Double {
    settings.quieter.decibels(at: zone.civil(at: instant))
  }

  // MARK: What played has ended

  private mutating func end(with outcome: Outcome, at now: Now) -> [Effect] {
    guard let announcement = playing else { return [] }
    playing = nil
    switch (outcome, announcement.cause) {
    case (.finished(let timing), _):
      return [.report(.announced(announcement, timing))]
    case (.stopped(let reason, let silentAt?), _):
      return [.report(.cutOff(announcement, reason, after: silentAt - (stoppedAt ?? silentAt)))]
    case (.stopped(let reason, nil), .request):
      return [.report(.refused(.stopped(reason)))]
    case (.stopped(let reason, nil), .occasion(let occasion)):
      return isTakenBack ? [] : skip(occasion, .stopped(reason))
    case (.failed(let why, _), .request):
      return [.report(.refused(.failed(why)))]
    case (.tooLate(let delay), .request):
      return [answerAnew(announcement, after: delay, at: now)]
    case (.failed(let why, let begun), .occasion(let occasion)):
      return isTakenBack ? [] : retry(occasion, why, begun: begun, at: now)
    case (.tooLate(let delay), .occasion(let occasion)):
      return isTakenBack ? [] : retry(occasion, Self.tooLate(delay), begun: false, at: now)
    }
  }

  private mutating func retry(
    _ occasion: Occasion, _ why: String, begun: Bool, at now: Now
  ) -> [Effect] {
    guard !begun && now.instant < passing(of: occasion) else {
      return skip(occasion, .failed(why))
    }
    let isFirst = failure?.occasion != occasion
    decisions.reopen(occasion)
    failure = (occasion, why, now.uptime + Self.retryDelay)
    return isFirst ? [.report(.retrying(occasion, why))] : []
  }

  private mutating func skip(
    _ first: Occasion, through last: Occasion? = nil, _ reason: SkipReason
  ) -> [Effect] {
    let report = Effect.report(.skipped(from: first, through: last ?? first, reason))
    // A mute of the next occasion has had its occasion.
    return reason == .softwareMuted && mute == .next ? [report] + unmute() : [report]
  }

  /// True if this is a reason to end what plays, as things are now.
  private func isEnded(_ playing: Announcement, by reason: StopReason, at now: Now) -> Bool {
    let isHeard = now.instant >= playing.begins
    switch reason {
    // What is not heard yet is the next occasion, which sounds.
    case .byHand: return isHeard || playing.cause == .request
    case .serviceEnds: return !isHeard || settings.atStop == .fade
    default: return true
    }
  }

  // MARK: Occasions

  /// Decides every occasion that is due, and says when to wake next.
  private mutating func settle(at now: Now) -> [Effect] {
    var effects = endMute(at: now)
    while true {
      let occasion = next
      let programme = settings.programme(at: occasion.civil, trust: trust)
      let due = occasion.instant - programme.lead - Self.preparation
      guard now.instant >= due, !isEnding else { return effects + [wake(at: due)] }

      if now.instant >= passing(of: occasion) {
        let last = schedule.last(atOrBefore: lastToPass(at: now))
        let reason = reasonForMissing(occasion, through: last, at: now)
        effects += skip(occasion, through: last, reason)
        decisions.decide(through: last, in: schedule)
        continue
      }
      if let refusal = refusal(of: occasion) {
        // Until its instant the switch may still be put on, and a mute be taken back.
        if refusal.mayEndInTime && now.instant < occasion.instant {
          return effects + [wake(at: occasion.instant)]
        }
        effects += skip(occasion, refusal)
        decisions.decide(through: occasion, in: schedule)
        continue
      }
      if playing != nil {
        return effects + [wake(at: passing(of: occasion) + .milliseconds(1))]
      }
      if let failure, failure.occasion == occasion, now.uptime < failure.retryAt {
        return effects + [wake(at: now.instant + (failure.retryAt - now.uptime))]
      }
      decisions.decide(through: occasion, in: schedule)
      guard let announcement = announcement(of: occasion, programme, at: now) else {
        effects += skip(occasion, failureReason(of: occasion) ?? .tooLateForChime)
        continue
      }
      effects.append(begin(announcement))
    }
  }

  private func wake(at instant: Instant) -> Effect {
    guard case .until(let end) = mute else { return .wake(at: instant) }
    return .wake(at: min(instant, end))
  }

  private mutating func endMute(at now: Now) -> [Effect] {
    guard case .until(let end) = mute, now.instant >= end else { return [] }
    return unmute()
  }

  /// A mute for a span of time ends when that has passed, whatever the clock says then.
  private mutating func keepEndOfMute(at now: Now) {
    guard case .until(let named) = mute, let muteEndsSinceBoot else { return }
    let end = now.instant + (muteEndsSinceBoot - now.sinceBoot)
    if (end - named).magnitude >= Self.stepThreshold { mute = .until(end) }
  }

  private mutating func unmute() -> [Effect] {
    mute = .off
    muteEndsSinceBoot = nil
    return [.report(reportOfMute)]
  }

  /// What can still be made of an occasion: a chime is never late, words may be; nil if nothing is
  /// left.
  private func announcement(
    of occasion: Occasion, _ programme: Programme, at now: Now
  ) -> Announcement? {
    let anchor =
      now.instant < occasion.instant ? occasion.instant : now.instant + lead
    let latestWords = occasion.instant + max(settings.lateLimit, Self.latestBlow)
    let isInTime =
      programme.blows.isEmpty
      || now.instant + Self.chimePreparation <= occasion.instant - programme.lead
    if isInTime {
      let latest = programme.blows.isEmpty ? latestWords : anchor + Self.latestBlow
      return Announcement(
        newID, cause: .occasion(occasion), time: occasion.civil, anchor: anchor, latest: latest,
        programme: programme)
    }
    guard programme.words != .none else { return nil }
    return Announcement(
      newID, cause: .occasion(occasion), time: occasion.civil, anchor: anchor, latest: latestWords,
      programme: .wordsAlone, isShortened: true)
  }

  /// What the speaker has said, if it has failed this occasion.
  private func failureReason(of occasion: Occasion) -> SkipReason? {
    guard let failure, failure.occasion == occasion else { return nil }
    return .failed(failure.why)
  }

  private func reasonForMissing(
    _ first: Occasion, through last: Occasion, at now: Now
  ) -> SkipReason {
    if first == last {
      if let refusal = refusal(of: first) { return refusal }
      if let reason = failureReason(of: first) { return reason }
      if playing != nil && !isTakenBack { return .busy }
    }
    return .late(now.instant - first.instant)
  }
}
