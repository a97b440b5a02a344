import Horology

/// What is heard of timers, intervals and alarms.
extension Oracle {
  static let ringPeriod = 3 * second

  /// - Parameter ahead: when it is to sound, from now.
  mutating func plays(_ cue: Cue, in ahead: Int64, _ moment: Moment) {
    // What comes of the clock is decided before the stop.
    if isEnding, moment.elapsed > ledger.rested, ledger.rested >= endsSince {
      violated(.complete, "a cue is given though the service ends", moment)
    }
    timers.sounding[cue.id] = (cue.source, .max)
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
    guard let (source, silentBy) = timers.sounding[cue.id] else { return }
    if moment.elapsed > silentBy {
      violated(.muted, "\(source) sounds on, though it was stopped", moment)
    }
    if kind == .ends { timers.sounding[cue.id] = nil }
    guard kind == .begins else { return }
    count("cue")
    if areTimersSilenced, let since = lever.silentSince, moment.elapsed > since + Self.fade {
      violated(.muted, "\(source) sounds though the switch silences", moment)
    }
    // It was stopped a moment ago, and fades.
    if silentBy < .max { return }
    if source == .interval {
      hearsInterval(cue, moment)
    } else {
      hearsRing(of: source, cue, moment)
    }
  }

  private mutating func hearsRing(of source: Cue.Source, _ cue: Cue, _ moment: Moment) {
    guard let entry = timers.entries[source], let due = ringsSince(entry, moment) else {
      return violated(.complete, "\(source) rings, and is not due", moment)
    }
    timers.rang(moment.elapsed)
    let offset = moment.elapsed - due
    let allowed =
      Self.tolerance + (entry.moment?.slack ?? smallSteps(since: 0))
      + held(since: moment.elapsed - 500 * millisecond)
    let count = (offset + Self.ringPeriod / 2) / Self.ringPeriod
    let isFirst = entry.rings == nil || count == 0
    let error = isFirst || cue.blows.isEmpty ? offset - count * Self.ringPeriod : 0
    let byClock = entry.alarm != nil || entry.moment?.followsClock == true
    guard !wasHindered(around: moment.elapsed, orders: true, byClock: byClock) else { return }
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
    var ringing: Int64?
    for (source, entry) in timers.entries {
      if entry.isSilenced, entry.rings != nil { violated(.muted, "\(source) rings on", moment) }
      if entry.isSilenced { timers.entries[source]!.isSilenced = false }
      if case .running(let zero) = entry.state {
        judgeZero(source, zero, moment)
        judgeLeft(source, entry, zero, moment)
      }
      if case .snoozing(let until) = entry.state { judgeZero(source, until, moment) }
      if let since = entry.rings {
        ringing = min(ringing ?? .max, since.elapsed(moment))
        judgeRings(source, since, moment)
      }
      let byClock = entry.alarm != nil || entry.moment?.followsClock == true
      if let words = entry.words, moment.elapsed > words.upperBound + 5 * second {
        timers.entries[source]!.words = nil
        if !wasHindered(around: words.lowerBound, orders: true, byClock: byClock), !isBusy {
          violated(.complete, "\(source) rings, and nothing was said of it", moment)
        }
      }
    }
    judgeGap(since: ringing, moment)
  }

  private mutating func judgeZero(_ source: Cue.Source, _ zero: Reckoned, _ moment: Moment) {
    let late = zero.passed(moment) - zero.slack - Self.tolerance
    if late > 0, timers.entries[source]!.isOverdue, !isEnding {
      violated(.complete, "\(source) is at zero, and nobody told", moment)
    }
    if timers.entries[source]!.isOverdue != (late > 0) {
      timers.entries[source]!.isOverdue = late > 0
    }
  }

  /// How much is left is said when it is so.
  private mutating func judgeLeft(
    _ source: Cue.Source, _ entry: TimerReckoning.Entry, _ zero: Reckoned, _ moment: Moment
  ) {
    guard !rules.tellsLeft.isEmpty, entry.alarm == nil else { return }
    var lefts: [Int64] = []
    if rules.tellsLeft.contains(.half), entry.length / 2 >= minute {
      lefts.append(Self.roughly(entry.length / 2))
    }
    if rules.tellsLeft.contains(.minute) { lefts.append(minute) }
    for left in lefts {
      let due = zero.elapsed(moment) - left
      let isPlanned = due - rules.lead > entry.plannedAt + Self.tolerance
      guard isPlanned, moment.elapsed > due + rules.latestWords + 500 * millisecond,
        timers.entries[source]!.toldLeft.insert(left).inserted
      else { continue }
      let byClock = entry.moment?.followsClock == true
      if !isEnding, !wasHindered(around: due, orders: true, byClock: byClock) {
        violated(.complete, "nothing was said of \(source) with \(left / second) s left", moment)
      }
    }
  }

  private mutating func judgeRings(_ source: Cue.Source, _ since: Reckoned, _ moment: Moment) {
    let (rang, due) = (since.passed(moment), since.elapsed(moment))
    if rang > rules.ringLimit + 20 * second + since.slack, !isEnding,
      !wasHindered(around: due + rules.ringLimit)
    {
      violated(.complete, "\(source) rings for ever", moment)
    }
    guard timers.entries[source]!.owesRing, rang > 300 * millisecond + since.slack else { return }
    timers.entries[source]!.owesRing = false
    // Others that ring within a second are heard for it.
    let isHeard = timers.rings.contains { abs($0 - due) <= second + since.slack }
    if !isHeard, !wasHindered(around: due, orders: true, byClock: isByClock(source)) {
      violated(.complete, "\(source) does not ring", moment)
    }
  }

  /// What rings does so again and again.
  private mutating func judgeGap(since ringing: Int64?, _ moment: Moment) {
    let longest = 6 * second + rules.lead + second + longestTune
    timers.ringsSince = ringing.map { min($0, timers.ringsSince ?? .max) }
    guard let since = timers.ringsSince else { return }
    let last = max(since, timers.rings.last ?? since)
    if moment.elapsed > last + longest, !isEnding,
      !wasHindered(around: last, orders: true, byClock: true)
    {
      violated(.complete, "what rings was not heard for long", moment)
    }
  }

  /// From one ring of a tune to the next.
  private var longestTune: Int64 {
    timers.entries.values.filter { $0.rings != nil }.compactMap { $0.alarm?.plan.tune?.longest }
      .max() ?? 0
  }

  // MARK: Words

  /// Words of a timer, or the time for an alarm, are given to the player.
  mutating func playsWords(_ words: TimerWords, _ id: SoundingID, _ moment: Moment) {
    guard case .tell? = timers.order, case .timer = words.source else { return }
    timers.told = id
    guard let entry = timers.entries[words.source], entry.rings == nil else { return }
    let left = left(of: entry, moment)
    // It is about to ring.
    if left <= entry.slack + Self.tolerance { return }
    let slack = entry.slack
    let isTrue = [left - slack, left, left + slack].contains {
      words.phrases == [.left(.nanoseconds(Self.roughly($0)))]
    }
    if !isTrue { violated(.truth, "\(words.phrases) is told of \(left) ns", moment) }
  }

  /// As a person would say how much is left: to half hours, half minutes, ten seconds, seconds.
  private static func roughly(_ left: Int64) -> Int64 {
    let step =
      left >= hour
      ? hour / 2 : left >= minute ? minute / 2 : left >= 10 * second ? 10 * second : second
    return max((left + (step - 1) / 2) / step * step, second)
  }

  mutating func hears(_ words: TimerWords, _ announcement: Announcement, _ moment: Moment) {
    guard played?.stopped == nil, timers.told != announcement.id else { return }
    // It may have rung out a moment ago.
    if timers.entries[words.source]?.rings == nil, !words.isOfTimeLeft,
      happened([.order], since: moment.elapsed - rules.lead - longestQueue)
    {
      return
    }
    guard let entry = timers.entries[words.source] else {
      return violated(.truth, "\(words.subject) is said, and there is none", moment)
    }
    if case .left(let left)? = words.phrases.first {
      timers.entries[words.source]!.toldLeft.insert(left.nanoseconds)
      guard case .running(let zero) = entry.state else {
        return violated(.truth, "\(words.subject) is said, and it does not run", moment)
      }
      let late = left.nanoseconds + zero.passed(moment)
      let small = smallSteps(since: (played?.since ?? moment.elapsed) - second)
      let allowed = Self.tolerance + zero.slack + small
      if late < -allowed || late > rules.lateLimit + rules.lead + allowed,
        !happened([.rules], since: moment.elapsed - minute)
      {
        violated(.late, "\(words.subject) is said \(Double(late) / 1e9) s late", moment)
      }
      return
    }
    let allowed = Self.tolerance + (entry.moment?.slack ?? 0)
    var mayBeSaid = [entry.words]
    timers.entries[words.source]?.words = nil
    if words.phrases == [.time] {
      hearsAnswer(announcement, moment)
      // It is said once for all alarms that ring, after the tune of the one that is heard.
      for (source, other) in timers.entries where other.alarm != nil && other.rings != nil {
        if other.rings == entry.rings { mayBeSaid.append(other.words) }
        timers.entries[source]!.words = nil
      }
    } else if words.phrases.first
      != (entry.name.map { .name($0) } ?? .timer(.nanoseconds(entry.length)))
    {
      violated(.truth, "\(words.phrases) is said of \(entry.name ?? "no name")", moment)
    }
    let isTimely = mayBeSaid.compactMap { $0 }.contains {
      $0.lowerBound - allowed...$0.upperBound + allowed ~= moment.elapsed
    }
    if entry.rings == nil || !isTimely, !happened([.rules], since: moment.elapsed - minute) {
      violated(.late, "\(words.subject) is said, and it is not the time for it", moment)
    }
  }

  /// When words were to be given to the player; long ago where that is not known.
  private func due(_ words: TimerWords, _ moment: Moment) -> Moment {
    var due = moment.elapsed - 20 * second
    let entry = timers.entries[words.source]
    if case .left(let left)? = words.phrases.first, case .running(let zero)? = entry?.state {
      due = zero.elapsed(moment) - left.nanoseconds - rules.lead
    } else if let words = entry?.words {
      due = words.lowerBound - rules.lead
    }
    return moment.later(by: min(due - moment.elapsed, 0))
  }

  mutating func judgeUnsaid(_ words: TimerWords, _ reason: SkipReason, _ moment: Moment) {
    let due = due(words, moment)
    if case .left(let left)? = words.phrases.first {
      timers.entries[words.source]?.toldLeft.insert(left.nanoseconds)
    } else {
      timers.entries[words.source]?.words = nil
    }
    let isTrue =
      switch reason {
      case .stopped, .failed: ledger.pay(.unsaid)
      case .muted, .switchLost: isTrueOfSilence(reason)
      case .softwareMuted:
        mute.state != .next && mute.covers(moment.shown, moment) != false
          && words.phrases != [.time]
      case .untrusted: trust == .untrusted && words.phrases == [.time]
      // It waited in vain for something that was said, or was about to be.
      case .busy: isBusy || happened([.busy], since: due.elapsed)
      case .occasionIsNear: isNearOccasion(moment) || isNearOccasion(due)
      case .late:
        wasHindered(around: due.elapsed, orders: true, byClock: isByClock(words.source))
          || wasHeld(rules.latestWords, since: due.elapsed)
      default: false
      }
    if !isTrue {
      violated(.complete, "\(words.subject) is not said for no true reason: \(reason)", moment)
    }
  }
}

extension TimerWords {
  fileprivate var isOfTimeLeft: Bool { if case .left? = phrases.first { true } else { false } }
}

extension Cue {
  var inShort: String { "\(id.number): \(signal) of \(source)" }
}
