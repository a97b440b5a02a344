/// Answers to people who ask for the time.
extension Announcer {
  /// Answers a person who asks for this time, or for the time now.
  /// - Parameters:
  ///   - instant: when it is to begin; nil for as soon as it can.
  ///   - lead: the time from now until it can begin.
  /// - Returns: nil if the occasion that is about to sound gives the same answer at that instant.
  mutating func answer(
    _ time: CivilTime?, from instant: Instant? = nil, within lead: Duration, at now: Now
  ) -> Effect? {
    // An ending service may let a sounding announcement finish, but begins nothing else.
    if isEnding { return .report(.refused(.stopped(.serviceEnds))) }
    // To begin at an instant needs a clock that is right, even if the time is given.
    if let refusal = rules.refusalOfRequest(isGiven: time != nil && instant == nil) {
      return .report(.refused(refusal))
    }
    if let turn = stage.turn {
      if turn.stopped == nil, turn.announcement.says(time, at: instant) { return nil }
      let isNear =
        turn.announcement.cause.isOccasion && now.instant < turn.announcement.anchor
        && turn.stopped == nil
      return .report(.refused(isNear ? .occasionIsNear : .busy))
    }
    let anchor = instant ?? now.instant + lead
    guard anchor >= now.instant + lead else {
      return .report(.refused(.tooNear(within: lead)))
    }
    var latest =
      refusal(of: next) == nil ? rules.needsSpeaker(for: next) - Programme.longestPhrase : nil
    if let latest, anchor > latest { return .report(.refused(.occasionIsNear)) }
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
    return begin(announcement)
  }

  /// Answers once more after the speaker was too late: the words would have been wrong by then, or
  /// in the way of the next occasion. The lead now includes the delay.
  mutating func answerAnew(
    _ turn: Stage.Turn, after delay: Duration, at now: Now
  ) -> Effect? {
    // A speaker that needs longer than the preparation would be too late each time.
    guard delay < Self.preparation, !turn.announcement.isAtItsInstant else {
      return .report(.refused(.failed(Self.tooLate(delay))))
    }
    let wasNow = turn.announcement.time == turn.shown
    return answer(wasNow ? nil : turn.announcement.time, within: delay + rules.lead, at: now)
  }

  static func tooLate(_ delay: Duration) -> String {
    "the speaker was ready \(delay.roughly) too late for it"
  }
}

extension SkipReason {
  private static let nearness = "its instant is too near"

  fileprivate static func tooNear(within lead: Duration) -> SkipReason {
    .failed("\(nearness): it takes \(lead.nanoseconds / 1_000_000) ms to begin")
  }

  /// True if the instant that was asked for comes before the answer can begin.
  public var isTooNear: Bool {
    if case .failed(let why) = self { why.hasPrefix(Self.nearness) } else { false }
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
