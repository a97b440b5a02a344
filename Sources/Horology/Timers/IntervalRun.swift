/// The interval that runs: there is at most one.
struct IntervalRun {
  /// Nil if none runs.
  private(set) var timer: IntervalTimer?
  /// Words of it were left out, and that was reported. Its last words follow its end.
  private var lacksWords = false

  /// The first cue of an interval may come this late: a device may take that long to open.
  private static let latestStart = Duration.seconds(3)
  /// Words later than this are dropped: the phase is obvious by then.
  static let latestWords = Duration.milliseconds(250)

  init(_ timer: IntervalTimer?) {
    self.timer = timer
  }

  mutating func begin(_ timer: IntervalTimer) {
    precondition(self.timer == nil, "one interval runs at a time")
    self.timer = timer
    lacksWords = false
  }

  /// - Returns: what ran; nil if none did.
  mutating func stop() -> IntervalTimer? {
    defer { timer = nil }
    return timer
  }

  /// Removes an interval whose rounds are all over; its last signal sounds on.
  /// - Returns: nil if none was over.
  mutating func removeOver(at now: Now) -> (IntervalTimer, late: Duration)? {
    guard let timer, let end, end <= now.sinceBoot else { return nil }
    self.timer = nil
    return (timer, now.sinceBoot - end)
  }

  /// - Returns: true if its start has moved with the clock.
  mutating func noteClockSet(at now: Now) -> Bool {
    let hasMoved = timer?.start.followsClock == true
    timer?.start.noteClockSet(at: now)
    return hasMoved
  }

  mutating func noteTrusted() { timer?.start.noteTrusted() }

  /// Words of it are left out.
  /// - Returns: true if that is to be reported: once for an interval.
  mutating func leavesWordsOut() -> Bool {
    defer { lacksWords = true }
    return !lacksWords
  }

  /// When its rounds are all over, since the machine started; nil if they have no end.
  var end: Duration? {
    timer.flatMap { timer in timer.plan.length.map { timer.start.sinceBoot + $0 } }
  }

  /// The first cue that there is still time for; nil after the last.
  /// - Parameter free: when the cue before it is over, since the machine started; nil if none was.
  func nextCue(_ id: SoundingID, from free: Duration?, _ rules: Rules, at now: Now) -> Cue? {
    guard let timer else { return nil }
    let start = timer.start.sinceBoot
    let earliest = max(now.sinceBoot + rules.lead, free ?? .zero)
    guard let cue = timer.plan.cue(atOrAfter: earliest - start) else { return nil }
    let latest = cue.offset == .zero ? Self.latestStart : Cue.latest
    // Half-way to the next cue, it would be taken for that one.
    let gap = timer.plan.gap(after: cue.offset)
    return Cue(
      id, of: .interval, cue.signal, at: start + cue.offset,
      mayBeLateBy: min(latest, gap.map { $0 / 2 } ?? latest),
      decibels: rules.decibels(at: start + cue.offset, now))
  }

  /// The words that follow the signal of a cue; nil if none do.
  func words(after cue: Cue, _ rules: Rules) -> TimerWords? {
    guard cue.source == .interval, let timer, rules.settings.saysPhases || timer.plan.saysWords
    else { return nil }
    let offset = cue.anchor - timer.start.sinceBoot
    let phrases = timer.plan.phrases(after: .init(offset: offset, signal: cue.signal))
    guard !phrases.isEmpty else { return nil }
    let from = cue.anchor + cue.signal.length + Ducking.returnTakes - rules.lead
    return TimerWords(
      source: .interval, title: timer.title, phrases: phrases, from: from,
      until: from + Self.latestWords,
      endsBy: timer.plan.gap(after: offset).map { cue.anchor + $0 })
  }
}

extension IntervalPlan {
  /// The phrases after the signal of a cue, the best first; empty if nothing is said.
  fileprivate func phrases(after cue: TimedSignal) -> [TimerPhrase] {
    guard case .rounds(let rounds) = self else { return [] }
    switch cue.signal {
    case .work, .last:
      let round = phase(at: cue.offset)?.round ?? 1
      if round == 1 { return [.go, .work] }
      // The word tells work from rest. Without rest, the round is all there is to tell.
      let work = TimerPhrase.both(.work, .round(round))
      return rounds.rest > .zero ? [work, .work] : [.round(round), .work]
    case .rest: return [.rest]
    case .half: return [.half]
    case .end: return [.done]
    case .prepare, .count, .cue, .ring, .start, .untrusted: return []
    }
  }
}
