/// The cues that the player has been given. It is given each once.
struct CueBook: Hashable, Sendable {
  /// What the player has been given and has not ended.
  private(set) var cues: [SoundingID: Cue] = [:]
  /// The anchor of the last cue that was given, by whose it is. Timers that are at zero together
  /// share one.
  private var given: [Cue.Source: Duration] = [:]
  /// Whose cues could not be heard, which is told once.
  private var unheard: Set<Cue.Source> = []
  /// After a failure nothing is given to the player until then, since the machine started.
  private(set) var restsUntil = Duration.zero

  /// The anchor of the last cue of this that was given.
  func last(of source: Cue.Source) -> Duration? { given[source] }

  /// When the next cue of this can sound at the earliest, since the machine started.
  func earliest(of source: Cue.Source, _ lead: Duration, _ now: Now) -> Duration {
    max(now.sinceBoot + lead, given[source].map { $0 + .nanoseconds(1) } ?? .zero)
  }

  /// The player is given this one.
  mutating func give(_ cue: Cue) {
    given[cue.source] = cue.anchor
    cues[cue.id] = cue
  }

  /// True if a ring that is given begins within a second of this moment: it is heard for others, too.
  func rings(around moment: Duration) -> Bool {
    cues.values.contains {
      $0.signal == .ring && $0.blows.isEmpty && $0.isLoud
        && ($0.anchor - moment).magnitude < Self.sharedWithin
    }
  }

  /// Rings that are to begin within this are one.
  private static let sharedWithin = Duration.seconds(1)

  /// A cue of another is heard for this.
  mutating func share(_ source: Cue.Source, at anchor: Duration) { given[source] = anchor }

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
      if given[cue.source] == cue.anchor, now.sinceBoot < cue.anchor || !cue.blows.isEmpty {
        given[cue.source] = cues.values.filter { $0.source == cue.source }.map(\.anchor).max()
      }
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
    let stops = takeBack(reason) { sources.contains($0.source) }
    // Others may have shared what is taken back.
    given = stops.isEmpty ? given.filter { !sources.contains($0.key) } : [:]
    for cue in cues.values { given[cue.source] = max(cue.anchor, given[cue.source] ?? .zero) }
    return stops
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
