/// The cues that the player has been given. It is given each once.
struct CueBook: Hashable, Sendable {
  /// What the player has been given and has not ended.
  private(set) var cues: [SoundingID: Cue] = [:]
  /// The last cue that was given, by whose it is. Those that begin to ring together share one.
  private var given: [Cue.Source: Given] = [:]
  /// The rings that were taken back and have not ended: of each some may be heard.
  private var recalled: [SoundingID: Cue] = [:]
  /// For which others a ring that the player has is heard, too.
  private var sharers: [SoundingID: Set<Cue.Source>] = [:]
  /// Whose cues could not be heard, and why: it is told once.
  private var unheard: [Cue.Source: String] = [:]
  /// When the last ring that was heard was to begin, since the machine started.
  private var lastHeard: Duration?
  /// The last ring that was not.
  private var lastFailure: Failure?
  /// After a failure nothing is given to the player until then, since the machine started.
  private(set) var restsUntil = Duration.zero

  private struct Given: Hashable, Sendable {
    /// What is heard: it may be the cue of another.
    let id: SoundingID
    let anchor: Duration
    /// When the next can follow it.
    let over: Duration
  }

  private struct Failure: Hashable, Sendable {
    /// Since the machine started.
    let anchor: Duration
    let why: String
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
    if isFirst { return since }
    // A tune that the signal takes the place of sounds to its end.
    let hasTune = cues.values.contains { $0.source == source && !$0.blows.isEmpty }
    return max(earliest(of: source, lead, now), hasTune ? over(of: source) ?? .zero : .zero)
  }

  /// The player is given this one, which may be late already.
  mutating func give(_ cue: Cue, at now: Now) {
    let over = cue.over + max(now.sinceBoot - cue.anchor, .zero)
    given[cue.source] = Given(id: cue.id, anchor: cue.anchor, over: over)
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
    let over = given[cue.source].flatMap { $0.id == cue.id ? $0.over : nil } ?? cue.over
    given[due.source] = Given(id: cue.id, anchor: due.anchor, over: over)
    sharers[cue.id, default: []].insert(due.source)
    return true
  }

  /// A cue has ended.
  /// - Returns: whose it was, and why it was not heard if that is to be told; nil if it is none of
  ///   these.
  mutating func end(
    _ sounding: SoundingID, with outcome: Outcome, at now: Now
  ) -> (source: Cue.Source, complaint: String?)? {
    if let ring = recalled.removeValue(forKey: sounding) {
      if outcome.wasHeard { noteRing(ring, outcome) }
      return nil
    }
    guard let cue = cues.removeValue(forKey: sounding) else { return nil }
    sharers[sounding] = nil
    var complaint: String?
    switch outcome {
    case .finished: unheard[cue.source] = nil
    case .failed(let why, _):
      restsUntil = now.sinceBoot + Announcer.retryDelay
      // There may be time to try once more; what the player holds of it is not given again.
      if now.sinceBoot < cue.anchor || !cue.blows.isEmpty { forgetGiven { $0.id == sounding } }
      complaint = why
    case .tooLate(let delay):
      complaint = cue.signal == .ring ? nil : Announcer.tooLate(delay)
      // Of a tune nothing was heard: it would be waited for until it is over. The next has more time,
      // for a speaker that is slow to open would be too late again and again.
      if !cue.blows.isEmpty { bringForward(sounding, to: now.sinceBoot + Announcer.preparation) }
    case .stopped: break
    }
    noteRing(cue, outcome)
    if let why = complaint {
      if unheard[cue.source] != nil { complaint = nil }
      unheard[cue.source] = why
    }
    return (cue.source, complaint)
  }

  /// Takes in whether a ring was heard.
  private mutating func noteRing(_ cue: Cue, _ outcome: Outcome) {
    guard cue.isRing else { return }
    if outcome.wasHeard { lastHeard = max(lastHeard ?? cue.anchor, cue.anchor) }
    switch outcome {
    case .failed(let why, heard: .nothing): lastFailure = Failure(anchor: cue.anchor, why: why)
    case .tooLate(let delay):
      lastFailure = Failure(anchor: cue.anchor, why: Announcer.tooLate(delay))
    case .finished, .failed, .stopped: break
    }
  }

  /// True if a ring was heard that was to begin then or later, or sounds: one is heard for all that
  /// ring.
  func hasRung(since: Duration, at now: Now) -> Bool {
    if let lastHeard, lastHeard >= since { return true }
    let sounding = [Cue](cues.values) + [Cue](recalled.values)
    return sounding.contains { $0.isRing && since <= $0.anchor && $0.anchor <= now.sinceBoot }
  }

  /// Why a ring was not heard that was to begin then or later; nil if none failed.
  func failure(since: Duration) -> String? {
    lastFailure.flatMap { $0.anchor >= since ? $0.why : nil }
  }

  /// Why the cues of this cannot be heard, as far as that is known.
  func complaint(of source: Cue.Source) -> String? { unheard[source] }

  /// True if the player has a cue of this.
  func holds(_ source: Cue.Source) -> Bool { cues.values.contains { $0.source == source } }

  /// True if the player has a ring for this.
  func isRinging(for source: Cue.Source) -> Bool {
    cues.values.contains { $0.isRing && isRing($0, of: source) }
  }

  /// The next of these that is not heard is told.
  mutating func forgetComplaint(of source: Cue.Source) { unheard[source] = nil }

  // MARK: Taking back

  /// Takes back what the player was given of these, and forgets what it was given before.
  /// - Parameter isRecalled: false of what the player keeps all the same.
  mutating func recall(
    _ sources: Set<Cue.Source>, _ reason: StopReason,
    where isRecalled: (Cue) -> Bool = { _ in true }
  ) -> [Effect] {
    for source in sources { unheard[source] = nil }
    let held = Set(cues.keys)
    let stops = takeBack(reason) { sources.contains($0.source) && isRecalled($0) }
    // Others may have shared what is taken back.
    let gone = held.subtracting(cues.keys)
    forgetGiven { gone.contains($0.id) }
    given = given.filter { given in
      !sources.contains(given.key) || cues[given.value.id].map { !isRecalled($0) } ?? false
    }
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

  /// What follows this one need not wait until it would be over.
  private mutating func bringForward(_ sounding: SoundingID, to over: Duration) {
    for (source, last) in given where last.id == sounding {
      given[source] = Given(id: last.id, anchor: last.anchor, over: over)
    }
  }

  // MARK: One ring at a time

  /// Takes back the rings of all others once the one that is heard has begun to sound. A ring that it
  /// shares sounds to its end.
  mutating func handOver(
    to heard: Cue.Source, of ringing: Set<Cue.Source>, at now: Now
  ) -> [Effect] {
    let rings = cues.values.filter(\.isRing)
    guard rings.contains(where: { isRing($0, of: heard) && $0.anchor <= now.sinceBoot }) else {
      return []
    }
    let others = Set(rings.filter { !isRing($0, of: heard) }.map(\.source)).intersection(ringing)
    return others.isEmpty ? [] : recall(others, .byHand) { [self] in !isRing($0, of: heard) }
  }

  private func isRing(_ cue: Cue, of source: Cue.Source) -> Bool {
    cue.source == source || sharers[cue.id]?.contains(source) == true
  }

  /// When a ring begins while the player has another one, since the machine started.
  func nextHandOver(after now: Now) -> Duration? {
    let rings = cues.values.filter(\.isRing)
    guard Set(rings.map(\.source)).count > 1 || !sharers.isEmpty else { return nil }
    return rings.map(\.anchor).filter { $0 > now.sinceBoot }.min()
  }

  /// Takes back what the player was given; what is still to come of it is given anew.
  /// - Parameter now: what is heard by then goes on; nil to end that, too.
  mutating func recallAll(_ reason: StopReason, from now: Now?) -> [Effect] {
    given = [:]
    return takeBack(reason) { cue in now.map { cue.anchor > $0.sinceBoot } ?? true }
  }

  /// Takes these cues back from the player. How they end says only whether a ring was heard.
  private mutating func takeBack(
    _ reason: StopReason, where isRecalled: (Cue) -> Bool
  ) -> [Effect] {
    let stopped = cues.values.filter(isRecalled).sorted { $0.id < $1.id }
    for cue in stopped {
      if cue.isRing { recalled[cue.id] = cue }
      (cues[cue.id], sharers[cue.id]) = (nil, nil)
    }
    return stopped.map { .stop($0.id, reason) }
  }
}

extension Outcome {
  /// Some of it was heard.
  fileprivate var wasHeard: Bool {
    switch self {
    case .finished, .stopped(_, silentAt: .some), .failed(_, heard: .some),
      .failed(_, heard: .anchor):
      true
    case .stopped(_, silentAt: nil), .failed(_, heard: .nothing), .tooLate: false
    }
  }
}
