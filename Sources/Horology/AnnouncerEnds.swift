/// How the Announcer handles the end of an announcement, played or not.
extension Announcer {
  mutating func end(
    _ turn: Stage.Turn, with outcome: Outcome, at now: Now
  ) -> [Effect] {
    let announcement = turn.announcement
    noteSounded(turn, outcome, at: now)
    switch (outcome, announcement.cause) {
    case (.finished(let timing), _):
      return [.report(.announced(announcement, timing))]
    case (.stopped(let reason, let silentAt?), _):
      if case .occasion(let occasion) = announcement.cause { quarters.note(cutOff: occasion) }
      let after = silentAt - (turn.stopped?.at ?? silentAt)
      return [.report(.cutOff(announcement, reason, after: after))]
    case (.stopped(let reason, nil), .request):
      return [.report(.refused(.stopped(reason)))]
    case (.failed(let why, _), .request):
      return [.report(.refused(.failed(why)))]
    case (.tooLate(let delay), .request):
      return isEnding
        ? [.report(.refused(.stopped(.serviceEnds)))]
        : [answerAnew(turn, after: delay, at: now)].compactMap { $0 }
    case (.stopped(let reason, nil), .timer(let words)):
      return unsaid(words, .stopped(reason))
    case (.failed(let why, _), .timer(let words)):
      return unsaid(words, .failed(why))
    case (.tooLate(let delay), .timer(let words)):
      return unsaid(words, .failed(Self.tooLate(delay)))
    // The occasion was opened again and nothing was decided since. But its anchor had been heard
    // before the speaker failed, so it has sounded.
    case (.failed(let why, .anchor), .occasion(let occasion))
    where turn.isTakenBack && quarters.next == occasion && occasion.instant <= now.instant:
      quarters.decide(through: occasion)
      quarters.note(sounded: occasion)
      return [.report(.brokeOff(announcement, why))]
    case (_, .occasion) where turn.isTakenBack:
      return []
    case (.stopped(let reason, nil), .occasion(let occasion)):
      return skip(occasion, .stopped(reason))
    // Queued frames do not follow a clock that is set back, so the anchor may be heard before the
    // clock shows it.
    case (.failed(let why, .anchor), .occasion):
      return [.report(.brokeOff(announcement, why))]
    case (.failed(let why, .some), .occasion)
    where turn.hasReachedAnchor || now.instant >= announcement.anchor:
      return [.report(.brokeOff(announcement, why))]
    case (.failed(let why, _), .occasion(let occasion)):
      return retry(occasion, why, at: now)
    case (.tooLate(let delay), .occasion(let occasion)):
      return retry(occasion, Self.tooLate(delay), at: now)
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
