import Horology

/// Each occasion has exactly one fate: it is heard whole, or told with a reason that held then. If
/// nothing disturbs, it is heard at its instant, unless its owner wants it silent.
struct Occasions: Property {
  /// The next occasion that the clock will show.
  private var next: Int64?
  private var shown: Int64?
  /// Occasions that the clock has shown, and when.
  private var open: [(occasion: Int64, at: Int64)] = []
  private var fates: [Int64: (fate: Fate, at: Int64)] = [:]
  private var muted: (state: SoftwareMute, since: Int64) = (.off, .never)
  private var saved: Int64 = .never
  /// What was heard in the last minutes: its occasion, if it is one, and when.
  private var spoken: [(occasion: Int64?, at: Int64)] = []

  private enum Fate {
    case heard(OwnerRules.Piece)
    case skipped(SkipReason)
    case cutOff
  }

  /// Within this time of an occasion its fate is known.
  private static let settled = 90 * second

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .clockSet, .tookZone, .took, .started, .ended:
      next = nil
      open = []
      // An unmute may be lost with the power.
      if case .ended(isKilled: true) = fact, muted.since >= saved { muted.state = .on }
    case .saved: saved = at.elapsed
    case .muted(let state): muted = (state, at.elapsed)
    case .heard(let kind, let played):
      guard played.isAnnouncement else { break }
      spoken.removeAll { $0.at < at.elapsed - 5 * minute }
      spoken.append((played.occasion, at.elapsed))
      if let occasion = played.occasion, isAnchor(kind, played) {
        fates[occasion] = (.heard(played.piece), at.elapsed)
      }
    case .cutOff(let occasion, let reason):
      fates[occasion] = (.cutOff, at.elapsed)
      let reason = reason.map { SkipReason.stopped($0) } ?? .failed("")
      return judge(reason, occasion, at, world)
    case .skipped(let first, let last, let reason):
      if let what = judge(reason, first, at, world) { return what }
      if let known = fates[first], world.isCalm(since: known.at - minute) {
        return "\(first.utcText) has two fates"
      }
      let start = max(first - 1, last - 3 * hour)
      for occasion in world.face.occasions(after: start, through: last, world.rules) {
        fates[occasion] = (.skipped(reason), at.elapsed)
      }
    default: break
    }
    return pass(at, world)
  }

  private func isAnchor(_ kind: Sound.Kind, _ played: Played) -> Bool {
    switch kind {
    case .blow(let offset): offset >= 0
    case .words: played.piece.blows.isEmpty
    case .begins, .ends: false
    }
  }

  /// Time has passed: judges the occasions whose fate must be known.
  private mutating func pass(_ at: Moment, _ world: Situation) -> String? {
    guard world.upSince != nil else { return nil }
    if next == nil { next = world.face.nextOccasion(after: at.shown, world.rules) }
    while let occasion = next, occasion <= at.shown {
      open.append((occasion, at.elapsed - (at.shown - occasion)))
      next = world.face.nextOccasion(after: occasion, world.rules)
    }
    while let (occasion, due) = open.first, at.elapsed > due + Self.settled {
      open.removeFirst()
      let fate = fates[occasion]
      if fates.count > 2000 { fates = fates.filter { $0.value.at > at.elapsed - 12 * hour } }
      if let what = judge(fate, of: occasion, due, at, world) { return what }
    }
    return nil
  }

  private func judge(
    _ fate: (fate: Fate, at: Int64)?, of occasion: Int64, _ due: Int64, _ at: Moment,
    _ world: Situation
  ) -> String? {
    let since = due - 3 * minute
    guard let fate else {
      // What the loop and the clock pass over may be told together.
      let isHindered = world.happened(
        [.clock, .sleep, .service, .rules, .hold, .trust], since: since)
      return isHindered || world.isStopping || world.upSince! >= since
        ? nil : "\(occasion.utcText) is neither heard nor told"
    }
    // It may have had its fate before the clock was set back over it.
    guard world.isCalm(since: since), fate.at > since else { return nil }
    let reading = world.face.reading(occasion)
    let piece = world.rules.piece(reading, isTrusted: world.trust != .untrusted)
    switch fate.fate {
    case .heard(let heard):
      let isWhole = heard == piece || (heard == .wordsAlone && wasBusy(occasion, due, piece))
      return isWhole ? nil : "\(occasion.utcText) is not heard as it should be"
    case .cutOff: return "\(occasion.utcText) is cut off, and nothing was in its way"
    case .skipped(let reason):
      let isMeant =
        switch reason {
        case .quietHours, .nothingToSound, .untrusted, .switchOff, .switchLost, .muted: true
        default: wasBusy(occasion, due, piece)
        }
      return isMeant ? nil : "\(occasion.utcText) is skipped, and nothing was in its way"
    }
  }

  /// True if something else was heard that might be in the way of an occasion.
  private func wasBusy(_ occasion: Int64, _ due: Int64, _ piece: OwnerRules.Piece) -> Bool {
    spoken.contains { $0.occasion != occasion && $0.at >= due - piece.lead - 20 * second }
  }

  // MARK: Reasons

  /// Judges whether a reason holds, or held a moment before.
  private mutating func judge(
    _ reason: SkipReason, _ first: Int64, _ at: Moment, _ world: Situation
  ) -> String? {
    let known = world.valid(at, within: second).map { ($0, $1.reading(first)) }
    // What came just before a sleep is told after it.
    let hasSlept = world.happened([.sleep], since: at.elapsed - 3 * minute)
    let lately = at.elapsed - (hasSlept ? 12 * hour : 3 * minute)
    let isBusy = spoken.contains { $0.occasion != first && $0.at >= lately }
    func happened(_ causes: Cause...) -> Bool { world.happened(causes, since: lately) }
    let holds: Bool
    switch reason {
    case .quietHours: holds = known.contains { $0.isQuiet($1) }
    case .nothingToSound:
      holds = known.contains { $0.piece($1, isTrusted: true) == OwnerRules.Piece() }
    case .untrusted:
      holds =
        known.contains { !$0.allows(.untrusted, at: $1) }
        && (world.trust == .untrusted || happened(.trust))
    case .switchOff: holds = world.ringer == .off || happened(.contact)
    case .switchLost: holds = world.isSilenced || happened(.contact, .rules)
    case .muted: holds = muted.state != .off || muted.since >= lately
    case .busy: holds = isBusy || !world.isCalm(since: lately)
    case .failed: holds = happened(.speaker, .hold, .sleep, .clock)
    case .late:
      holds =
        happened(.clock, .sleep, .service, .rules, .hold, .contact, .mute, .speaker, .trust)
        || isBusy
    case .tooLateForChime:
      holds = isBusy || !world.isCalm(since: lately)
    case .stopped(let stop):
      holds =
        switch stop {
        case .clockSet: happened(.clock)
        case .slept: happened(.sleep)
        case .rulesChanged: happened(.rules, .trust)
        case .switchOff, .switchLost: happened(.contact, .rules)
        case .muted: happened(.mute)
        case .byHand: happened(.hand)
        case .serviceEnds: world.isStopping
        case .timerChanged, .replaced: false
        }
    case .occasionIsNear, .tooNear: holds = false
    }
    return holds ? nil : "\(first.utcText) is silent for no true reason: \(reason)"
  }
}
