/// How the Announcer handles the end of an announcement, played or not.
extension Announcer {
  /// - Returns: also the answer to the person who asked for it, if nothing of it was heard.
  mutating func end(_ turn: Stage.Turn, with outcome: Outcome, at now: Now) -> Response {
    let announcement = turn.announcement
    noteSounded(turn, outcome, at: now)
    let reason: SkipReason
    switch outcome {
    case .finished(let timing): return ([.report(.announced(announcement, timing))], nil)
    case .stopped(let reason, let silentAt?):
      if case .occasion(let occasion) = announcement.cause { quarters.note(cutOff: occasion) }
      let after = silentAt - (turn.stopped?.at ?? silentAt)
      return ([.report(.cutOff(announcement, reason, after: after))], nil)
    case .stopped(let stop, nil): reason = .stopped(stop)
    case .failed(let why, _): reason = .failed(why)
    case .tooLate(let delay): reason = .failed(Self.tooLate(delay))
    }
    switch announcement.cause {
    case .occasion(let occasion):
      return (end(turn, of: occasion, with: outcome, reason, at: now), nil)
    case .request:
      guard case .tooLate(let delay) = outcome else { return Self.refuse(.request(reason)) }
      return isEnding
        ? Self.refuse(.request(.stopped(.serviceEnds))) : answerAnew(turn, after: delay, at: now)
    case .timer(let words): return (unsaid(words, reason), .refused(.timer(.speech(reason))))
    }
  }

  /// Handles the end of an occasion that was not heard, or that failed.
  private mutating func end(
    _ turn: Stage.Turn, of occasion: Occasion, with outcome: Outcome, _ reason: SkipReason,
    at now: Now
  ) -> [Effect] {
    let announcement = turn.announcement
    if turn.isTakenBack {
      // The occasion was opened again and nothing was decided since. But its anchor had been heard
      // before the speaker failed, so it has sounded.
      guard case .failed(let why, .anchor) = outcome, quarters.next == occasion,
        occasion.instant <= now.instant
      else { return [] }
      quarters.decide(through: occasion)
      quarters.note(sounded: occasion)
      return [.report(.brokeOff(announcement, why))]
    }
    switch (outcome, reason) {
    // Queued frames do not follow a clock that is set back, so the anchor may be heard before the
    // clock shows it.
    case (.failed(let why, .anchor), _): return [.report(.brokeOff(announcement, why))]
    case (.failed(let why, .some), _)
    where turn.hasReachedAnchor || now.instant >= announcement.anchor:
      return [.report(.brokeOff(announcement, why))]
    case (_, .failed(let why)): return retry(occasion, why, at: now)
    default: return skip(occasion, reason)
    }
  }

  /// Notes that an occasion has sounded: its anchor was heard. If a melody ended before its anchor,
  /// words may still make up for it, even after a restart.
  private mutating func noteSounded(_ turn: Stage.Turn, _ outcome: Outcome, at now: Now) {
    guard case .occasion(let occasion) = turn.announcement.cause, !turn.isTakenBack
    else { return }
    let hasReachedAnchor = turn.hasReachedAnchor || now.instant >= turn.announcement.anchor
    switch outcome {
    case .failed(_, heard: .anchor):
      quarters.note(sounded: occasion)
    case .finished, .stopped(_, silentAt: .some), .failed(_, heard: .some):
      if hasReachedAnchor { quarters.note(sounded: occasion) }
    case .stopped(_, silentAt: nil), .failed(_, heard: .nothing), .tooLate: break
    }
  }

  /// Tries an occasion again: when it is too late for the chime, there may be time for the words.
  private mutating func retry(_ occasion: Occasion, _ why: String, at now: Now) -> [Effect] {
    guard now.instant < rules.passing(of: occasion) else {
      return skip(occasion, .failed(why))
    }
    return quarters.retry(occasion, why, at: now) ? [.report(.retrying(occasion, why))] : []
  }
}
