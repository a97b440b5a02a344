/// Notices that the clock was set, or that the machine slept.
extension Announcer {
  mutating func noticeStep(with event: Event, at now: Now) -> [Effect] {
    defer { previous = now }
    let jump = now.jump(since: previous)
    let step = now.step(since: previous)
    let sleep = now.sleep(since: previous)
    showed = now.instant - jump
    // The clock was set just before this event and is not judged yet: leave the step out.
    // Keep a sleep in: how far the clock is set back does not depend on sleeps.
    if alarmConditions.isTrusted, !owesAlarmsClock { alarms.note(now.instant - step) }
    quarters.note(now.instant, before: showed)
    // The clock may have passed the anchor of an announcement that is still unheard.
    let unheard = unheard(event)
    let showing = unheard.map { min(previous.instant, $0.begins - .nanoseconds(1)) } ?? showed
    stage.note(showing)
    var effects: [Effect] = []
    if step.magnitude >= Self.stepThreshold { effects.append(.report(.clockSet(by: step))) }
    if sleep >= Self.stepThreshold { effects.append(.report(.slept(for: sleep))) }
    // Small steps add up.
    keepEndOfMute(at: now)
    guard jump.magnitude >= Self.stepThreshold || !effects.isEmpty else { return [] }
    effects += noteTimers(
      wasSet: step.magnitude >= Self.stepThreshold, slept: sleep, at: now)
    // The player times by uptime. Only the sum of step and sleep matters to it.
    guard jump.magnitude >= Self.stepThreshold else { return effects }
    let reason: StopReason = step.magnitude >= Self.stepThreshold ? .clockSet : .slept
    if let playing, isFollowed(jump, by: playing, at: now) {
      stage.follow(by: jump)
    } else if let playing,
      showing >= playing.begins || now.instant >= playing.begins || canBeginAnew(playing, at: now)
    {
      effects += takeBack(reason, at: now, showing: showing)
    }
    // Any other chime is about to begin: the player still moves it with the clock.
    stage.shift(by: jump)
    if let playing,
      (showing >= playing.anchor && jump.magnitude > settings.lateLimit) || saysWrongTime(at: now)
    {
      // Already speaking: cut it only if the time is wrong now.
      effects += stage.stop(reason, at: now.uptime)
    }
    return effects
  }
}

/// Announcements that go on although the clock was set.
extension Announcer {
  /// The announcement with the turn, if this event says that nothing of it was heard yet; else nil.
  func unheard(_ event: Event) -> Announcement? {
    guard case .unheard(let sounding) = event, let playing, playing.id == sounding else {
      return nil
    }
    return playing
  }

  /// True if a sounding melody can follow this step: the player moves it with the clock, and there
  /// is time to move the blow of the hour too.
  func isFollowed(_ step: Duration, by announcement: Announcement, at now: Now) -> Bool {
    // The player may see several steps as one.
    let inAll = step + (stage.turn?.followed ?? .zero)
    return !announcement.programme.blows.isEmpty
      && max(step.magnitude, inAll.magnitude) <= Self.longestFollowedStep
      && now.instant - step >= announcement.begins
      && now.instant + rules.shortestLead <= announcement.anchor
  }
}

/// Words that are still to come.
extension Announcer {
  /// True if the clock was set after the anchor of an occasion so that the words after its blows
  /// will be wrong when they come.
  func saysWrongTime(at now: Now) -> Bool {
    guard let turn = stage.turn, turn.hasReachedAnchor, case .occasion = turn.announcement.cause,
      case .at(let offset) = turn.announcement.programme.words
    else { return false }
    let begins = turn.announcement.anchor + offset + turn.shift
    return now.instant < begins
      && zone.civil(at: begins).minuteOfDay != turn.announcement.time.minuteOfDay
  }
}
