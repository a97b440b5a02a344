/// Silence by the switch or by a mute.
extension Announcer {
  /// Takes the switch as it is at the start, before the first event. If it silences, rings from
  /// before the start end; nothing else is decided yet.
  public mutating func start(with ringer: Ringer) -> [Effect] {
    take(ringer, at: previous.uptime, previous)
  }

  mutating func take(_ ringer: Ringer, at moment: Uptime, _ now: Now) -> [Effect] {
    guard ringer != self.ringer else { return [] }
    rules.ringer = ringer
    let reason: StopReason = if case .lost = ringer { .switchLost } else { .muted }
    var effects: [Effect] = []
    if rules.timersAreHeldBack {
      effects = timers.recallCues(reason)
    } else if rules.refusalOfTimers != nil {
      effects = silenceTimers(reason, at: moment, now)
    }
    if ruledOutBySwitch, let turn = stage.turn {
      // Silence comes first, the report after it. An announcement that has not begun is reopened,
      // in case the switch is put back before its instant.
      let takenBack = stage.isHeard(at: now) ? [] : takeBack(reason, at: now)
      effects += takenBack
      if takenBack.isEmpty && !turn.isTakenBack { effects += stage.stop(reason, at: moment) }
    }
    return effects + [.report(.ringer(ringer))]
  }

  mutating func take(_ mute: SoftwareMute, at now: Now) -> [Effect] {
    // A repeated mute still silences an answer.
    guard
      mute != self.mute
        || (mute == .on && (playing != nil || timers.isSounding || alarms.isRinging))
    else {
      return []
    }
    rules.mute = mute
    if case .until(let end) = mute {
      muteEndsSinceBoot = now.sinceBoot + (end - now.instant)
    } else {
      muteEndsSinceBoot = nil
    }
    var silenced: [Effect] = []
    if mute != .off && mute != .next {
      silenced = silenceTimers(.softwareMuted, at: now.uptime, now)
    }
    let report = Effect.report(reportOfMute)
    guard mute != .off, let turn = stage.turn, !turn.isTakenBack else { return silenced + [report] }
    // A sounding or requested announcement is not the next occasion.
    let isNext = !stage.isHeard(at: now) && turn.announcement.cause.isOccasion
    if mute == .next && !isNext { return [report] }
    silenced +=
      isNext ? takeBack(.softwareMuted, at: now) : stage.stop(.softwareMuted, at: now.uptime)
    return silenced + [report]
  }

  mutating func endMute(at now: Now) -> [Effect] {
    guard case .until(let end) = mute, now.instant >= end else { return [] }
    return unmute()
  }

  /// Moves the end of a mute for a duration when the clock is set: it ends when the duration is
  /// over.
  mutating func keepEndOfMute(at now: Now) {
    guard case .until(let named) = mute, let muteEndsSinceBoot else { return }
    let end = now.instant + (muteEndsSinceBoot - now.sinceBoot)
    if (end - named).magnitude >= Self.stepThreshold { rules.mute = .until(end) }
  }

  mutating func unmute() -> [Effect] {
    rules.mute = .off
    muteEndsSinceBoot = nil
    return [.report(reportOfMute)]
  }
}
