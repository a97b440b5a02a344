import Horology

/// Each occasion has exactly one fate: it is heard whole, or told with a reason that held then. If
/// nothing disturbs, it is heard at its instant, unless its owner wants it silent: in quiet hours, or
/// while the clock is not trusted.
struct Occasions: Property {
  /// The next occasion that the clock will show.
  private var next: Int64?
  /// Occasions that the clock has shown, and when.
  private var open: [(occasion: Int64, due: Int64)] = []
  private var fates: [Int64: (fate: Fate, at: Int64)] = [:]
  /// The occasions of what was heard in the last minutes, nil for other words, and when.
  private var spoken: [(occasion: Int64?, at: Int64)] = []

  private enum Fate {
    case heard(Programme)
    case skipped(SkipReason)
    case cutOff
  }

  /// Within this time of an occasion its fate is known.
  private static let settled = 90 * second

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .clockSet, .tookZone, .took, .started, .ended: (next, open) = (nil, [])
    case .heard(let kind, .announcement(let heard)):
      spoken.removeAll { $0.at < at.elapsed - 5 * minute }
      spoken.append((heard.occasion, at.elapsed))
      if kind == .anchor, let occasion = heard.occasion {
        fates[occasion] = (.heard(heard.programme), at.elapsed)
      }
    case .told(.skipped(let first, let last, let reason)):
      return skipped(first.instant.nanoseconds, last.instant.nanoseconds, reason, at, world)
    case .told(let report):
      guard let (occasion, reason) = report.cutOff else { return nil }
      fates[occasion] = (.cutOff, at.elapsed)
      return judge(reason, occasion, at, world)
    case .rested: return pass(at, world)
    default: break
    }
    return nil
  }

  private mutating func skipped(
    _ first: Int64, _ last: Int64, _ reason: SkipReason, _ at: Moment, _ world: Situation
  ) -> String? {
    if let what = judge(reason, first, at, world) { return what }
    if let known = fates[first], world.isCalm(since: known.at - minute) {
      return "\(first.utcText) has two fates"
    }
    let start = max(first, last - 3 * hour)
    for occasion in world.face.occasions(from: start, through: last, world.settings) {
      fates[occasion] = (.skipped(reason), at.elapsed)
    }
    return nil
  }

  /// Time has passed: judges the occasions whose fate must be known.
  private mutating func pass(_ at: Moment, _ world: Situation) -> String? {
    guard world.upSince != nil else { return nil }
    if next == nil { next = world.face.nextOccasion(after: at.shown, world.settings) }
    while let occasion = next, occasion <= at.shown {
      open.append((occasion, at.elapsed - (at.shown - occasion)))
      next = world.face.nextOccasion(after: occasion, world.settings)
    }
    while let (occasion, due) = open.first, at.elapsed > due + Self.settled {
      open.removeFirst()
      if let what = judge(occasion, due, at, world) { return what }
      if fates.count > 500 { fates = fates.filter { $0.value.at > at.elapsed - 4 * hour } }
    }
    return nil
  }

  private func judge(
    _ occasion: Int64, _ due: Int64, _ at: Moment, _ world: Situation
  ) -> String? {
    let since = due - 3 * minute
    guard let (fate, decided) = fates[occasion] else {
      // What the loop and the clock pass over may be told together.
      let isHindered =
        world.happened(.clock, .sleep, .service, .rules, .hold, .trust, since: since)
        || world.isStopping || world.upSince! >= since
      return isHindered ? nil : "\(occasion.utcText) is neither heard nor told"
    }
    // It may have had its fate before the clock was set back over it.
    guard world.isCalm(since: since), decided > since else { return nil }
    let reading = world.face.reading(occasion)
    let piece = world.settings.piece(reading, isTrusted: world.trust != .untrusted)
    // Something else was heard that might be in its way.
    let earliest = due - piece.lead.nanoseconds - 20 * second
    let wasBusy = spoken.contains { $0.occasion != occasion && $0.at >= earliest }
    switch fate {
    case .heard where world.settings.isQuiet(reading):
      return "\(occasion.utcText) sounds in quiet hours"
    case .heard where !world.settings.allows(world.trust, at: reading):
      return "\(occasion.utcText) sounds by a clock that is not trusted"
    case .heard(let heard):
      return heard == piece || (heard == .wordsAlone && wasBusy)
        ? nil : "\(occasion.utcText) is not heard as it should be"
    case .skipped(
      .quietHours), .skipped(.nothingToSound), .skipped(.untrusted), .skipped(.switchOff),
      .skipped(.switchLost), .skipped(.muted):
      return nil
    case .skipped where wasBusy: return nil
    case .skipped, .cutOff: return "\(occasion.utcText) is silent, and nothing was in its way"
    }
  }

  /// Judges whether the owner wants silence, or wanted it a moment before. Other reasons are judged by
  /// what was in the way.
  private func judge(
    _ reason: SkipReason, _ first: Int64, _ at: Moment, _ world: Situation
  ) -> String? {
    let reading = world.face.reading(first)
    // What came just before a sleep is told after it.
    let hasSlept = world.happened(.sleep, since: at.elapsed - 3 * minute)
    let lately = at.elapsed - (hasSlept ? 12 * hour : 3 * minute)
    let holds =
      switch reason {
      case .quietHours: world.settings.isQuiet(reading)
      case .nothingToSound:
        world.settings.piece(reading, isTrusted: true) == Programme(blows: [], words: .none)
      case .untrusted:
        !world.settings.allows(.untrusted, at: reading) && world.trust == .untrusted
          || world.happened(.trust, since: lately)
      case .switchOff, .switchLost, .stopped(.switchOff), .stopped(.switchLost):
        world.isSilenced || world.happened(.contact, since: lately)
      case .muted, .stopped(.muted):
        world.mute.state != .off || world.happened(.mute, since: lately)
      case .stopped(.byHand): world.happened(.hand, since: lately)
      default: true
      }
    return holds || world.happened(.rules, since: lately)
      ? nil : "\(first.utcText) is silent for no true reason: \(reason)"
  }
}
