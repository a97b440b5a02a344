import Horology

/// Judges the reasons that are given. A reason is true if something that can really have that
/// effect happened while the occasion was due.
extension Oracle {
  mutating func judgeSkip(
    _ first: Int64, _ last: Int64, _ reason: SkipReason, _ moment: Moment
  ) {
    let isTrue: Bool
    switch reason {
    case .late(let delay):
      let isLate = moment.shown >= first + max(0, rules.lateLimit - rules.lead)
      isTrue =
        isLate && delay.nanoseconds == decided.shown - first
        && wasPassed(first, isMany: first != last, moment)
    default: isTrue = first == last && isTrueOfOne(reason, first, moment)
    }
    if !isTrue {
      violated(
        .complete, "\(first.utcText) was skipped for no true reason: \(reason)", moment)
    }
    _ = ledger.pay(.failure(first))
    if reason == .softwareMuted { mute.passedNext(moment) }
  }

  private mutating func isTrueOfOne(
    _ reason: SkipReason, _ occasion: Int64, _ moment: Moment
  ) -> Bool {
    switch reason {
    // The service judges the clock before it takes in changed rules.
    case .quietHours:
      return valid(moment, for: 0).contains { $0.isQuiet($1.reading(occasion)) }
    case .nothingToSound:
      return valid(moment, for: 0).contains {
        $0.piece($1.reading(occasion), isTrusted: true) == OracleRules.Piece()
      }
    case .untrusted:
      let wasTrust = trust == .untrusted || happened([.trust], since: ledger.rested)
      return wasTrust
        && valid(moment, for: 0).contains { !$0.allows(.untrusted, at: $1.reading(occasion)) }
    // The service judges the clock before it takes in a change of the switch or of the mute.
    case .muted: return lever.told == .off || happened([.lever], since: moment.elapsed)
    case .switchLost:
      if happened([.lever, .rules], since: moment.elapsed) { return true }
      guard case .lost = lever.told else { return false }
      return rules.whenLost == .mute
    case .softwareMuted:
      return mute.covers(occasion, moment) != false || happened([.mute], since: moment.elapsed)
    case .tooLateForChime:
      return hasOnlyBlows(occasion, moment) && mayBeShortened(occasion, moment)
    case .busy: return isBusy || happened([.busy], since: moment.elapsed)
    case .failed:
      // It is tried again while its words are still true.
      let isOver = moment.shown >= occasion + max(0, rules.lateLimit - rules.lead)
      if isEnding && ledger.stopped[occasion]?.at == moment.elapsed { return true }
      // A failure just now may belong to the zone before.
      let failure = ledger.failures[occasion]
      let isOfZone = failure?.offset == face.offset(occasion)
      // It may have been stopped just as it was to begin, and failed then: the service may have
      // taken it for heard, and not back.
      let stopped = ledger.stopped[occasion].map { $0.at >= ledger.rested && $0.reason == nil }
      let hasFailed =
        isOfZone || failure.map { $0.at >= ledger.rested } ?? false || stopped == true
      return hasFailed && (isOver || hasOnlyBlows(occasion, moment))
    case .stopped(let reason):
      // The service may be opening the speaker for something else when it is told.
      let isNew = ledger.stopped[occasion].map { $0.at >= ledger.rested && $0.reason == reason }
      return ledger.pay(.skipped(occasion, reason)) || isNew == true
        || isBeingStopped(occasion, reason)
    case .late, .occasionIsNear, .tooNear: return false
    }
  }

  /// True until the service knows that the speaker has stopped this occasion's announcement.
  private func isBeingStopped(_ occasion: Int64, _ reason: StopReason) -> Bool {
    let hasJustEnded = ledger.stopped[occasion].map { $0.at >= ledger.rested } == true
    guard isBusy || hasJustEnded, let played, played.announcement.occasion == occasion
    else { return false }
    return played.isTakenBack && played.stopped == reason
  }

  private func hasOnlyBlows(_ occasion: Int64, _ moment: Moment) -> Bool {
    // The service judges the clock before it takes in changed rules.
    valid(moment, for: 0).contains { rules, face in
      let piece = rules.piece(face.reading(occasion), isTrusted: trust != .untrusted)
      return piece.words == .none && !piece.blows.isEmpty
    }
  }

  // MARK: Excuses

  /// When an occasion became due, if the clock had never been set.
  private func due(_ occasion: Int64, _ moment: Moment) -> Int64 {
    let lead = valid(moment, for: minute).map { rules, face in
      rules.piece(face.reading(occasion), isTrusted: true).lead
    }
    let due = moment.elapsed - (moment.shown - (occasion - lead.max()! - 5 * second)) - second
    // If the clock was set back, that may be in the future.
    return min(due, moment.elapsed - longestQueue)
  }

  /// True if an occasion may have passed before the service could play it.
  private func wasPassed(_ occasion: Int64, isMany: Bool, _ moment: Moment) -> Bool {
    let due = due(occasion, moment)
    // An unmute at its instant may come too late for it.
    let justBefore = moment.elapsed - (moment.shown - occasion) - second
    return happened([.clock, .sleep, .service, .rules], since: due)
      || happened([.lever, .mute], since: justBefore)
      || wasHeld(3 * second, since: due) || isMany && (isBusy || passing.lastInTheWay >= due)
  }

  /// True if something may have cost an occasion its chime.
  func mayBeShortened(_ occasion: Int64, _ moment: Moment) -> Bool {
    let due = due(occasion, moment)
    // If the clock is trusted again, the occasion has words, which need more time.
    return wasDisturbed(occasion, since: due, moment) || happened([.trust], since: due)
      || wasHeld(1500 * millisecond, since: due)
  }

  /// True if something may have made the words of an occasion this late.
  func mayBeLate(_ occasion: Int64, by delay: Int64, _ moment: Moment) -> Bool {
    // The clock may have been set while the speaker was being opened.
    let due = min(due(occasion, moment), played?.since ?? .max)
    let justBefore = moment.elapsed - (moment.shown - occasion) - second
    return wasDisturbed(occasion, since: due, moment) || wasHeld(3 * second, since: due)
      || wasHeld(delay, since: justBefore)
  }

  private func wasDisturbed(_ occasion: Int64, since due: Int64, _ moment: Moment) -> Bool {
    // A long announcement is in the way of the next occasion.
    happened([.clock, .sleep, .service, .rules, .speaker, .lever, .mute], since: due)
      || passing.lastInTheWay >= due
      || ledger.stopped[occasion].map { $0.at >= due } == true
  }

  /// True if the loop was held up for this long in all.
  func wasHeld(_ span: Int64, since elapsed: Int64) -> Bool { held(since: elapsed) >= span }

  /// For how long the loop was held up.
  func held(since elapsed: Int64) -> Int64 {
    disturbances.reversed().prefix { $0.at >= elapsed }.map(\.length).reduce(0, +)
  }

  /// True if this can be the reason for a stop.
  func isTrue(_ reason: StopReason, since: Int64) -> Bool {
    switch reason {
    case .clockSet: happened([.clock], since: since)
    case .slept: happened([.sleep], since: since)
    case .rulesChanged: happened([.rules, .trust], since: since)
    case .muted, .switchLost: isSilencedBySwitch && happened([.lever], since: since)
    case .softwareMuted: mute.state != .off && happened([.mute], since: since)
    // What a person did is not told apart here.
    case .byHand, .timerChanged, .replaced: happened([.hand], since: since)
    case .serviceEnds: isEnding
    }
  }

  // MARK: Requests

  mutating func judgeRefusal(_ reason: SkipReason, _ moment: Moment) {
    let isTrue: Bool
    switch reason {
    case .stopped(let reason):
      isTrue =
        ledger.pay(.refused(.stopped(reason)))
        || reason == .serviceEnds && isEnding && ledger.pay(.answer)
    case .failed:
      isTrue =
        ledger.pay(.refused(.failed))
        || ledger.pay { if case .again(let late) = $0 { late >= 5 * second } else { false } }
    default:
      let isOwed = ledger.pay(.answer) || ledger.pay { if case .again = $0 { true } else { false } }
      isTrue = isOwed && isTrueOfRequest(reason, moment)
    }
    if !isTrue {
      violated(.complete, "who asked was refused for no true reason: \(reason)", moment)
    }
  }

  func isTrueOfRequest(_ reason: SkipReason, _ moment: Moment) -> Bool {
    switch reason {
    case .muted: lever.told == .off
    case .switchLost: isSilencedBySwitch
    case .untrusted: !rules.answers(trust) && (asked == nil || askedFor == nil)
    case .busy: isBusy || happened([.busy], since: moment.elapsed)
    case .stopped(.serviceEnds): isEnding
    case .occasionIsNear: isBusy || isNearOccasion(moment) || isNearOccasion(askedAt)
    default: false
    }
  }

  /// True if an occasion that may sound is so near that it replaces the answer.
  func isNearOccasion(_ moment: Moment) -> Bool {
    // The speaker may have been this late with the answer.
    let delay = happened([.speaker], since: moment.elapsed - 10 * second) ? 6 * second : 0
    let reach = 100 * second + rules.lead + 15 * second + delay
    let late = rules.lateLimit + second
    return face.occasions(after: moment.shown - late, through: moment.shown + reach, rules)
      .contains { occasion in
        let reading = face.reading(occasion)
        let piece = rules.piece(reading, isTrusted: trust != .untrusted)
        guard piece != OracleRules.Piece(), !rules.isQuiet(reading),
          rules.allows(trust, at: reading), mute.covers(occasion, moment) != true
        else { return false }
        // The answer begins a lead from now and may last five seconds; then the speaker is made
        // ready for the occasion.
        let preparation = max(5 * second, rules.lead)
        return occasion - piece.lead - preparation - rules.lead - 5 * second - delay
          <= moment.shown
      }
  }
}
