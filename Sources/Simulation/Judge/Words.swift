import Horology

/// The words heard at a moment are the civil time at that moment.
struct Truth: Property {
  /// The time that a person named, and was promised.
  private var asked: CivilTime?
  private var named: CivilTime?

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .asked(let time, _): asked = time
    case .promised: named = asked
    case .heard(.words, let played): return judge(played, at, world)
    default: break
    }
    return nil
  }

  private func judge(_ played: Played, _ at: Moment, _ world: Situation) -> String? {
    guard let time = played.time else { return nil }
    if played.what == .request, time == named { return nil }
    // Words before a chime say the hour to come.
    let span = 2 * minute
    let isTrue = world.valid(at, within: span).contains { _, face in
      if case .before = played.piece.words {
        return time.minuteOfDay == face.reading(played.occasion ?? 0).minuteOfDay
      }
      return world.readings(at).contains {
        [$0, $0 + Situation.tolerance].contains {
          time.minuteOfDay == face.reading($0).minuteOfDay
        }
      }
    }
    return isTrue ? nil : "\(time.hour):\(time.minute) is said"
  }
}

/// Each occasion sounds once, and they sound in order. A clock that was set back by more than an
/// interval was wrong before, and the past is forgotten.
struct Once: Property {
  /// The occasions that have sounded, and when.
  private var sounded: [Int64: Int64] = [:]
  private var last: (occasion: Int64, at: Int64)?
  private var before: (occasion: Int64, at: Int64)?
  /// The latest time that the clock has shown since the past was forgotten.
  private var reached: Int64 = .never
  /// When the clock was last set back.
  private var setBack: Int64 = .never
  private var saved: Int64 = .never

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .clockSet(let by):
      reached = max(reached, at.shown - by)
      if by < 0 { setBack = at.elapsed }
      if at.shown <= reached - Int64(world.rules.interval) * minute + second {
        sounded = [:]
        reached = at.shown
      }
    case .saved: saved = at.elapsed
    // The clock was set back just before it was heard.
    case .cutOff(let occasion, .clockSet?): sounded[occasion] = nil
    // After a start only the last is known, and nothing that sounded after it was saved.
    case .started:
      let last = sounded.keys.max()
      sounded = sounded.filter { $0.key == last }
    case .ended(isKilled: true): sounded = sounded.filter { $0.value < saved }
    case .heard(let kind, let played):
      guard let occasion = played.occasion else { return nil }
      switch kind {
      case .blow(let offset) where offset >= 0: return reaches(occasion, played, at, world)
      case .words where played.piece.blows.isEmpty: return reaches(occasion, played, at, world)
      // It was stopped just before its anchor, which was heard in the fade: it may come again.
      case .ends where sounded[occasion].map { at.elapsed - $0 <= Situation.fade } == true:
        sounded[occasion] = nil
        last = before
      default: break
      }
    default: break
    }
    return nil
  }

  private mutating func reaches(
    _ occasion: Int64, _ played: Played, _ at: Moment, _ world: Situation
  ) -> String? {
    let begun = world.heard[played.id]?.since ?? at.elapsed
    if let when = sounded[occasion] {
      return when >= begun ? nil : "\(occasion.utcText) sounds again"
    }
    let known = world.valid(at, within: minute)
    if !known.contains(where: { $0.isOccasion($1.reading(occasion)) }) {
      return "\(occasion.utcText) is no occasion"
    }
    // What was queued as the clock was set back is heard after that.
    if let last, occasion < last.occasion, setBack < last.at - 12 * second {
      return "\(occasion.utcText) sounds after \(last.occasion.utcText)"
    }
    (before, last) = (last, (occasion, at.elapsed))
    sounded = sounded.filter { $0.value > at.elapsed - 3 * day }
    sounded[occasion] = at.elapsed
    return nil
  }
}

/// Two phrases never sound together, nor do two rings.
struct Overlap: Property {
  /// The rings that are heard, and since when.
  private var begun: [Int: Int64] = [:]

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .heard(.begins, let played) where played.isAnnouncement:
      let other = world.heard.values.contains { $0.played.isAnnouncement && $0.played != played }
      return other ? "something is said while something is said" : nil
    case .heard(.begins, let played) where played.ring != nil: begun[played.id] = at.elapsed
    case .heard(.ends, let played):
      guard let since = begun.removeValue(forKey: played.id), played.piece.blows.isEmpty,
        world.isCalm(since: at.elapsed - 20 * second)
      else { return nil }
      // One of the two gives way.
      let together = begun.values.map { at.elapsed - max($0, since) }.max() ?? 0
      return together > Situation.fade + Situation.tolerance ? "two rings sound together" : nil
    case .ended: begun = [:]
    default: break
    }
    return nil
  }
}

/// No quiet hour is broken by what comes by itself, and a clock that is not trusted says nothing by
/// itself, unless its owner lets it.
struct Quiet: Property {
  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    guard case .heard(.begins, let played) = fact, let occasion = played.occasion else {
      return nil
    }
    let known = world.valid(at, within: 10 * second).map { ($0, $1.reading(occasion)) }
    if known.allSatisfy({ $0.isQuiet($1) }) { return "it sounds in quiet hours" }
    let isAllowed = known.contains { $0.allows(world.trust, at: $1) }
    return isAllowed || world.happened([.trust], since: at.elapsed - 10 * second)
      ? nil : "it begins by a clock that is not trusted"
  }
}

/// The volume is the one that the rules set for the time at which it sounds.
struct Level: Property {
  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    guard case .heard(.ends, let played) = fact, played.isAnnouncement,
      world.isCalm(since: at.elapsed - 5 * minute)
    else { return nil }
    // The time for an alarm grows louder with its ring.
    if case .words(_, isTime: true) = played.what { return nil }
    let levels = [played.occasion ?? at.shown, at.shown, at.shown - 10 * second].map {
      world.rules.decibels(world.face.reading($0))
    }
    return levels.contains(played.decibels)
      ? nil : "it is at \(played.decibels) dB, not \(levels[0])"
  }
}

/// The first blow of the hour is the hour: no blow is off its moment, and no words are later than
/// `late_limit`.
struct OnTime: Property {
  /// When the anchor of an announcement was heard.
  private var anchors: [Int: Int64] = [:]
  /// The instant for which a person asked, and was promised the answer.
  private var asked: Int64?
  private var wanted: Int64?

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .ended: anchors = [:]
    case .asked(_, let instant): asked = instant
    case .promised: wanted = asked
    case .pressed: wanted = nil
    case .heard(.ends, let played): anchors[played.id] = nil
    case .heard(.blow(let offset), let played):
      guard let occasion = played.occasion else { return nil }
      return judge(offset, of: occasion, played, at, world)
    case .heard(.words, let played): return judgeWords(played, at, world)
    default: break
    }
    return nil
  }

  private mutating func judge(
    _ offset: Int64, of occasion: Int64, _ played: Played, _ at: Moment, _ world: Situation
  ) -> String? {
    let allowed = Situation.tolerance + world.smallSteps(at)
    let errors: [Int64]
    if let anchor = anchors[played.id] {
      // From the anchor on, blows keep their distance, whatever the clock shows.
      errors = [at.elapsed - anchor - offset]
    } else {
      errors = world.readings(at).map { $0 - occasion - offset }
    }
    // A step forward may overtake a blow, which then comes at once.
    let isOvertaken =
      errors.contains { $0 > 0 && $0 < 600 * millisecond } && errors.contains { $0 < 0 }
    if offset >= 0, anchors[played.id] == nil { anchors[played.id] = at.elapsed - offset }
    let error = errors.min { abs($0) < abs($1) }!
    return abs(error) <= allowed || isOvertaken
      ? nil : "a blow is \(Duration.nanoseconds(error).roughly) off its moment"
  }

  private func judgeWords(_ played: Played, _ at: Moment, _ world: Situation) -> String? {
    guard played.piece.blows.isEmpty else { return nil }
    let due: Int64
    var limit = world.valid(at, within: 2 * minute).map(\.rules.lateLimit).max()!
    switch played.what {
    case .occasion(let occasion):
      due = occasion
      // Nothing was in its way.
      if world.isCalm(since: at.elapsed - 3 * minute), world.pause > 3 * minute { limit = 0 }
    case .request:
      guard let wanted else { return nil }
      (due, limit) = (wanted, 0)
    default: return nil
    }
    let allowed = Situation.tolerance + world.smallSteps(at)
    let delays = world.readings(at).map { $0 - due }
    let isTimely = delays.contains { (-allowed...(limit + allowed)).contains($0) }
    return isTimely
      ? nil : "the words are \(Duration.nanoseconds(delays[0]).roughly) off their moment"
  }
}
