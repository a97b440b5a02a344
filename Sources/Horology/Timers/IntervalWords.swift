extension IntervalPlan {
  /// The phrases after the signal of a cue, the best first; empty if nothing is said.
  func phrases(after cue: Cue) -> [TimerPhrase] {
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
    case .prepare, .count, .cue, .ring: return []
    }
  }
}

/// The words for an interval.
extension Announcer {
  /// Words later than this are dropped: the phase is obvious by then.
  private static let latestWords = Duration.milliseconds(250)

  /// Plans the words after the signal of a cue of the interval.
  mutating func planWords(after due: DueCue) -> [Effect] {
    guard due.source == .interval, let interval = timers.interval,
      settings.saysPhases || interval.plan.saysWords
    else { return [] }
    let offset = due.anchor - interval.start.sinceBoot
    let phrases = interval.plan.phrases(after: .init(offset: offset, signal: due.signal))
    guard !phrases.isEmpty else { return [] }
    let begins = due.anchor + due.signal.length + Ducking.returnTakes
    let from = begins - rules.lead
    let words = TimerWords(
      .interval, title: interval.title, phrases, from: from, until: from + Self.latestWords,
      endsBy: interval.plan.gap(after: offset).map { due.anchor + $0 })
    guard settings.saysTimers else {
      return unsaid(words, .failed("the voice has no words for intervals"))
    }
    if let end = words.endsBy, end <= begins + Self.latestWords {
      return unsaid(words, .failed("the next signal comes too soon for words"))
    }
    timers.plan(words)
    return []
  }

  /// Reports that words were not said; of an interval, once for each kind of phrase and each
  /// reason.
  mutating func unsaid(_ words: TimerWords, _ reason: SkipReason) -> [Effect] {
    guard words.source != .interval || timers.isNew(words, reason) else { return [] }
    return [.report(.unsaid(words, reason))]
  }

  /// Ends the interval that runs, and what is said of it.
  mutating func stopInterval(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    timers.stopInterval(reason) + stopWords(of: .interval, reason, at: moment)
  }
}
