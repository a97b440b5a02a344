import Horology

/// The words heard at a moment are the civil time at that moment. No blow of an occasion is off its
/// moment, and its words are at most ten seconds late.
///
/// Rules: late-words, late-chime, first-blow, no-drift.
struct TruthProperty: Property {
  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    guard case .heard(let kind, .announcement(let said)) = fact else { return nil }
    let occasion = said.occasion
    if case .blow(let offset) = kind { return occasion.flatMap { world.isOff($0 + offset, at) } }
    if kind != .words || said.isOfItself { return nil }
    if case .timer(let words) = said.cause, !words.isOfTime { return nil }
    var truth = world.readings(at).flatMap { [$0, $0 + Situation.tolerance] }
    // Words before a chime say the hour to come.
    if case .before = said.programme.words, let occasion { truth = [occasion] }
    let isTrue = truth.contains { WallClock.reading($0).minuteOfDay == said.time.minuteOfDay }
    if !isTrue, !world.happened(.rules, since: at.elapsed - 2 * minute) {
      return "\(said.time.hour):\(said.time.minute) is said"
    }
    return said.programme.blows.isEmpty
      ? occasion.flatMap { world.isOff($0, at, late: 10 * second) } : nil
  }
}

/// Two phrases never sound together. Nor do two rings for longer than one takes to give way.
///
/// Rules: one-ring.
struct OverlapProperty: Property {
  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    guard case .heard(let kind, let sounding) = fact else { return nil }
    if kind == .begins, sounding.announcement != nil {
      let isAlone = world.heard.allSatisfy { $0 == sounding.id || $1.sounding.announcement == nil }
      return isAlone ? nil : "something is said while something is said"
    }
    guard kind == .ends, sounding.ring != nil, sounding.blows.isEmpty,
      world.isCalm(since: at.elapsed - 20 * second)
    else { return nil }
    let isLate = world.heard.values.contains {
      $0.sounding.ring != nil && $0.since < at.elapsed - 2 * Situation.fade
    }
    return isLate ? "two rings sound together" : nil
  }
}

/// The volume is the one that the rules set for the time at which it sounds. An alarm may begin
/// softly.
///
/// Rules: quieter-times.
struct LevelProperty: Property {
  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    guard case .heard(.begins, let sounding) = fact,
      world.isCalm(since: at.elapsed - 5 * minute)
    else { return nil }
    let anchors = [sounding.announcement?.occasion ?? at.shown, at.shown, at.shown - 10 * second]
    let levels = anchors.map { world.settings.level(WallClock.reading($0)) }
    let mayRise = if case .alarm? = sounding.ring { true } else { sounding.words?.isOfTime == true }
    let isRight = levels.contains { mayRise ? sounding.decibels <= $0 : sounding.decibels == $0 }
    return isRight ? nil : "it is at \(sounding.decibels) dB, not \(levels[0])"
  }
}
