/// Answers to people who ask for the time.
extension Announcer {
  /// Answers a person who asks for this time, or for the time now.
  /// - Parameters:
  ///   - instant: when it is to begin; nil for as soon as it can.
  ///   - lead: the time from now until it can begin.
  /// - Returns: no effect if the occasion that is about to sound gives the same answer at that
  ///   instant.
  mutating func answer(
    _ time: CivilTime?, from instant: Instant? = nil, within lead: Duration, at now: Now
  ) -> Response {
    // An ending service may let a sounding announcement finish, but begins nothing else.
    if isEnding { return Self.refuse(.request(.stopped(.serviceEnds))) }
    // To begin at an instant needs a clock that is right, even if the time is given.
    if let refusal = rules.refusalOfRequest(isGiven: time != nil && instant == nil) {
      return Self.refuse(.request(refusal))
    }
    if let turn = stage.turn {
      if turn.stopped == nil, turn.announcement.says(time, at: instant) {
        return ([], .announcement(turn.announcement))
      }
      let isNear =
        turn.announcement.cause.isOccasion && now.instant < turn.announcement.anchor
        && turn.stopped == nil
      return Self.refuse(.request(isNear ? .occasionIsNear : .busy))
    }
    let anchor = instant ?? now.instant + lead
    guard anchor >= now.instant + lead else {
      return Self.refuse(.request(.tooNear(within: lead)))
    }
    var latest =
      refusal(of: next) == nil ? rules.needsSpeaker(for: next) - Programme.longestPhrase : nil
    if let latest, anchor > latest { return Self.refuse(.request(.occasionIsNear)) }
    let said = time ?? zone.civil(at: anchor)
    if time == nil {
      let end = anchor.endOfMinute(of: said)
      latest = min(latest ?? end, end)
    }
    // Other clocks begin at that instant too: a late answer is as wrong as another time.
    if instant != nil { latest = anchor + Self.latestBlow }
    var announcement = Announcement(
      stage.nextID, cause: .request, time: said, anchor: anchor, latest: latest)
    announcement.isAtItsInstant = instant != nil
    return say(announcement)
  }

  /// Answers once more after the speaker was too late: the words would have been wrong by then, or
  /// in the way of the next occasion. The lead now includes the delay.
  mutating func answerAnew(
    _ turn: Stage.Turn, after delay: Duration, at now: Now
  ) -> Response {
    // A speaker that needs longer than the preparation would be too late each time.
    guard delay < Self.preparation, !turn.announcement.isAtItsInstant else {
      return Self.refuse(.request(.failed(Self.tooLate(delay))))
    }
    let wasNow = turn.announcement.time == turn.shown
    return answer(wasNow ? nil : turn.announcement.time, within: delay + rules.lead, at: now)
  }

  /// Begins an announcement that somebody has asked for.
  mutating func say(_ announcement: Announcement) -> Response {
    let announcement = begin(announcement)
    return ([.play(.announcement(announcement))], .announcement(announcement))
  }

  static func tooLate(_ delay: Duration) -> String {
    "the speaker was ready \(delay.roughly) too late for it"
  }
}

extension Announcement {
  /// True if it is an occasion that says this time, or its own, from this instant on.
  fileprivate func says(_ time: CivilTime?, at instant: Instant?) -> Bool {
    guard case .occasion(let occasion) = cause, instant == occasion.instant,
      anchor == occasion.instant, programme.words != .none
    else { return false }
    return time.map { $0.dateTime.timeOfDay == occasion.civil.dateTime.timeOfDay } ?? true
  }
}
