import Horology

/// Judges what is heard of timers, intervals and alarms.
extension Oracle {
  static let ringPeriod = 3 * second

  /// - Parameter ahead: when it is to sound, from now.
  mutating func plays(_ cue: Cue, in ahead: Int64, _ moment: Moment) {
    lastPlayed = max(lastPlayed, cue.id.number)
    // The service decides what is due by the clock before it stops.
    if isEnding, moment.elapsed > ledger.rested, ledger.rested >= endsSince {
      violated(.complete, "a cue is given though the service ends", moment)
    }
    timers.sounding[cue.id] = (cue.source, moment.elapsed + ahead, .max)
    guard !happened([.rules], since: moment.elapsed - 10 * second) else { return }
    // Opening the speaker may have held the loop up since it was decided.
    let ahead = ahead + moment.elapsed - decided.elapsed
    let moment = decided
    let shown = moment.shown + ahead
    var levels = valid(moment).map { rules, face in rules.decibels(face.reading(shown)) }
    if let rise = timers.entries[cue.source]?.alarm?.plan.rise {
      let since = timers.entries[cue.source]?.rings.map { $0.passed(moment) + ahead } ?? 0
      levels = levels.map { $0 + rise.decibels(after: since) }
    }
    if !levels.contains(where: { abs($0 - cue.decibels) < 0.1 }) {
      violated(.level, "\(cue.inShort) is at \(cue.decibels) dB, not \(levels[0])", moment)
    }
  }

  mutating func hears(_ kind: Sound.Kind, of cue: Cue, _ moment: Moment) {
    notesRing(kind, of: cue, moment)
    guard let (source, planned, silentBy) = timers.sounding[cue.id] else { return }
    if moment.elapsed > silentBy {
      violated(.muted, "\(source) sounds on, though it was stopped", moment)
    }
    guard kind == .begins else { return }
    count("cue")
    // It was stopped a moment ago, and fades.
    if silentBy < .max { return }
    if areTimersSilenced, let since = lever.silentSince, moment.elapsed > since + Self.fade {
      violated(.muted, "\(source) sounds though the switch silences", moment)
    }
    if source == .interval {
      hearsInterval(cue, moment)
    } else {
      hearsRing(of: source, cue, planned: planned, moment)
    }
  }

  /// - Parameter planned: when the player was to begin it, since the history began.
  private mutating func hearsRing(
    of source: Cue.Source, _ cue: Cue, planned: Int64, _ moment: Moment
  ) {
    guard let entry = timers.entries[source], let due = ringsSince(entry, moment) else {
      return violated(.complete, "\(source) rings, and is not due", moment)
    }
    // It shared the ring of another, and that ring has ended.
    let wasShared =
      timers.rings.contains { $0.source != source && abs($0.at - due) <= second }
      && happened([.ring], since: due + Self.tolerance)
    timers.rang(source, due: planned, moment)
    if let other = precedes(source, moment), !wasHindered(around: moment.elapsed, byClock: true) {
      violated(.ring, "\(source) is heard, and not \(other), which rings, too", moment)
    }
    let offset = moment.elapsed - due
    let allowed =
      Self.tolerance + (entry.moment?.slack ?? smallSteps(since: 0))
      + held(since: moment.elapsed - 500 * millisecond)
    let count = (offset + Self.ringPeriod / 2) / Self.ringPeriod
    let isFirst = entry.rings == nil || count == 0
    // The second ring is left out: then the words are said.
    let wanted = cue.blows.isEmpty && count == 1 ? 0 : count
    let error = isFirst || cue.blows.isEmpty ? offset - wanted * Self.ringPeriod : 0
    let mayBeLate = (entry.givesWay || wasShared) && 0...Self.ringPeriod + second ~= offset
    // It was reported late, because the clock was set past it.
    let wasSetOver = entry.toldAt - due > allowed && happened([.clock, .trust], since: due)
    let byClock = entry.alarm != nil || entry.moment?.followsClock == true || wasSetOver
    guard !mayBeLate, !wasHindered(around: moment.elapsed, orders: true, byClock: byClock) else {
      return
    }
    if abs(error) > allowed || entry.rings == nil && count > 0 {
      violated(.late, "a ring is \(Duration.nanoseconds(error).roughly) off its moment", moment)
    }
  }

  /// When its first ring is due, since the history began; nil if it is not.
  private func ringsSince(_ entry: TimerReckoning.Entry, _ moment: Moment) -> Int64? {
    if let due = entry.moment { return due.elapsed(moment) }
    guard case .waiting = entry.state, let alarm = entry.alarm else { return nil }
    // It is given to the player before its time.
    let ring = valid(moment).lazy.compactMap { _, face in
      alarm.plan.rings(face, near: moment.shown).min {
        abs($0 - moment.shown) < abs($1 - moment.shown)
      }
    }.min { abs($0 - moment.shown) < abs($1 - moment.shown) }
    return ring.map { moment.elapsed - moment.shown + $0 }
  }

  /// True if something was in the way of a cue that was due then.
  /// - Parameters:
  ///   - orders: what a person does with timers may be in its way, too.
  ///   - byClock: it goes by the clock.
  func wasHindered(around due: Int64, orders: Bool = false, byClock: Bool = false) -> Bool {
    if happened([.sleep, .service, .speaker, .lever, .rules], since: due - 12 * second) {
      return true
    }
    if byClock, happened([.clock, .trust], since: due - 12 * second) { return true }
    if orders, happened([.order], since: due - 8 * second) { return true }
    return wasHeld(300 * millisecond, since: due - 6 * second)
  }

  func isByClock(_ source: Cue.Source) -> Bool {
    let entry = timers.entries[source]
    return entry?.alarm != nil || entry?.moment?.followsClock == true
  }

  // MARK: What must ring

  /// The service rests.
  mutating func judgeTimers(_ moment: Moment) {
    judgeInterval(moment)
    judgeRingsTogether(moment)
    for (source, entry) in timers.entries {
      if entry.isSilenced, entry.rings != nil { violated(.muted, "\(source) rings on", moment) }
      if entry.isSilenced { timers.entries[source]!.isSilenced = false }
      switch entry.state {
      case .running(let zero):
        judgeEnd(source, zero, moment)
        judgeLeft(source, entry, zero, moment)
      case .snoozing(let until): judgeEnd(source, until, moment)
      case .ringing(let since):
        judgeEnd(source, since.later(by: rules.ringLimit), moment)
        judgeFirstRing(source, since, moment)
        judgeWords(source, moment)
      case .paused, .waiting: break
      }
    }
    judgeGap(moment)
  }

  /// Checks that its zero, or the end of its ringing, was reported.
  private mutating func judgeEnd(_ source: Cue.Source, _ end: Reckoned, _ moment: Moment) {
    let late = end.passed(moment) - end.slack - Self.tolerance
    if late > 0, timers.entries[source]!.isOverdue, !isEnding {
      violated(.complete, "\(source) is at its end, and nobody told", moment)
    }
    if timers.entries[source]!.isOverdue != (late > 0) {
      timers.entries[source]!.isOverdue = late > 0
    }
  }

  /// It rings no more from now on: checks that it rang until then.
  mutating func judgeRinging(_ source: Cue.Source, _ moment: Moment) {
    guard let since = timers.entries[source]?.rings else { return }
    judgeFirstRing(source, since, moment)
    judgeGap(moment)
    dropWords(of: source, moment)
  }

  private mutating func judgeFirstRing(
    _ source: Cue.Source, _ since: Reckoned, _ moment: Moment
  ) {
    let due = max(since.elapsed(moment), timers.entries[source]!.toldAt)
    let rang = moment.elapsed - due
    guard timers.entries[source]!.owesRing, rang > 300 * millisecond + since.slack else { return }
    timers.entries[source]!.owesRing = false
    // Another ring within a second is heard in its place.
    let isHeard = timers.rings.contains { abs($0.at - due) <= second + since.slack }
    if !isHeard, !isEnding, !areTimersSilenced,
      !wasHindered(around: due, orders: true, byClock: isByClock(source))
    {
      violated(.ring, "\(source) does not ring", moment)
    }
  }

  /// Checks that a ring is repeated, and goes on after anything that was in its way.
  private mutating func judgeGap(_ moment: Moment) {
    let begun = timers.entries.values.lazy.compactMap { $0.rings?.elapsed(moment) }.min()
    guard let begun, !isEnding, !areTimersSilenced else { return }
    // The words are said between the rings.
    let longest = 6 * second + rules.lead + second
    let last = max(begun, timers.lastBlow ?? begun)
    guard moment.elapsed > last + longest, moment.elapsed > lastHindrance + longest else { return }
    violated(.ring, "what rings was not heard for long", moment)
  }

  /// When something was last in the way of a ring, since the history began.
  private var lastHindrance: Int64 {
    let byClock = timers.entries.keys.contains(where: isByClock)
    let hold = disturbances.last { $0.length > 300 * millisecond }?.at ?? .min
    let causes: Cause = [.sleep, .service, .speaker, .lever, .rules, .order, .ring]
    // A speaker may tell long before a ring that it will be too late for it.
    return max(
      hold, timers.lastFailed, timers.lastFollowed,
      last(byClock ? causes.union([.clock, .trust]) : causes))
  }
}

extension Cue {
  var inShort: String { "\(id.number): \(signal) of \(source)" }
}
