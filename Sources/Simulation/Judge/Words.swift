import Horology

/// The words heard at a moment are the civil time at that moment.
struct Truth: Property {
  /// The time that a person named, and was promised.
  private var named: CivilTime?

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .promised(let time, _, _): named = time
    case .heard(.words, .announcement(let said)): return judge(said, at, world)
    default: break
    }
    return nil
  }

  private func judge(_ said: Announcement, _ at: Moment, _ world: Situation) -> String? {
    if case .timer(let words) = said.cause, !words.isOfTime { return nil }
    if Sounding.announcement(said).isOfItself { return nil }
    if said.cause == .request, said.time == named { return nil }
    var truth = world.readings(at).flatMap { [$0, $0 + Situation.tolerance] }
    // Words before a chime say the hour to come.
    if case .before = said.programme.words, let occasion = said.occasion { truth = [occasion] }
    let isTrue = truth.contains { world.face.reading($0).minuteOfDay == said.time.minuteOfDay }
    return isTrue || world.happened(.rules, since: at.elapsed - 2 * minute)
      ? nil : "\(said.time.hour):\(said.time.minute) is said"
  }
}

/// Each occasion sounds once, and they sound in order. A clock that was set back by more than an
/// interval was wrong before, and the past is forgotten.
struct Once: Property {
  /// The occasion that sounded last, the one before, and when.
  private var last: (occasion: Int64, at: Int64)?
  private var before: (occasion: Int64, at: Int64)?
  /// The latest time that the clock has shown since the past was forgotten.
  private var reached: Int64 = .never

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .clockSet(let by):
      reached = max(reached, at.shown - by)
      if at.shown <= reached - Int64(world.settings.interval.minutes) * minute + second {
        last = nil
        before = nil
        reached = at.shown
      }
    // The clock was set back just before it was heard.
    case .told(let report):
      if let cut = report.cutOff, cut.occasion == last?.occasion,
        cut.reason == .stopped(.clockSet)
      {
        last = before
      }
    // What sounded before a start, or at another interval, is not kept.
    case .ended, .took: (last, before) = (nil, nil)
    case .heard(let kind, let sounding):
      guard let occasion = sounding.occasion else { return nil }
      if kind == .anchor { return reaches(occasion, at, world) }
      // It was stopped before the player told of its anchor: it may come again.
      let isLast = last.map { $0.occasion == occasion && at.elapsed - $0.at <= Situation.told }
      if kind == .ends, isLast == true { last = before }
    default: break
    }
    return nil
  }

  private mutating func reaches(_ occasion: Int64, _ at: Moment, _ world: Situation) -> String? {
    if !world.settings.isOccasion(world.face.reading(occasion)),
      !world.happened(.rules, since: at.elapsed - minute)
    {
      return "\(occasion.utcText) is no occasion"
    }
    if let last {
      if occasion == last.occasion { return "\(occasion.utcText) sounds again" }
      // What was queued as the clock was set back is heard after that.
      if occasion < last.occasion, !world.happened(.clock, since: last.at - 12 * second) {
        return "\(occasion.utcText) sounds after \(last.occasion.utcText)"
      }
    }
    (before, last) = (last, (occasion, at.elapsed))
    return nil
  }
}

/// Two phrases never sound together, nor do two rings.
struct Overlap: Property {
  /// The rings that are heard, and since when.
  private var begun: [SoundingID: Int64] = [:]

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .heard(.begins, .announcement(let said)):
      let isAlone = world.heard.allSatisfy { $1.sounding.announcement == nil || $0 == said.id }
      return isAlone ? nil : "something is said while something is said"
    case .heard(.begins, let sounding) where sounding.ring != nil:
      begun[sounding.id] = at.elapsed
    case .heard(.ends, let sounding):
      guard let since = begun.removeValue(forKey: sounding.id), sounding.blows.isEmpty,
        world.isCalm(since: at.elapsed - 20 * second)
      else { return nil }
      // One of the two gives way once the player has told that the other has begun.
      let together = begun.values.map { at.elapsed - max($0, since) }.max() ?? 0
      return together > Situation.fade + Situation.tolerance + 20 * millisecond
        ? "two rings sound together" : nil
    case .ended: begun = [:]
    default: break
    }
    return nil
  }
}

/// The volume is the one that the rules set for the time at which it sounds. An alarm may begin
/// softly.
struct Level: Property {
  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    guard case .heard(.begins, let sounding) = fact,
      world.isCalm(since: at.elapsed - 5 * minute)
    else { return nil }
    let anchors = [sounding.occasion ?? at.shown, at.shown, at.shown - 10 * second]
    let levels = anchors.map { world.settings.level(world.face.reading($0)) }
    let mayRise = sounding.ring != nil || sounding.words?.isOfTime == true
    let isRight = levels.contains {
      mayRise ? sounding.decibels <= $0 : sounding.decibels == $0
    }
    return isRight ? nil : "it is at \(sounding.decibels) dB, not \(levels[0])"
  }
}

/// The first blow of the hour is the hour: no blow is off its moment, and no words are later than
/// ten seconds.
struct OnTime: Property {
  /// When the anchor of an announcement was heard.
  private var anchors: [SoundingID: Int64] = [:]
  /// The answer that was promised for an instant.
  private var wanted: (id: SoundingID, at: Int64)?

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .ended: (anchors, wanted) = ([:], nil)
    case .promised(_, let instant, let answer):
      wanted = instant.map { (answer.id, $0.nanoseconds) }
    case .heard(let kind, .announcement(let announcement)):
      let isChime = announcement.occasion != nil && !announcement.programme.blows.isEmpty
      switch kind {
      case .anchor where isChime:
        defer { anchors[announcement.id] = at.elapsed }
        return judge(0, of: announcement, at, world)
      case .blow(let offset) where isChime: return judge(offset, of: announcement, at, world)
      case .words where !isChime: return judgeWords(of: announcement, at, world)
      case .ends: anchors[announcement.id] = nil
      default: break
      }
    default: break
    }
    return nil
  }

  private func judge(
    _ offset: Int64, of announcement: Announcement, _ at: Moment, _ world: Situation
  ) -> String? {
    // From the anchor on, blows keep their distance, whatever the clock shows.
    let errors =
      anchors[announcement.id].map { [at.elapsed - $0 - offset] }
      ?? world.readings(at).map { $0 - announcement.occasion! - offset }
    let error = errors.min { abs($0) < abs($1) }!
    return abs(error) <= world.tolerance(at)
      ? nil : "a blow is \(Duration.nanoseconds(error).roughly) off its moment"
  }

  private func judgeWords(
    of announcement: Announcement, _ at: Moment, _ world: Situation
  ) -> String? {
    var limit: Int64 = 0
    if announcement.occasion != nil {
      if world.happened(.rules, since: at.elapsed - 2 * minute) { return nil }
      let isFree = world.isCalm(since: at.elapsed - 3 * minute) && world.pause > 3 * minute
      if !isFree { limit = 10 * second }
    }
    let promised = wanted?.id == announcement.id ? wanted?.at : nil
    guard let due = announcement.occasion ?? promised else { return nil }
    let allowed = world.tolerance(at)
    let delays = world.readings(at).map { $0 - due }
    return delays.contains { (-allowed...(limit + allowed)).contains($0) }
      ? nil : "the words are \(Duration.nanoseconds(delays[0]).roughly) off their moment"
  }
}
