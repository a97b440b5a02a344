/// The cues that the player was given.
struct CueBook: Hashable, Sendable {
  /// Cues that the player has not ended.
  private var held: [SoundingID: Held] = [:]
  /// The last cue that was given for each source.
  private var last: [Cue.Source: Last] = [:]
  /// Rings (true) or cues of the interval (false) could not be heard, and that was reported.
  private var unheard: Set<Bool> = []
  /// Anchor of the last ring that was heard, since the machine started.
  private var lastHeard: Duration?
  /// The last ring that was not heard: its anchor, since the machine started, and why.
  private var lastFailure: Failure?
  /// After a failure the player gets no cue until this time, since the machine started.
  private(set) var restsUntil = Duration.zero

  private struct Failure: Hashable {
    let anchor: Duration
    let why: String
  }

  private struct Held: Hashable {
    let cue: Cue
    /// It has begun, as the player told.
    var isHeard = false
    /// The player was told to stop it.
    var isStopped = false
  }

  private struct Last: Hashable {
    let anchor: Duration
    /// When the next cue can follow it.
    var over: Duration
  }

  private var sounding: [Cue] { held.values.filter { !$0.isStopped }.map(\.cue) }

  /// Anchor of the last cue that was given for this source.
  func last(of source: Cue.Source) -> Duration? { last[source]?.anchor }

  /// When a tune of this source can follow its last cue.
  func over(of source: Cue.Source) -> Duration? { last[source]?.over }

  /// The earliest time for the next cue of this source, since the machine started.
  func earliest(of source: Cue.Source, _ lead: Duration, _ now: Now) -> Duration {
    max(now.sinceBoot + lead, last(of: source).map { $0 + .nanoseconds(1) } ?? .zero)
  }

  /// Like `earliest`, for a source that rings from `since` on. If there was no time for the first
  /// ring, it comes a little late rather than not at all.
  func earliestRing(
    of source: Cue.Source, _ since: Duration, _ lead: Duration, _ now: Now
  ) -> Duration {
    let isFirst = last(of: source) == nil && now.sinceBoot + lead < since + Cue.ringPeriod
    if isFirst { return since }
    // If the signal replaces a tune, the tune sounds to its end first.
    let hasTune = sounding.contains { $0.source == source && !$0.blows.isEmpty }
    return max(earliest(of: source, lead, now), hasTune ? over(of: source) ?? .zero : .zero)
  }

  /// Notes that the player is given this cue, which may be late already.
  mutating func give(_ cue: Cue, at now: Now) {
    precondition(held[cue.id] == nil, "every cue has an identity of its own")
    held[cue.id] = Held(cue: cue)
    last[cue.source] = Last(
      anchor: cue.anchor, over: cue.over + max(now.sinceBoot - cue.anchor, .zero))
  }

  // MARK: What the player tells

  /// A cue has begun.
  mutating func heard(_ sounding: SoundingID) { held[sounding]?.isHeard = true }

  /// A cue has ended.
  /// - Returns: its source, and why it was not heard if that is to be reported; nil if the player
  ///   did not have it, or it was stopped.
  mutating func end(
    _ sounding: SoundingID, with outcome: Outcome, at now: Now
  ) -> (source: Cue.Source, complaint: String?)? {
    guard let ended = held.removeValue(forKey: sounding) else { return nil }
    let cue = ended.cue
    if cue.isRing, outcome.wasHeard { lastHeard = max(lastHeard ?? cue.anchor, cue.anchor) }
    guard !ended.isStopped else { return nil }
    switch outcome {
    case .finished: unheard.remove(cue.isRing)
    case .failed(let why, let heard):
      restsUntil = now.sinceBoot + Announcer.retryDelay
      // There may be time for another try. Cues that the player still has are not given again.
      if now.sinceBoot < cue.anchor || !cue.blows.isEmpty { forgetLast(of: cue.source) }
      if cue.isRing, heard == .nothing { noteFailure(of: cue, why) }
      return (cue.source, complain(of: cue, why))
    case .tooLate(let delay):
      // Nothing of the tune was heard, so do not wait for its end. The next one has more time,
      // because a speaker that is slow to open would make it too late again and again.
      if !cue.blows.isEmpty { last[cue.source]?.over = now.sinceBoot + Announcer.preparation }
      let why = Announcer.tooLate(delay)
      guard cue.isRing else { return (cue.source, complain(of: cue, why)) }
      noteFailure(of: cue, why)
    case .stopped: break
    }
    return (cue.source, nil)
  }

  private mutating func noteFailure(of cue: Cue, _ why: String) {
    lastFailure = Failure(anchor: cue.anchor, why: why)
  }

  /// - Returns: what is to be reported; nil if it was.
  private mutating func complain(of cue: Cue, _ why: String) -> String? {
    unheard.insert(cue.isRing).inserted ? why : nil
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
  func holds(_ source: Cue.Source) -> Bool { sounding.contains { $0.source == source } }

  /// Reports it again if the next ring, or the next cue of the interval, is not heard.
  mutating func forgetComplaint(ofRings: Bool) { unheard.remove(ofRings) }

  // MARK: Stops

  /// Stops the cues of these sources, and forgets that they were given.
  mutating func stop(_ sources: Set<Cue.Source>, _ reason: StopReason) -> [Effect] {
    for source in sources { last[source] = nil }
    if sources.contains(.interval) { forgetComplaint(ofRings: false) }
    return stop(reason) { sources.contains($0.cue.source) }
  }

  /// Stops all cues; those still to come are given again.
  /// - Parameter finishesHeard: a cue that is heard goes on.
  mutating func stopAll(_ reason: StopReason, finishesHeard: Bool = false) -> [Effect] {
    last = [:]
    return stop(reason) { !finishesHeard || !$0.isHeard }
  }

  /// One ring at a time: stops the rings that another replaces. One that is heard is stopped when
  /// the other begins.
  mutating func stopReplaced(by rings: Rings, at now: Now) -> [Effect] {
    let begun = Set(held.values.filter { $0.isHeard && !$0.isStopped }.map(\.cue.source))
    return stop(.replaced) { given in
      let cue = given.cue
      guard cue.isRing, let heard = rings.heard(at: max(cue.anchor, now.sinceBoot)) else {
        return false
      }
      return heard != cue.source && (!given.isHeard || begun.contains(heard))
    }
  }

  private mutating func stop(_ reason: StopReason, where isMeant: (Held) -> Bool) -> [Effect] {
    let stopped = held.values.filter { !$0.isStopped && isMeant($0) }.map(\.cue)
      .sorted { $0.id < $1.id }
    for cue in stopped {
      held[cue.id]?.isStopped = true
      // It may be given again.
      if last[cue.source]?.anchor == cue.anchor { forgetLast(of: cue.source) }
    }
    return stopped.map { .stop($0.id, reason) }
  }

  /// Forgets the last cue of a source. The last one that the player still has replaces it.
  private mutating func forgetLast(of source: Cue.Source) {
    last[source] = sounding.filter { $0.source == source }.max { $0.anchor < $1.anchor }
      .map { Last(anchor: $0.anchor, over: $0.over) }
  }
}

extension Outcome {
  /// True if some of it was heard.
  fileprivate var wasHeard: Bool {
    switch self {
    case .finished, .stopped(_, silentAt: .some), .failed(_, heard: .begun),
      .failed(_, heard: .anchor):
      true
    case .stopped(_, silentAt: nil), .failed(_, heard: .nothing), .tooLate: false
    }
  }
}
