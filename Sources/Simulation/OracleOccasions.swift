import Glibc
import Horology

/// Judges what the clock passes, and what the service reports of it.
extension Oracle {
  mutating func started(_ moment: Moment) {
    clock.start(moment)
    ledger.end()
    isEnding = false
    passing.start(moment.shown, Int64(rules.interval) * minute)
    lastAnchor = nil
    lastPlayed = 0
    decided = moment
    timers.start(moment)
    // The zone may have changed while the service did not run, or just before.
    if let before = timers.savedFace, before.name != face.name {
      alarmsMove(from: before, isStart: true, moment)
    }
    for (source, entry) in timers.entries where entry.rings != nil {
      ledger.owe(.ringsOn(source))
    }
    mute.look(moment)
    lever.tell(.absent)
    noteSilence(moment)
    disturbed(.service, moment)
  }

  mutating func ended(_ moment: Moment) {
    mute.end(moment)
    passing.open = []
    passing.previous = nil
    played = nil
    silentBy = nil
    ledger.end()
    disturbed(.service, moment)
  }

  mutating func saved(_ moment: Moment) {
    mute.save()
    // By `decided`: the service may not have noticed yet that the clock was set.
    timers.save(decided, face)
  }

  mutating func powerCame(_ moment: Moment) {
    mute.powerCame(moment)
    timers.powerCame()
  }

  // MARK: The clock

  /// The service looks at its clocks.
  /// - Parameter hasBegun: the player has decided where in its queue the announcement begins.
  mutating func looked(_ moment: Moment, uptime: Int64, isBusy: Bool, hasBegun: Bool) {
    defer { passing.previous = (moment, uptime) }
    self.isBusy = isBusy
    let wasMuted = mute.state
    mute.look(moment)
    if mute.state != wasMuted { disturbed(.mute, moment) }
    guard let previous = passing.previous else { return }
    let elapsed = moment.elapsed - previous.moment.elapsed
    noteStep(
      moment.shown - previous.moment.shown - elapsed, elapsed - (uptime - previous.uptime), moment)
    let showed = previous.moment.shown + uptime - previous.uptime
    let isAsBefore = abs(moment.shown - showed) < 50 * millisecond
    pass(previous.moment.shown, showed, moment)
    // Time that a step skips has not passed: nothing that waits was heard in it.
    if let played, played.isOpen, uptime > previous.uptime,
      hasBegun || played.hasBegun || isAsBefore, showed >= played.announcement.anchor.shown
    {
      self.played?.hasShownAnchor = true
    }
    let interval = Int64(rules.interval) * minute
    passing.reach(showed, interval)
    if moment.shown < passing.horizon {
      // The clock was wrong before: the past is forgotten.
      passing.forget(moment)
      // An occasion that is being taken back is still open, and so are all later ones.
      let open = isBusy && played?.isTakenBack == true ? played?.announcement.occasion : nil
      passing.lowest = min(moment.shown, open ?? .max)
    }
    passing.reach(moment.shown, interval)
    passing.lowest = min(passing.lowest, moment.shown)
    if moment.shown > showed {
      pass(showed, moment.shown, moment)
    } else if moment.shown < showed {
      passing.lastBackStep = moment.elapsed
      if showed - moment.shown > second { ledger.forgetFailures() }
      passing.nextOccasion = nil
      passing.open.removeAll { $0.occasion > moment.shown }
    }
  }

  /// Notes a step or a sleep that is reported. Two readings may differ by smaller ones.
  private mutating func noteStep(_ step: Int64, _ sleep: Int64, _ moment: Moment) {
    if abs(step) >= 50 * millisecond {
      ledger.owe(.clockSet(step))
      timers.clockWasSet(moment)
      timers.stepIsNoticed(moment)
    } else {
      timers.slip(step)
    }
    if sleep >= 50 * millisecond { ledger.owe(.slept(sleep)) }
  }

  private mutating func pass(_ from: Int64, _ to: Int64, _ moment: Moment) {
    if let next = passing.nextOccasion, to < next { return }
    for occasion in face.occasions(after: from, through: to, rules)
    where !passing.accounted.contains(occasion) && occasion != passing.cutOff {
      passing.open.append(.init(occasion: occasion, at: moment.elapsed))
    }
    passing.nextOccasion = face.occasions(after: to, through: to + 3 * hour, rules, most: 1).first
  }

  /// The service checked itself while its wake-up was lost.
  mutating func pulse(isAlive: Bool, wakeUp: Int64?, _ moment: Moment) {
    let isMissed = wakeUp.map { moment.shown - $0 > 5 * second } ?? true
    if isAlive && isMissed { violated(.wakes, "the dead is taken for living", moment) }
  }

  // MARK: The switch and the mute

  /// - Parameter isHeld: the loop is held up, and sees it later.
  mutating func edge(_ isActive: Bool, isHeld: Bool, _ moment: Moment) {
    lever.edge(isActive, isHeld: isHeld, moment)
    if isActive && !isHeld && lever.isRead { switchSilences(moment) }
  }

  /// The loop is no longer held up.
  mutating func released(after span: Int64, _ moment: Moment) {
    if span > millisecond { disturbed(.hold, moment, length: span) }
    if lever.release(moment) { switchSilences(moment) }
  }

  /// The switch was turned off, or is lost: the sounds that it silences end.
  private mutating func switchSilences(_ moment: Moment) {
    let end = moment.elapsed + Self.fade
    if isRuledBySwitch { mustBeSilent(by: end) }
    if rules.silences == .everything { timers.mustBeSilent(nil, by: end) }
  }

  /// False if the player has a timer's words, and the switch does not silence timers.
  var isRuledBySwitch: Bool {
    guard case .timer? = played?.announcement.cause else { return true }
    return rules.silences == .everything
  }

  mutating func lostSwitch(_ moment: Moment) { lever.set(lost: true, moment) }

  mutating func tookContact(isLost: Bool, _ moment: Moment) {
    lever.take(isLost: isLost, moment)
  }

  mutating func told(_ ringer: Ringer, _ moment: Moment) {
    turned(to: ringer, moment)
    noteSilence(moment)
    if isSilencedBySwitch { switchSilences(moment) }
    if areTimersSilenced { switchSilencesTimers(.lever, moment) }
  }

  /// The service knows another state of the switch from now on.
  mutating func turned(to ringer: Ringer, _ moment: Moment) {
    if lever.bounces(ringer, moment) {
      violated(.muted, "it is unmuted within the debounce time", moment)
    }
    lever.tell(ringer)
    ledger.owe(.ringer(ringer))
    disturbed(.lever, moment)
  }

  var isSilencedBySwitch: Bool {
    switch lever.told {
    case .absent, .on: false
    case .off: true
    case .lost: rules.whenLost == .mute
    }
  }

  mutating func noteSilence(_ moment: Moment) {
    lever.note(isSilent: isSilencedBySwitch, moment)
  }

  mutating func muted(_ mute: SoftwareMute, _ moment: Moment) {
    disturbed(.mute, moment)
    self.mute.look(moment)
    if self.mute.isOther(mute) { ledger.owe(.mute) }
    self.mute.take(mute, moment, readings(moment))
    if mute != .off && mute != .next { silencesTimers(.mute, moment) }
    guard mute != .off, let played else { return }
    // An announcement that sounds, or was asked for, is not the next occasion.
    let begins = begins(played.announcement)
    let isNext =
      heard == nil && readings(moment).allSatisfy { $0 < begins }
      && played.announcement.occasion != nil
    if mute != .next || isNext { mustBeSilent(by: moment.elapsed + Self.fade) }
  }

  // MARK: Requests

  mutating func asked(_ time: CivilTime?, _ moment: Moment) {
    asked = time
    askedAt = moment
    ledger.owe(.answer)
  }

  mutating func answered(_ announcement: Announcement, _ moment: Moment) {
    askedFor = asked
    if announcement.occasion != nil {
      violated(.complete, "who asks is promised an occasion", moment)
    }
    if isSilencedBySwitch {
      violated(.muted, "who asks is answered though the switch silences", moment)
    }
    if asked == nil, let played, !rules.answers(played.trust) {
      violated(.trust, "who asks is answered by a clock that is not trusted", moment)
    }
  }
}
