/// The cues that the player was given. All moments are since the machine started.
struct CueBook {
  /// The last cue that the player was given.
  private(set) var last = SoundingID(0)
  /// Cues that the player has not ended.
  private var held: [SoundingID: Held] = [:]
  /// When the next cue of a source can begin: the last one that it was given is over.
  private(set) var next: [Cue.Source: Duration] = [:]
  /// Sources that could not be heard, which was reported.
  private var unheard: Set<Cue.Source> = []
  /// Anchor of the last ring that was heard.
  private var lastHeard: Duration?
  /// The last ring that was not heard.
  private var lastFailure: (anchor: Duration, why: String)?
  /// After a failure the player gets no cue until this moment.
  private(set) var restsUntil = Duration.zero

  private struct Held {
    let cue: Cue
    var isHeard = false
    /// The player was told to stop it.
    var isStopped = false
  }

  /// The earliest moment for the next cue of a source that rings from `since` on. If there was no
  /// time for the first ring, it comes a little late rather than not at all.
  func earliestRing(of source: Cue.Source, _ since: Duration, from earliest: Duration) -> Duration {
    if let next = next[source] { return max(next, earliest) }
    return earliest < since + Cue.ringPeriod ? since : earliest
  }

  /// Notes that the player is given this cue, which may be late already.
  mutating func give(_ cue: Cue, at now: Now) {
    precondition(last < cue.id, "no sounding has the number of another")
    last = cue.id
    held[cue.id] = Held(cue: cue)
    next[cue.source] = cue.over + max(now.sinceBoot - cue.anchor, .zero)
  }

  // MARK: What the player tells

  /// A cue has begun.
  mutating func heard(_ sounding: SoundingID) { held[sounding]?.isHeard = true }

  /// A cue has ended.
  /// - Returns: why its source is not heard; nil if it is, or if that was reported.
  mutating func end(
    _ sounding: SoundingID, with outcome: Outcome, at now: Now
  ) -> (source: Cue.Source, why: String)? {
    guard let ended = held.removeValue(forKey: sounding) else { return nil }
    let cue = ended.cue
    if cue.isRing, outcome.wasHeard { lastHeard = max(lastHeard ?? cue.anchor, cue.anchor) }
    guard !ended.isStopped else { return nil }
    let complaint: String
    switch outcome {
    case .stopped: return nil
    case .finished:
      unheard.remove(cue.source)
      return nil
    case .failed(let why, _):
      complaint = why
      restsUntil = now.sinceBoot + Announcer.retryDelay
      // There may be time for another try. Cues that the player still has are not given again.
      if now.sinceBoot < cue.anchor || !cue.blows.isEmpty { reopen(cue.source) }
    case .tooLate(let delay):
      complaint = Announcer.tooLate(delay)
      // The next tune has more time, because a speaker that is slow to open would make it too late
      // again and again.
      if !cue.blows.isEmpty { next[cue.source] = now.sinceBoot + Announcer.preparation }
    }
    if cue.isRing, !outcome.wasHeard { lastFailure = (cue.anchor, complaint) }
    return unheard.insert(cue.source).inserted ? (cue.source, complaint) : nil
  }

  /// True if a ring that was to begin at `since` or later was heard, or sounds now. One ring is
  /// heard for all that ring.
  func hasRung(since: Duration) -> Bool {
    if let lastHeard, lastHeard >= since { return true }
    return held.values.contains { $0.isHeard && $0.cue.isRing && since <= $0.cue.anchor }
  }

  /// Why a ring that was to begin at `since` or later was not heard; nil if none failed.
  func failure(since: Duration) -> String? {
    lastFailure.flatMap { $0.anchor >= since ? $0.why : nil }
  }

  /// True if the player has a cue of this source.
  func holds(_ source: Cue.Source) -> Bool {
    held.values.contains { !$0.isStopped && $0.cue.source == source }
  }

  // MARK: Stops

  /// Stops these cues. Those still to come are given again.
  mutating func silence(_ silence: Silence, at now: Now) -> [Effect] {
    switch silence.cues {
    case .none: return []
    case .all(let finishesHeard):
      next = [:]
      return stop(silence.reason) { !finishesHeard || !$0.isHeard }
    case .of(let sources):
      for source in sources { next[source] = nil }
      unheard.subtract(sources)
      return stop(silence.reason) { sources.contains($0.cue.source) }
    case .replaced(let rings):
      // One ring at a time. One that is heard is stopped when the other begins.
      let begun = Set(held.values.filter { $0.isHeard && !$0.isStopped }.map(\.cue.source))
      return stop(silence.reason) { given in
        let cue = given.cue
        guard cue.isRing, let heard = rings.heard(at: max(cue.anchor, now.sinceBoot)) else {
          return false
        }
        return heard != cue.source && (!given.isHeard || begun.contains(heard))
      }
    }
  }

  private mutating func stop(_ reason: StopReason, where isMeant: (Held) -> Bool) -> [Effect] {
    let stopped = held.values.filter { !$0.isStopped && isMeant($0) }.map(\.cue)
      .sorted { $0.id < $1.id }
    for cue in stopped {
      held[cue.id]?.isStopped = true
      reopen(cue.source)
    }
    return stopped.map { .stop($0.id, reason) }
  }

  /// A cue was not heard: the next of its source can begin when those that the player keeps are over.
  private mutating func reopen(_ source: Cue.Source) {
    next[source] = held.values.filter { !$0.isStopped && $0.cue.source == source }
      .map(\.cue.over).max()
  }
}

extension Outcome {
  /// True if some of it was heard.
  fileprivate var wasHeard: Bool {
    switch self {
    case .finished: true
    case .stopped(_, let silentAt): silentAt != nil
    case .failed(_, let heard): heard != .nothing
    case .tooLate: false
    }
  }
}
