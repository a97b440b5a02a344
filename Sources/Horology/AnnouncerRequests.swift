/// Answers to people who ask for the time.
extension Announcer {
  /// Answers a person who asks for this time, or for the time now.
  /// - Parameter lead: how far ahead of now it can begin.
  mutating func answer(_ time: CivilTime?, within lead: Duration, at now: Now) -> Effect {
    // While what sounds is heard to its end, nothing else begins.
    if isEnding { return .report(.refused(.stopped(.serviceEnds))) }
    if let refusal = rules.refusalOfRequest(isGiven: time != nil) {
      return .report(.refused(refusal))
    }
    if let turn = stage.turn {
      let isNear =
        turn.announcement.cause.isOccasion && now.instant < turn.announcement.anchor
        && turn.stopped == nil
      return .report(.refused(isNear ? .occasionIsNear : .busy))
    }
    let anchor = now.instant + lead
    var latest =
      refusal(of: next) == nil ? rules.needsSpeaker(for: next) - Programme.longestPhrase : nil
    if let latest, anchor > latest { return .report(.refused(.occasionIsNear)) }
    let said = time ?? zone.civil(at: anchor)
    if time == nil {
      let end = anchor.endOfMinute(of: said)
      latest = min(latest ?? end, end)
    }
    return begin(
      Announcement(stage.nextID, cause: .request, time: said, anchor: anchor, latest: latest))
  }

  /// Answers once more after the speaker was too late, which now is known to need longer: the words
  /// would no longer have been true, or in the way of the next occasion.
  mutating func answerAnew(
    _ turn: Stage.Turn, after delay: Duration, at now: Now
  ) -> Effect {
    // What is later than that is later each time.
    guard delay < Self.preparation else { return .report(.refused(.failed(Self.tooLate(delay)))) }
    let wasNow = turn.announcement.time == turn.shown
    return answer(wasNow ? nil : turn.announcement.time, within: delay + rules.lead, at: now)
  }

  static func tooLate(_ delay: Duration) -> String {
    "the speaker was ready \(delay.roughly) too late for it"
  }
}

extension Instant {
  /// The first instant after this one at which the clocks no longer show the minute that is said.
  public func endOfMinute(of said: CivilTime) -> Instant {
    Instant(seconds: seconds + 60 - Int64(said.dateTime.second))
  }
}
