import Horology

/// The clock is trusted only if it is synchronised, or was so since the machine started, or an RTC
/// vouches for it, and it is off by 30 s at most. By a clock that is not trusted nothing is said that
/// the owner does not allow.
///
/// Rules: trust-basis, untrusted-announcements, untrusted-asked, untrusted-snooze.
struct TrustProperty: Property {
  /// By how much the clock was set since it was synchronised. The service forgets it at a start.
  private var moved: Int64 = 0

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .started: moved = 0
    case .clockSet(let by): moved += by
    case .judged(let trust, let clock):
      if clock.isSynchronised { moved = 0 }
      // How far it may be off: by an RTC, or since it was synchronised.
      let byRTC = clock.rtcAhead.map { abs(clock.ahead - $0) } ?? .max
      let error = min(byRTC, clock.synchronisedAt == nil ? .max : abs(moved))
      let isFounded =
        (trust == .synchronised) == clock.isSynchronised
        && (trust != .holdover || error < 31 * second)
      return isFounded ? nil : "the clock is \(trust) for no reason"
    case .heard(.begins, .announcement(let said)):
      guard world.trust == .untrusted,
        !world.happened(.trust, .rules, since: at.elapsed - 2 * minute)
      else { return nil }
      let isAllowed =
        switch said.cause {
        case .occasion(let occasion):
          world.settings.soundsUntrusted(WallClock.reading(occasion.instant.nanoseconds))
        case .request: world.goesByClock || world.settings.untrusted == .ask
        case .timer(let words): world.goesByClock || !words.isOfTime
        case .start, .untrusted: true
        }
      return isAllowed ? nil : "the time is said by a clock that is not trusted"
    default: break
    }
    return nil
  }
}

/// Who asks is answered once: the answer is heard, on its instant if one was named, or refused with a
/// reason.
///
/// Rules: quiet-asked, muted-asked.
struct RequestsProperty: Property {
  /// The answer that is owed, its instant, and since when.
  private var owed: (id: SoundingID, instant: Int64?, since: Int64)?

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .promised(let answer, let instant):
      owed = (answer.id, instant?.nanoseconds, at.elapsed)
    case .heard(.words, .announcement(let said)) where said.id == owed?.id:
      defer { owed = nil }
      return owed?.instant.flatMap { world.isOff($0, at) }
    // An occasion that is near may answer it. What was cut off before its words is owed no more.
    case .heard(.ends, .announcement(let said)) where said.cause == .request: owed = nil
    case .told(.cutOff(let said, _, _)) where said.cause == .request: owed = nil
    case .told(.refused(.request)), .ended: owed = nil
    case .rested:
      guard let owed, at.elapsed > owed.since + minute, world.isCalm(since: at.elapsed - minute)
      else { return nil }
      return "an answer was promised, and is neither heard nor refused"
    default: break
    }
    return nil
  }
}
