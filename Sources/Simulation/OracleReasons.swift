import Horology

/// Whether the reasons that are given are true.
extension Oracle {
  mutating func judgeSkip(
    _ first: Int64, _ last: Int64, _ reason: SkipReason, _ moment: Moment
  ) {
    let since = window(of: first, moment)
    let isTrue: Bool
    switch reason {
    case .late(let delay):
      let isLate = moment.shown >= first + max(0, rules.lateLimit - rules.lead)
      isTrue =
        isLate && delay.nanoseconds == moment.shown - first
        && happened(Set(Cause.allCases), since: since)
    default: isTrue = first == last && isTrueOfOne(reason, first, since: since, moment)
    }
    if !isTrue {
      let occasion = Instant(nanoseconds: first).text
      violated(.complete, "\(occasion) was skipped for no true reason: \(reason)", moment)
    }
    if reason == .softwareMuted { mute.passedNext(moment) }
  }

  private func isTrueOfOne(
    _ reason: SkipReason, _ occasion: Int64, since: Int64, _ moment: Moment
  ) -> Bool {
    let reading = face.reading(occasion)
    switch reason {
    // The clock is judged before other rules are taken in.
    case .quietHours:
      return valid(moment, for: 0).contains { $0.isQuiet($1.reading(occasion)) }
    case .nothingToSound:
      return valid(moment, for: 0).contains {
        $0.piece($1.reading(occasion), isTrusted: true) == Rules.Piece()
      }
    case .untrusted:
      let wasTrust = trust == .untrusted || happened([.trust], since: moment.elapsed - minute)
      return wasTrust
        && valid(moment, for: 0).contains { !$0.allows(.untrusted, at: $1.reading(occasion)) }
    // The clock is judged before a change of the switch, or of the mute, is taken in.
    case .muted: return lever.told == .off || happened([.lever], since: moment.elapsed)
    case .switchLost:
      if happened([.lever, .rules], since: moment.elapsed) { return true }
      guard case .lost = lever.told else { return false }
      return rules.whenLost == .mute
    case .softwareMuted:
      return mute.covers(occasion, moment) != false || happened([.mute], since: moment.elapsed)
    case .tooLateForChime:
      let piece = rules.piece(reading, isTrusted: trust != .untrusted)
      return piece.words == .none && !piece.blows.isEmpty
        && happened(Set(Cause.allCases), since: since)
    case .busy: return isBusy || happened([.busy], since: since)
    case .failed: return happened([.speaker, .sleep, .hold, .clock], since: since)
    case .stopped(let reason): return isTrue(reason, since: since)
    case .late, .occasionIsNear: return false
    }
  }

  /// Whether something was stopped for that.
  func isTrue(_ reason: StopReason, since: Int64) -> Bool {
    // Told after a sleep, it may have come before it.
    if happened([.sleep], since: since) { return true }
    return switch reason {
    case .clockSet: happened([.clock], since: since)
    case .slept: happened([.sleep], since: since)
    case .rulesChanged: happened([.rules], since: since)
    case .muted: happened([.lever], since: since)
    case .softwareMuted: happened([.mute], since: since)
    case .byHand: happened([.hand], since: since)
    case .serviceEnds: happened([.service], since: since)
    }
  }

  mutating func judgeRefusal(_ reason: SkipReason, _ moment: Moment) {
    let since = moment.elapsed - 20 * second
    let isTrue =
      switch reason {
      case .muted: lever.told == .off
      case .switchLost: isSilencedBySwitch
      case .untrusted: !rules.answers(trust) && (asked == nil || askedFor == nil)
      case .busy: isBusy || happened([.busy], since: moment.elapsed)
      case .occasionIsNear: isBusy || isNearOccasion(moment) || isNearOccasion(askedAt)
      case .failed: happened([.speaker, .sleep, .hold, .clock], since: since)
      case .stopped(let reason): self.isTrue(reason, since: since)
      default: false
      }
    if !isTrue {
      violated(.complete, "who asked was refused for no true reason: \(reason)", moment)
    }
  }

  /// True if an occasion that may sound is so near that it answers.
  private func isNearOccasion(_ moment: Moment) -> Bool {
    // By so much the speaker may have been late when it was to answer.
    let delay = happened([.speaker], since: moment.elapsed - 10 * second) ? 6 * second : 0
    let reach = 100 * second + rules.lead + 15 * second + delay
    let late = rules.lateLimit + second
    return face.occasions(after: moment.shown - late, through: moment.shown + reach, rules)
      .contains { occasion in
        let lead = rules.piece(face.reading(occasion), isTrusted: true).lead
        return occasion - lead - 2 * rules.lead - 11 * second - delay <= moment.shown
      }
  }
}
