/// What a person asks for.
extension Announcer {
  /// Answers a person who asks for this time, or for the time now.
  /// - Parameter lead: how far ahead of now it can begin.
  mutating func answer(_ time: CivilTime?, within lead: Duration, at now: Now) -> Effect {
    if let refusal = rules.refusalOfRequest(isGiven: time != nil) {
      return .report(.refused(refusal))
    }
    if let turn = stage.turn {
      let isNear =
        turn.announcement.cause.isOccasion && now.instant < turn.announcement.anchor
        && turn.stoppedAt == nil
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

  /// Answers once more, now that it is known by how much the speaker is late: its words were no
  /// longer true, or in the way of the next occasion.
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
  /// The first instant at which what is said of this one is no longer true.
  public func endOfMinute(of said: CivilTime) -> Instant {
    Instant(seconds: seconds + 60 - Int64(said.dateTime.second))
  }
}
