/// The cues that the player was given, each once.
struct CueBook: Hashable, Sendable {
  /// Cues that the player was given and has not ended.
  private(set) var cues: [SoundingID: Cue] = [:]
  /// The last cue that was given for each source. Sources that begin to ring together share one.
  private var given: [Cue.Source: Given] = [:]
  /// Rings that were taken back and have not ended. Some part of each may be heard.
  private var recalled: [SoundingID: Cue] = [:]
  /// By ring: the other sources that it is heard for.
  private var sharers: [SoundingID: Set<Cue.Source>] = [:]
  /// Why the cues of a source could not be heard; reported once.
  private var unheard: [Cue.Source: String] = [:]
  /// Anchor of the last ring that was heard, since the machine started.
  private var lastHeard: Duration?
  /// The last ring that was not heard.
  private var lastFailure: Failure?
  /// After a failure the player gets no cue until this time, since the machine started.
  private(set) var restsUntil = Duration.zero

  private struct Given: Hashable, Sendable {
    /// The cue that is heard; it may belong to another source.
    let id: SoundingID
    let anchor: Duration
    /// When the next cue can follow it.
    let over: Duration
  }

  private struct Failure: Hashable, Sendable {
    /// Since the machine started.
    let anchor: Duration
    let why: String
  }

  /// Anchor of the last cue that was given for this source.
  func last(of source: Cue.Source) -> Duration? { given[source]?.anchor }

  /// When a tune of this source can follow its last cue.
  func over(of source: Cue.Source) -> Duration? { given[source]?.over }

  /// The earliest time for the next cue of this source, since the machine started.
  func earliest(of source: Cue.Source, _ lead: Duration, _ now: Now) -> Duration {
    max(now.sinceBoot + lead, last(of: source).map { $0 + .nanoseconds(1) } ?? .zero)
  }

  /// Like `earliest`, for a source that rings since `since`. If there was no time for the first
  /// ring, it comes a little late rather than not at all.
  func earliestRing(
    of source: Cue.Source, _ since: Duration, _ lead: Duration, _ now: Now
  ) -> Duration {
    let isFirst = last(of: source) == nil && now.sinceBoot + lead < since + DueCue.ringPeriod
    if isFirst { return since }
    // If the signal replaces a tune, the tune sounds to its end first, shared or not.
    let hasTune = cues.values.contains { isRing($0, of: source) && !$0.blows.isEmpty }
    return max(earliest(of: source, lead, now), hasTune ? over(of: source) ?? .zero : .zero)
  }

  /// Notes that the player is given this cue, which may be late already.
  mutating func give(_ cue: Cue, at now: Now) {
    let over = cue.over + max(now.sinceBoot - cue.anchor, .zero)
    given[cue.source] = Given(id: cue.id, anchor: cue.anchor, over: over)
    cues[cue.id] = cue
  }

  /// Rings that begin within this time of each other share one cue.
  private static let sharedWithin = Duration.seconds(1)

  /// Shares a ring that the player has, if it begins within a second of this one and is at least as
  /// loud. A tune shares only a tune.
  /// - Parameter ending: sources that stop ringing first, and take their ring with them.
  /// - Returns: false if there is none to share.
  mutating func share(_ due: DueCue, at decibels: Double, except ending: Set<Cue.Source>) -> Bool {
    let shared = cues.values.filter {
      $0.isRing && $0.decibels >= decibels && (due.blows.isEmpty || !$0.blows.isEmpty)
        && !ending.contains($0.source)
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
  /// - Returns: its source, and why it was not heard if that is to be reported; nil if the player
  ///   did not have it, or it was taken back.
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
      // There may be time for another try. Cues that the player still has are not given again.
      if now.sinceBoot < cue.anchor || !cue.blows.isEmpty { forgetGiven { $0.id == sounding } }
      complaint = why
    case .tooLate(let delay):
      complaint = cue.signal == .ring ? nil : Announcer.tooLate(delay)
      // Nothing of the tune was heard, so do not wait for its end. The next one has more time,
      // because a speaker that is slow to open would make it too late again and again.
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

  /// Notes whether a ring was heard.
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

  /// True if a ring that was to begin at `since` or later was heard, or sounds now. One ring is
  /// heard for all that ring.
  func hasRung(since: Duration, at now: Now) -> Bool {
    if let lastHeard, lastHeard >= since { return true }
    let sounding = [Cue](cues.values) + [Cue](recalled.values)
    return sounding.contains { $0.isRing && since <= $0.anchor && $0.anchor <= now.sinceBoot }
  }

  /// Why a ring that was to begin at `since` or later was not heard; nil if none failed.
  func failure(since: Duration) -> String? {
    lastFailure.flatMap { $0.anchor >= since ? $0.why : nil }
  }

  /// Why the cues of this source cannot be heard, if known.
  func complaint(of source: Cue.Source) -> String? { unheard[source] }

  /// True if the player has a cue of this source.
  func holds(_ source: Cue.Source) -> Bool { cues.values.contains { $0.source == source } }

  /// True if the player has a ring for this source, its own or a shared one.
  func isRinging(for source: Cue.Source) -> Bool {
    cues.values.contains { $0.isRing && isRing($0, of: source) }
  }

  /// Reports it again if the next cue of this source is not heard.
  mutating func forgetComplaint(of source: Cue.Source) { unheard[source] = nil }

  // MARK: Taking back

  /// Takes back the cues of these sources from the player, and forgets that they were given.
  /// - Parameter isRecalled: false for a cue that the player keeps.
  mutating func recall(
    _ sources: Set<Cue.Source>, _ reason: StopReason,
    where isRecalled: (Cue) -> Bool = { _ in true }
  ) -> [Effect] {
    for source in sources { unheard[source] = nil }
    let held = Set(cues.keys)
    let stops = takeBack(reason) { sources.contains($0.source) && isRecalled($0) }
    // Other sources may have shared a cue that is taken back.
    let gone = held.subtracting(cues.keys)
    forgetGiven { gone.contains($0.id) }
    given = given.filter { given in
      !sources.contains(given.key) || cues[given.value.id].map { !isRecalled($0) } ?? false
    }
    return stops
  }

  /// Forgets a last cue that is not heard. The last cue that the player still has replaces it.
  private mutating func forgetGiven(where isForgotten: (Given) -> Bool) {
    for source in given.keys.filter({ given[$0].map(isForgotten) ?? false }) {
      given[source] = cues.values.filter { $0.source == source }
        .max { $0.anchor < $1.anchor }
        .map { Given(id: $0.id, anchor: $0.anchor, over: $0.over) }
    }
  }

  /// Lets the next cue follow at `over`, before the end of this one.
  private mutating func bringForward(_ sounding: SoundingID, to over: Duration) {
    for (source, last) in given where last.id == sounding {
      given[source] = Given(id: last.id, anchor: last.anchor, over: over)
    }
  }

  // MARK: One ring at a time

  /// Takes back the rings of all other sources once the ring that is heard has begun. A ring that
  /// it shares sounds to its end.
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

  /// When the next ring begins, since the machine started, if the player has rings for several
  /// sources.
  func nextHandOver(after now: Now) -> Duration? {
    let rings = cues.values.filter(\.isRing)
    guard Set(rings.map(\.source)).count > 1 || !sharers.isEmpty else { return nil }
    return rings.map(\.anchor).filter { $0 > now.sinceBoot }.min()
  }

  /// Takes back the cues from the player; those still to come are given again.
  /// - Parameter now: a cue that sounds by then goes on; nil to end that, too.
  mutating func recallAll(_ reason: StopReason, from now: Now?) -> [Effect] {
    given = [:]
    return takeBack(reason) { cue in now.map { cue.anchor > $0.sinceBoot } ?? true }
  }

  /// Takes these cues back from the player. Their ends only tell whether a ring was heard.
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
  /// True if some of it was heard.
  fileprivate var wasHeard: Bool {
    switch self {
    case .finished, .stopped(_, silentAt: .some), .failed(_, heard: .some),
      .failed(_, heard: .anchor):
      true
    case .stopped(_, silentAt: nil), .failed(_, heard: .nothing), .tooLate: false
    }
  }
}
