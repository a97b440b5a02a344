import Horology

/// An event that the service must report. Each debt is paid once, before the service rests again.
enum Debt: Hashable {
  /// A person has asked: play the time or refuse.
  case answer
  /// It sounded whole.
  case announced(SoundingID)
  case cutOff(SoundingID, StopReason)
  case brokeOff(SoundingID)
  /// The first failure of an occasion: retry or skip it.
  case failure(Int64)
  /// An occasion that was stopped for good before it was heard.
  case skipped(Int64, StopReason)
  /// An accepted request that was not heard.
  case refused(Refusal)
  /// A request for which the speaker was late: play it again, or refuse it.
  case again(late: Int64)
  case trust(ClockTrust)
  case ringer(Ringer)
  case mute
  case clockSet(Int64)
  case slept(Int64)
  /// A person's order to the timers or the alarms.
  case order
  /// Words of a timer that were not heard.
  case unsaid
  /// It rang when the service ended, and rings again.
  case ringsOn(Cue.Source)
  /// The configuration has it no longer.
  case unconfigured(Cue.Source)
  /// The configuration has taken the name of a person's alarm, or freed it.
  case name(Cue.Source)

  enum Refusal: Hashable {
    case failed
    case stopped(StopReason)
  }
}

/// How an announcement ended in the speaker.
enum Fate: Hashable {
  case whole
  case stopped(StopReason, isHeard: Bool)
  case tooLate(Int64)
  case failed(Outcome.Heard)
}

/// The debts, and what became of the occasions that were given to the player.
struct Ledger {
  private(set) var debts: [Debt] = []
  /// The last failure of each occasion: when, since the history began, and the zone's offset from
  /// UTC then. By another zone it is another occasion.
  private(set) var failures: [Int64: (at: Int64, offset: Int64)] = [:]
  /// The last occasion whose failure was not reported.
  private(set) var untold: Int64?
  /// When each occasion was last stopped before its anchor, since the history began, and why. It
  /// may be played again.
  private(set) var stopped: [Int64: (at: Int64, reason: StopReason?)] = [:]
  /// When the service last rested, since the history began.
  private(set) var rested: Int64 = 0

  mutating func owe(_ debt: Debt) { debts.append(debt) }

  /// - Returns: false if nothing of this kind is owed.
  mutating func pay(_ isPaid: (Debt) -> Bool) -> Bool {
    guard let index = debts.firstIndex(where: isPaid) else { return false }
    debts.remove(at: index)
    return true
  }

  mutating func pay(_ debt: Debt) -> Bool { pay { $0 == debt } }

  mutating func failed(_ occasion: Int64, _ offset: Int64, _ moment: Moment) {
    // The clock was set back since a later occasion failed: that comes again.
    failures = failures.filter { $0.key <= occasion }
    failures[occasion] = (moment.elapsed, offset)
    forget(moment)
  }

  mutating func stopped(_ occasion: Int64, _ reason: StopReason?, _ moment: Moment) {
    stopped[occasion] = (moment.elapsed, reason)
    forget(moment)
  }

  /// The occasion has sounded: earlier stops of it no longer count.
  mutating func sounds(_ occasion: Int64) { stopped[occasion] = nil }

  /// It was stopped before the service handled its failure, which may be reported the next time.
  mutating func leaveUntold(_ occasion: Int64) { untold = occasion }

  /// - Returns: false if no failure of this occasion was left to be reported.
  mutating func tellUntold(_ occasion: Int64) -> Bool {
    guard untold == occasion else { return false }
    untold = nil
    return true
  }

  /// It broke off after its anchor, by the clock of that moment. If the clock was set back, it may be
  /// tried once more, and fail for the first time.
  mutating func brokeOff(_ occasion: Int64) { failures[occasion] = nil }

  /// The clock was set back: earlier failures no longer count.
  mutating func forgetFailures() { failures = [:] }

  /// - Returns: a debt that was not paid; nil if there is none.
  mutating func rest(_ moment: Moment) -> Debt? {
    rested = moment.elapsed
    return debts.first
  }

  mutating func end() {
    debts = []
    failures = [:]
    stopped = [:]
  }

  private mutating func forget(_ moment: Moment) {
    if failures.count > 100 { failures = failures.filter { $0.value.at > moment.elapsed - day } }
    if stopped.count > 100 { stopped = stopped.filter { $0.value.at > moment.elapsed - day } }
  }
}

extension Announcement {
  /// The announcement's occasion; nil if it has none.
  var occasion: Int64? {
    if case .occasion(let occasion) = cause { occasion.instant.nanoseconds } else { nil }
  }
}

// MARK: What is given to the player, and what comes of it

extension Oracle {
  /// Something is given to the player.
  mutating func plays(_ announcement: Announcement, _ moment: Moment) {
    lastPlayed = max(lastPlayed, announcement.id.number)
    if case .timer(let words) = announcement.cause {
      playsWords(words, announcement.id, moment)
    } else if announcement.occasion == nil {
      let isAsked =
        ledger.pay(.answer) || ledger.pay { if case .again = $0 { true } else { false } }
      if !isAsked { violated(.complete, "the time is said, and nobody asked", moment) }
    }
    if isEnding { violated(.complete, "it is played though the service ends", moment) }
    played = Played(
      announcement: announcement, since: moment.elapsed, trust: trust,
      offset: face.offset(announcement.occasion ?? 0))
    silentBy = nil
    let level = rules.decibels(face.reading(announcement.anchor.shown))
    // Opening the speaker for a ring may have held the loop up since it was decided.
    if let rise = riseOfTime(announcement, decided) {
      // Steps of the clock that are too small to be noticed move the anchor.
      if abs(announcement.decibels - level - rise) > 0.2 {
        violated(
          .level, "the time is at \(announcement.decibels) dB, not \(level + rise)", moment)
      }
    } else if announcement.decibels != level {
      violated(.level, "it is at \(announcement.decibels) dB, not \(level)", moment)
    }
  }

  /// The speaker is open for it.
  mutating func opened() { played?.isOpen = true }

  /// The service stops what is in the player.
  mutating func stops(_ sounding: SoundingID, _ reason: StopReason, _ moment: Moment) {
    // The stop would have no effect, and nothing would end it once it is played.
    if sounding.number > lastPlayed {
      violated(.muted, "\(sounding.number) is stopped before it is played", moment)
    }
    guard let played, played.announcement.id == sounding else { return }
    self.played?.stopped = played.stopped ?? reason
    if isTakenBack(played, reason, moment) { self.played?.isTakenBack = true }
    // It has failed, and is stopped before the service handles that.
    if let occasion = played.announcement.occasion, ledger.pay(.failure(occasion)) {
      ledger.leaveUntold(occasion)
      ledger.stopped(occasion, reason, moment)
    }
    if !isTrue(reason, since: ledger.rested) {
      violated(.complete, "it is stopped for no true reason: \(reason)", moment)
    }
    if reason == .serviceEnds, played.stopped == nil, rules.atStop == .finish,
      isHeardFor(tellable, moment)
    {
      violated(.complete, "it is cut off, though it may finish (at_stop)", moment)
    }
    if reason == .byHand, !played.hasBegun, !played.hasShownAnchor,
      played.announcement.occasion != nil,
      moment.shown < begins(played.announcement) - tellable
    {
      violated(.complete, "what is not heard yet is stopped by hand", moment)
    }
  }

  /// The speaker is done with it.
  mutating func finished(_ announcement: Announcement, _ fate: Fate, _ moment: Moment) {
    disturbed(.busy, moment)
    let id = announcement.id
    let isAnchorHeard = played?.hasReachedAnchor == true
    let isTakenBack = played?.isTakenBack == true
    switch (fate, announcement.cause) {
    case (.whole, _): ledger.owe(.announced(id))
    case (.stopped(let reason, true), let cause):
      ledger.owe(.cutOff(id, reason))
      if case .occasion(let occasion) = cause, isTakenBack {
        ledger.stopped(occasion.instant.shown, reason, moment)
      }
    case (_, .timer):
      ledger.owe(.unsaid)
      timers.isToldUnsaid = timers.told == id
    case (.stopped(let reason, false), .request): ledger.owe(.refused(.stopped(reason)))
    case (.failed, .request): ledger.owe(.refused(.failed))
    case (.tooLate(let late), .request):
      ledger.owe(isEnding ? .refused(.stopped(.serviceEnds)) : .again(late: late))
    case (.stopped(let reason, false), .occasion(let occasion)):
      ledger.stopped(occasion.instant.shown, reason, moment)
      let isForGood = reason == .byHand || reason == .serviceEnds
      if isForGood, !isTakenBack, occasion.instant.shown != passing.cutOff {
        ledger.owe(.skipped(occasion.instant.shown, reason))
      }
    case (.failed(let heard), .occasion) where heard != .nothing && isAnchorHeard && !isTakenBack:
      ledger.owe(.brokeOff(id))
    case (.failed, .occasion(let occasion)), (.tooLate, .occasion(let occasion)):
      fails(occasion.instant.shown, moment)
    }
  }

  private mutating func fails(_ occasion: Int64, _ moment: Moment) {
    guard let played, !played.isTakenBack else { return ledger.stopped(occasion, nil, moment) }
    if ledger.failures[occasion]?.offset != played.offset, occasion != passing.cutOff {
      ledger.owe(.failure(occasion))
    }
    ledger.failed(occasion, played.offset, moment)
  }

  /// True if an announcement that is stopped now, before its anchor, may sound once more. A mute
  /// reopens only an announcement that is not heard yet. A stop by hand, or of the service, reopens
  /// nothing.
  private func isTakenBack(_ played: Played, _ reason: StopReason, _ moment: Moment) -> Bool {
    // A step of the clock may have brought its anchor forward at the same moment.
    let isJustHeard = heard?.anchor.map { moment.elapsed - $0.elapsed <= Self.fade } == true
    if played.hasReachedAnchor && !isJustHeard || played.hasShownAnchor { return false }
    return switch reason {
    case .clockSet, .slept, .rulesChanged: true
    case .muted, .switchLost, .softwareMuted:
      !isHeardFor(tellable, moment) && moment.shown < begins(played.announcement) + tellable
    case .byHand, .timerChanged, .replaced, .serviceEnds: false
    }
  }

  // MARK: What must end

  /// Nothing may be heard after this.
  mutating func mustBeSilent(by elapsed: Int64) { silentBy = min(silentBy ?? .max, elapsed) }

  /// A person stops what sounds, or what they asked for.
  mutating func stoppedByHand(_ moment: Moment) {
    stopsTimersByHand(moment)
    let isAnswer = played.map { $0.announcement.occasion == nil } ?? false
    if isHeardFor(tellable, moment) || isAnswer { mustBeSilent(by: moment.elapsed + Self.fade) }
  }

  /// systemd stops the service.
  mutating func serviceStops(_ moment: Moment) {
    disturbed(.service, moment)
    isEnding = true
    endsSince = moment.elapsed
    // An announcement that begins just now may count as heard or not.
    let mayBeHeard =
      heard != nil || played?.hasShownAnchor == true
      || played.map { begins($0.announcement) <= moment.shown + tellable } == true
    if rules.atStop == .fade || !mayBeHeard { mustBeSilent(by: moment.elapsed + Self.fade) }
  }

  /// Steps of the clock that are too small to be noticed add up to no more than this.
  private var tellable: Int64 { 60 * millisecond }

  private func isHeardFor(_ span: Int64, _ moment: Moment) -> Bool {
    heard.map { moment.elapsed - $0.began.elapsed >= span } ?? false
  }

  /// When its first sound is due, by the clock.
  func begins(_ announcement: Announcement) -> Int64 {
    announcement.anchor.shown - announcement.programme.piece.lead
  }
}
