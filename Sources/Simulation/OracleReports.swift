import Horology

/// Judges what the service reports: each thing once, and truly.
extension Oracle {
  mutating func told(_ report: Report, _ moment: Moment) {
    switch report {
    case .announced(let announcement, _):
      pay(.announced(announcement.id), "it sounded whole", moment)
    case .cutOff(let announcement, let reason, _):
      pay(.cutOff(announcement.id, reason), "it was cut off: \(reason)", moment)
      account(announcement)
      if let occasion = announcement.occasion { passing.cutOff(occasion) }
    case .brokeOff(let announcement, let why):
      // By the clock it is past its anchor, whatever was heard by then.
      let isPast =
        moment.shown >= announcement.anchor.shown || played?.hasShownAnchor == true
      let occasion = announcement.occasion ?? 0
      let isOpen =
        // A cue may have opened the speaker since the failure.
        ledger.pay(.failure(occasion))
        || ledger.failures[occasion].map { $0.at >= ledger.rested } == true
        // A service that ends reopens nothing, and an announcement that has just begun need not be
        // taken back.
        || ledger.stopped[occasion]?.at == moment.elapsed
          && (isEnding || played?.hasReachedAnchor == true)
      if !(isPast && isOpen) { pay(.brokeOff(announcement.id), "it broke off: \(why)", moment) }
      ledger.brokeOff(occasion)
      account(announcement)
    case .refused(.request(let reason)): judgeRefusal(reason, moment)
    case .refused(.timer(let refusal)): judgeRefusal(refusal, decided)
    case .refused(.alarm(let refusal)): judgeRefusal(refusal, decided)
    case .skipped(let first, let last, let reason):
      let (first, last) = (first.instant.shown, last.instant.shown)
      let isBeingStopped = played?.announcement.occasion == first && played?.isTakenBack == true
      if passing.accounted.contains(first), ledger.stopped[first] == nil, !isBeingStopped {
        violated(.once, "\(first.utcText) is skipped after it was told", moment)
      }
      judgeSkip(first, last, reason, moment)
      passing.account(first...last)
      // The past may be forgotten since it was decided, because the clock was set back while the
      // speaker was opened. Then it comes again.
      if passing.forgotten <= moment.elapsed { passing.account(last) }
    case .retrying(let occasion, _):
      let occasion = occasion.instant.shown
      let wasStopped = ledger.stopped[occasion]?.at == moment.elapsed
      let mayBeAnother = passing.cutOff == occasion
      if !ledger.pay(.failure(occasion)), !wasStopped, !mayBeAnother, !ledger.tellUntold(occasion) {
        violated(.complete, "told though it is not so: it failed", moment)
      }
    case .mute(let mute, _):
      disturbed(.mute, moment)
      if ledger.pay(.mute) { return self.mute.isTakenIn(moment) }
      // An occasion that was cut off and stays silent ends a mute of the next. It is not reported
      // again.
      let isOfCutOff = passing.cutOff.map { $0 <= moment.shown + 2 * minute } == true
      if mute == .off, isOfCutOff { self.mute.passedNext(moment) }
      if !self.mute.told(mute, moment) {
        violated(.complete, "told though it is not so: the mute is \(mute.key)", moment)
      }
    case .trust(let trust):
      pay(.trust(trust), "the clock is \(trust)", moment)
      toldTrust = trust
    case .ringer(let ringer): pay(.ringer(ringer), "the switch is \(ringer)", moment)
    case .clockSet(let step): pay(.clockSet(step.nanoseconds), "the clock was set", moment)
    case .slept(let span): pay(.slept(span.nanoseconds), "the machine slept", moment)
    case .timer(let countdown, let event): told(countdown, event, decided)
    case .interval(let interval, let event): told(interval, event, decided)
    case .alarm(let alarm, let event): told(alarm, event, decided)
    case .unsaid(let words, let reason): judgeUnsaid(words, reason, moment)
    }
  }

  /// Its occasion is explained, unless the past was forgotten meanwhile.
  private mutating func account(_ announcement: Announcement) {
    guard let occasion = announcement.occasion, passing.forgotten <= played?.since ?? .max else {
      return
    }
    passing.account(occasion)
  }

  /// A report must be owed.
  mutating func pay(_ debt: Debt, _ what: String, _ moment: Moment) {
    if !ledger.pay(debt) { violated(.complete, "told though it is not so: \(what)", moment) }
  }

  /// The service has done all that an event calls for.
  mutating func rested(
    wakeUp: Int64?, ailment: String?, isBusy: Bool, isEnding: Bool, _ moment: Moment
  ) {
    lever.rest()
    clock.isJudged = false
    restOrders(moment)
    judgeTimers(moment)
    judgeAlarms(moment)
    if let debt = ledger.rest(moment) { violated(.complete, "not told: \(debt)", moment) }
    guard !isEnding else { return }
    if let ailment { violated(.wakes, "the living is taken for dead: \(ailment)", moment) }
    guard let wakeUp else { return violated(.wakes, "no wake-up is armed", moment) }
    if wakeUp - moment.shown > 3 * hour { violated(.wakes, "the wake-up is too far away", moment) }
    if let since = lever.openSince, lever.told == .off,
      moment.elapsed - since > OracleSwitch.debounce + 100 * millisecond,
      !happened([.hold, .sleep], since: since)
    {
      violated(.complete, "the switch is on, and the service takes it for off", moment)
    }
    guard !isBusy, let open = passing.open.first else { return }
    // A clock that was set back a little leaves more time for it.
    let since = min(moment.elapsed - open.at, moment.shown - open.occasion)
    if since > rules.lateLimit + 20 * second {
      violated(
        .complete, "\(open.occasion.utcText) neither sounded nor was explained", moment)
    }
  }
}
