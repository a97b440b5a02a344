/// The cues that the player has been given. It is given each once.
struct CueBook: Hashable, Sendable {
  /// What the player has been given and has not ended.
  private(set) var cues: [SoundingID: Cue] = [:]
  /// The last cue that was given, by whose it is. Those that begin to ring together share one.
  private var given: [Cue.Source: Given] = [:]
  /// Whose cues could not be heard, which is told once.
  private var unheard: Set<Cue.Source> = []
  /// After a failure nothing is given to the player until then, since the machine started.
  private(set) var restsUntil = Duration.zero

  private struct Given: Hashable, Sendable {
    /// What is heard: it may be the cue of another.
    let id: SoundingID
    let anchor: Duration
    /// When the next can follow it.
    let over: Duration
  }

  /// The anchor of the last cue of this that was given.
  func last(of source: Cue.Source) -> Duration? { given[source]?.anchor }

  /// When a tune of this can follow the last cue that was given.
  func over(of source: Cue.Source) -> Duration? { given[source]?.over }

  /// When the next cue of this can sound at the earliest, since the machine started.
  func earliest(of source: Cue.Source, _ lead: Duration, _ now: Now) -> Duration {
    max(now.sinceBoot + lead, last(of: source).map { $0 + .nanoseconds(1) } ?? .zero)
  }

  /// As `earliest`, of what rings since then. The first ring, if there was no time for it, comes a
  /// little late rather than not at all.
  func earliestRing(
    of source: Cue.Source, _ since: Duration, _ lead: Duration, _ now: Now
  ) -> Duration {
    let isFirst = last(of: source) == nil && now.sinceBoot + lead < since + DueCue.ringPeriod
    return isFirst ? since : earliest(of: source, lead, now)
  }

  /// The player is given this one.
  mutating func give(_ cue: Cue) {
    given[cue.source] = Given(id: cue.id, anchor: cue.anchor, over: cue.over)
    cues[cue.id] = cue
  }

  /// Rings that are to begin within this are one.
  private static let sharedWithin = Duration.seconds(1)

  /// A ring that is given and begins within a second of this one is heard for it, too, if it is as
  /// loud. For a tune only a tune is.
  /// - Returns: false if there is none.
  mutating func share(_ due: DueCue, at decibels: Double) -> Bool {
    let shared = cues.values.filter {
      $0.isRing && $0.decibels >= decibels && (due.blows.isEmpty || !$0.blows.isEmpty)
        && ($0.anchor - due.anchor).magnitude < Self.sharedWithin
    }
    guard due.signal == .ring, let cue = shared.max(by: { $0.anchor < $1.anchor }) else {
      return false
    }
    given[due.source] = Given(id: cue.id, anchor: due.anchor, over: cue.over)
    return true
  }

  /// A cue has ended.
  /// - Returns: whose it was, and why it was not heard if that is to be told; nil if it is none of
  ///   these.
  mutating func end(
    _ sounding: SoundingID, with outcome: Outcome, at now: Now
  ) -> (source: Cue.Source, complaint: String?)? {
    guard let cue = cues.removeValue(forKey: sounding) else { return nil }
    var complaint: String?
    switch outcome {
    case .finished: unheard.remove(cue.source)
    case .failed(let why, _):
      restsUntil = now.sinceBoot + Announcer.retryDelay
      // There may be time to try once more; what the player holds of it is not given again.
      if now.sinceBoot < cue.anchor || !cue.blows.isEmpty { forgetGiven { $0.id == sounding } }
      complaint = why
    case .tooLate(let delay): complaint = cue.signal == .ring ? nil : Announcer.tooLate(delay)
    case .stopped: break
    }
    if complaint != nil, !unheard.insert(cue.source).inserted { complaint = nil }
    return (cue.source, complaint)
  }

  /// True if the player has a cue of this.
  func holds(_ source: Cue.Source) -> Bool { cues.values.contains { $0.source == source } }

  /// The next of these that is not heard is told.
  mutating func forgetComplaint(of source: Cue.Source) { unheard.remove(source) }

  // MARK: Taking back

  /// Takes back what the player was given of these, and forgets what it was given before.
  mutating func recall(_ sources: Set<Cue.Source>, _ reason: StopReason) -> [Effect] {
    unheard.subtract(sources)
    let held = Set(cues.keys)
    let stops = takeBack(reason) { sources.contains($0.source) }
    given = given.filter { !sources.contains($0.key) }
    // Others may have shared what is taken back.
    let gone = held.subtracting(cues.keys)
    forgetGiven { gone.contains($0.id) }
    return stops
  }

  /// What was given last is not heard: before it comes what the player still holds.
  private mutating func forgetGiven(where isForgotten: (Given) -> Bool) {
    for source in given.keys.filter({ given[$0].map(isForgotten) ?? false }) {
      given[source] = cues.values.filter { $0.source == source }
        .max { $0.anchor < $1.anchor }
        .map { Given(id: $0.id, anchor: $0.anchor, over: $0.over) }
    }
  }

  // MARK: One ring at a time

  /// Takes back the rings of all others once the one that is heard has begun to sound.
  mutating func handOver(
    to heard: Cue.Source, of ringing: Set<Cue.Source>, at now: Now
  ) -> [Effect] {
    let rings = cues.values.filter(\.isRing)
    guard rings.contains(where: { $0.source == heard && $0.anchor <= now.sinceBoot }) else {
      return []
    }
    let others = Set(rings.map(\.source)).intersection(ringing).subtracting([heard])
    return others.isEmpty ? [] : recall(others, .byHand)
  }

  /// When a ring begins while the player has another one, since the machine started.
  func nextHandOver(after now: Now) -> Duration? {
    let rings = cues.values.filter(\.isRing)
    guard Set(rings.map(\.source)).count > 1 else { return nil }
    return rings.map(\.anchor).filter { $0 > now.sinceBoot }.min()
  }

  /// Takes back what the player was given; what is still to come of it is given anew.
  /// - Parameter now: what is heard by then goes on; nil to end that, too.
  mutating func recallAll(_ reason: StopReason, from now: Now?) -> [Effect] {
    given = [:]
    return takeBack(reason) { cue in now.map { cue.anchor > $0.sinceBoot } ?? true }
  }

  /// Takes these cues back from the player. How they end says nothing any more.
  private mutating func takeBack(
    _ reason: StopReason, where isRecalled: (Cue) -> Bool
  ) -> [Effect] {
    let recalled = cues.values.filter(isRecalled).map(\.id).sorted()
    for id in recalled { cues[id] = nil }
    return recalled.map { .stop($0, reason) }
  }
}
