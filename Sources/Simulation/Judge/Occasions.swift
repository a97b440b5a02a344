import Horology

/// Each occasion has exactly one fate: it is heard whole, once, or told with a reason that held then.
/// If nothing disturbs, it is heard at its instant, unless its owner wants it silent.
///
/// Rules: wall-clock, daylight-saving, set-back-little, set-back-far, silence-told,
/// quiet-announcements, quiet-bounds, quiet-night.
struct OccasionsProperty: Property {
  private var next: Int64?
  private var fates: [Int64: Fate] = [:]
  /// The latest time that the clock has shown since what was heard was forgotten, and when that was.
  /// Up to that time nothing is demanded: a small step back repeats nothing.
  private var (reached, forgotten) = (Int64.never, Int64.never)
  /// The last start, and when the clock was last set back. What was heard before both need not be kept.
  private var (started, setBack) = (Int64.never, Int64.never)
  /// The occasions of what was heard in the last minutes, nil for other words, and when.
  private var spoken: [(occasion: Int64?, at: Int64)] = []

  private struct Fate {
    /// Nil if it was silent.
    let heard: Programme?
    /// True if the owner wanted silence.
    var isWanted = false
    let at: Int64
  }

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .clockSet(let by):
      if by < 0 { setBack = at.elapsed }
      (next, reached) = (nil, max(reached, at.shown - by))
      forget(at, world)
    case .started: (next, reached, started) = (nil, at.shown, at.elapsed)
    case .took, .tookZone:
      next = nil
      forget(at, world)
    case .heard(let kind, .announcement(let heard)):
      spoken.removeAll { $0.at < at.elapsed - 5 * minute }
      spoken.append((heard.occasion, at.elapsed))
      guard let occasion = heard.occasion else { return nil }
      if kind == .anchor { return reaches(occasion, heard.programme, at, world) }
      let isQuiet = kind == .begins && world.settings.isQuiet(WallClock.reading(occasion))
      return isQuiet && !world.happened(.rules, since: at.elapsed - 3 * minute)
        ? "\(occasion.utcText) sounds in quiet hours" : nil
    case .told(.skipped(let first, let last, let reason)):
      let (first, last) = (first.instant.nanoseconds, last.instant.nanoseconds)
      if let known = fates[first], world.isCalm(since: known.at - minute) {
        return "\(first.utcText) has two fates"
      }
      return isSilent(first, through: last, reason, at, world)
    case .told(.cutOff(let said, let reason, _)):
      return said.occasion.flatMap { isSilent($0, through: $0, .stopped(reason), at, world) }
    case .rested: return pass(at, world)
    default: break
    }
    return nil
  }

  /// Set back by more than an interval, the clock was wrong before. What was queued still sounds.
  private mutating func forget(_ at: Moment, _ world: Situation) {
    let interval = Int64(world.settings.interval.minutes) * minute
    if at.shown > reached - interval + second { return }
    (reached, forgotten) = (at.shown, at.elapsed + 12 * second)
  }

  private mutating func reaches(
    _ occasion: Int64, _ programme: Programme, _ at: Moment, _ world: Situation
  ) -> String? {
    let before = fates.updateValue(Fate(heard: programme, at: at.elapsed), forKey: occasion)
    if let before, before.heard != nil, before.at > max(forgotten, min(started, setBack)) {
      return "\(occasion.utcText) sounds again"
    }
    return world.settings.isOccasion(WallClock.reading(occasion))
      || world.happened(.rules, since: at.elapsed - minute)
      ? nil : "\(occasion.utcText) is no occasion"
  }

  private mutating func isSilent(
    _ first: Int64, through last: Int64, _ reason: SkipReason, _ at: Moment, _ world: Situation
  ) -> String? {
    let reading = WallClock.reading(first)
    let lately = at.elapsed - 3 * minute
    // Nil for other reasons: they are judged by what was in the way.
    var holds: Bool? =
      switch reason {
      case .quietHours: world.settings.isQuiet(reading)
      case .nothingToSound: world.settings.piece(reading, .synchronised) == (0, false)
      case .untrusted:
        (world.trust == .untrusted && !world.settings.soundsUntrusted(reading))
          || world.happened(.trust, since: lately)
      case .switchOff, .switchLost, .stopped(.switchOff), .stopped(.switchLost):
        world.isSilenced || world.happened(.contact, since: lately)
      case .muted, .stopped(.muted):
        (world.mute.state != .off && at.elapsed <= world.mute.end ?? .max)
          || world.happened(.mute, since: lately)
      case .stopped(.byHand): world.happened(.hand, since: lately)
      default: nil
      }
    // What came just before a sleep is told after it.
    if world.happened(.sleep, .rules, since: lately) { holds = true }
    let start = max(first, last - 3 * hour)
    for occasion in WallClock.occasions(from: start, through: last, world.settings) {
      fates[occasion] = Fate(heard: nil, isWanted: holds != nil, at: at.elapsed)
    }
    return holds == false ? "\(first.utcText) is silent for no true reason: \(reason)" : nil
  }

  /// Time has passed: judges the occasions whose fate must be known.
  private mutating func pass(_ at: Moment, _ world: Situation) -> String? {
    guard world.isUp else { return nil }
    if next == nil { next = WallClock.nextOccasion(after: max(at.shown, reached), world.settings) }
    // By then its fate is known.
    while let occasion = next, at.shown > occasion + 90 * second {
      next = WallClock.nextOccasion(after: occasion, world.settings)
      let due = at.elapsed - (at.shown - occasion)
      if let what = judge(occasion, due, world) { return "\(occasion.utcText) \(what)" }
      if fates.count > 500 { fates = fates.filter { $0.value.at > at.elapsed - 4 * hour } }
    }
    return nil
  }

  private func judge(_ occasion: Int64, _ due: Int64, _ world: Situation) -> String? {
    let since = due - 3 * minute
    guard let fate = fates[occasion] else {
      // What the loop and the clock pass over may be told together.
      return world.happened(.clock, .sleep, .service, .rules, .hold, .trust, since: since)
        ? nil : "is neither heard nor told"
    }
    // It may have had its fate before the clock was set back over it.
    guard world.isCalm(since: since), fate.at > since else { return nil }
    let piece = world.settings.piece(WallClock.reading(occasion), world.trust)
    // Something else was heard that might be in its way.
    let span = due - 80 * second...due + 11 * second
    let isHindered = spoken.contains { $0.occasion != occasion && span.contains($0.at) }
    if isHindered || fate.isWanted { return nil }
    guard let heard = fate.heard else { return "is silent, and nothing was in its way" }
    let isWhole = heard.blows.count == piece.blows && (heard.words != .none) == piece.speaks
    return isWhole && abs(fate.at - due) <= Situation.tolerance
      ? nil : "is not heard as it should be"
  }
}
