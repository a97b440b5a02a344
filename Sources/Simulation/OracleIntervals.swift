import Horology

/// An interval that runs, as a person with a stopwatch would time it.
struct IntervalReckoning: Hashable {
  let plan: IntervalPlan
  var start: Reckoned
  /// Cues at this offset from the start, and later ones, are to be heard.
  var expected: Int64 = 0
  /// The offset of the last cue that was heard.
  var heard: Int64?
  /// It was stopped: it must be gone once the service rests.
  var isSilenced = false
  /// All of its rounds are over; its last cue may still be due.
  var isOver = false
  /// It was at its end when the service last rested.
  var isOverdue = false
  /// When it was last told unheard, since the history began.
  var toldUnheard: Int64 = .min

  struct Cue: Hashable {
    let offset: Int64
    let signal: Signal
  }

  init(_ plan: IntervalPlan, start: Reckoned) {
    self.plan = plan
    self.start = start
  }

  /// Cues before this moment are no longer expected.
  mutating func expects(from moment: Moment) {
    expected = max(start.passed(moment), 0)
    heard = nil
  }

  /// From its start to its end; nil if it has no end.
  var length: Int64? {
    guard case .rounds(let rounds) = plan, let count = rounds.count else { return nil }
    return rounds.start(Int64(count) - 1) + rounds.work.nanoseconds
  }

  /// The first cue at this offset from the start, or after it.
  func next(_ offset: Int64) -> Cue? {
    switch plan {
    case .plain(let period):
      let period = period.nanoseconds
      return Cue(offset: (max(offset, 0) + period - 1) / period * period, signal: .cue)
    case .rounds(let rounds): return rounds.cues(near: offset).first { $0.offset >= offset }
    }
  }

  /// The cue nearest to this offset from the start, and how far it is from the next.
  func nearest(_ offset: Int64) -> (cue: Cue, gap: Int64)? {
    guard let before = last(offset) ?? next(offset) else { return nil }
    let after = next(before.offset + 1)
    let cue = after.map { $0.offset - offset < offset - before.offset ? $0 : before } ?? before
    return (cue, next(cue.offset + 1).map { $0.offset - cue.offset } ?? .max)
  }

  private func last(_ offset: Int64) -> Cue? {
    switch plan {
    case .plain(let period):
      return offset < 0
        ? nil : Cue(offset: offset / period.nanoseconds * period.nanoseconds, signal: .cue)
    case .rounds(let rounds): return rounds.cues(near: offset).last { $0.offset <= offset }
    }
  }
}

extension IntervalRounds {
  /// Counted from 0.
  fileprivate func start(_ round: Int64) -> Int64 {
    prepare.nanoseconds + round * (work.nanoseconds + rest.nanoseconds)
  }

  /// The cues of the rounds around this offset from the start, in order.
  fileprivate func cues(near offset: Int64) -> [IntervalReckoning.Cue] {
    var cues: [(Int64, Signal)] = []
    func count(from: Int64, to: Int64, except half: Int64? = nil) {
      for number in stride(from: Int64(countdown), to: 0, by: -1) {
        let at = to - number * second
        if at - from >= second, half.map({ abs($0 - at) >= 450 * millisecond }) ?? true {
          cues.append((at, .count))
        }
      }
    }
    if prepare > .zero {
      cues.append((0, .prepare))
      count(from: 0, to: prepare.nanoseconds)
    }
    let round = (offset - prepare.nanoseconds) / (work.nanoseconds + rest.nanoseconds)
    let end = self.count.map { Int64($0) } ?? .max
    for round in max(0, min(round, end) - 1)..<min(end, max(0, round) + 3) {
      let (begins, isLast) = (start(round), round + 1 == end)
      let over = begins + work.nanoseconds
      cues.append((begins, isLast && round > 0 ? .last : .work))
      let half = work >= .seconds(4) ? begins + work.nanoseconds / 2 : nil
      if let half { cues.append((half, .half)) }
      count(from: begins, to: over, except: half)
      if isLast {
        cues.append((over, .end))
      } else if rest > .zero {
        cues.append((over, .rest))
        count(from: over, to: over + rest.nanoseconds)
      }
    }
    return cues.sorted { $0.0 < $1.0 }.map { .init(offset: $0.0, signal: $0.1) }
  }
}

extension Oracle {
  // MARK: What is heard

  mutating func hearsInterval(_ cue: Cue, _ moment: Moment) {
    guard let interval = timers.interval else {
      return violated(.complete, "a cue is heard, and no interval runs", moment)
    }
    let offset = interval.start.passed(moment)
    guard let (nearest, gap) = interval.nearest(offset) else {
      return violated(.late, "a cue is heard after the last", moment)
    }
    let error = offset - nearest.offset
    let most = min(nearest.offset == 0 ? 3 * second : second, gap / 2)
    let isHindered = wasHindered(around: moment.elapsed - max(error, 0))
    let allowed =
      Self.tolerance + interval.start.slack
      + (error > 0 ? held(since: moment.elapsed - error - 200 * millisecond) : 0)
    if cue.signal != nearest.signal || abs(error) > (isHindered ? most + allowed : allowed) {
      let error = Duration.nanoseconds(error).roughly
      violated(
        .late, "\(cue.signal) is \(error) off \(nearest.signal) of the \(interval.plan)", moment)
    }
    if nearest.offset == interval.heard, !interval.start.followsClock {
      violated(.once, "a cue is heard twice", moment)
    }
    judgeMissing(before: nearest.offset, moment)
    timers.interval?.expected = max(interval.expected, nearest.offset + 1)
    timers.interval?.heard = nearest.offset
  }

  /// Checks that the cues before this offset were heard, unless something was in their way.
  private mutating func judgeMissing(before offset: Int64, _ moment: Moment) {
    guard let interval = timers.interval, let missing = interval.next(interval.expected),
      missing.offset < offset
    else { return }
    let due = moment.elapsed - interval.start.passed(moment) + missing.offset
    if !interval.isSilenced, !isEnding, !areTimersSilenced,
      !wasHindered(around: due, byClock: interval.start.followsClock)
    {
      violated(.complete, "\(missing.signal) of the \(interval.plan) is missing", moment)
    }
    timers.interval?.expected = offset
  }

  /// The service rests.
  mutating func judgeInterval(_ moment: Moment) {
    guard let interval = timers.interval else { return }
    if interval.isSilenced, !interval.isOver {
      violated(.muted, "the interval goes on", moment)
    }
    let passed = interval.start.passed(moment)
    if !interval.start.followsClock {
      judgeMissing(before: passed - 1200 * millisecond - interval.start.slack, moment)
    }
    guard let length = interval.length, passed > length + interval.start.slack else { return }
    if interval.isOver {
      if passed > length + 4 * second { timers.interval = nil }
    } else if interval.isOverdue, !interval.start.followsClock, !isEnding {
      violated(.complete, "the interval is over, and nobody told", moment)
    }
    timers.interval?.isOverdue = true
  }

  // MARK: What is told

  mutating func told(_ told: IntervalTimer, _ event: IntervalEvent, _ moment: Moment) {
    let running = timers.interval.flatMap { $0.isOver ? nil : $0 }
    let isTrue: Bool
    switch event {
    case .started, .wentOn:
      guard case .startInterval(let plan, _) = timers.order else {
        isTrue = false
        break
      }
      let isNew = event == .started
      isTrue =
        ledger.pay(.order) && told.plan == plan && (isNew ? running == nil : running?.plan == plan)
      timers.order = nil
      if isNew {
        // The last cue of one that is over may be still to come: nobody stops that one by name.
        timers.mustBeSilent(.interval, by: moment.elapsed + Self.fade)
        timers.interval = IntervalReckoning(plan, start: Reckoned(rules.lead, after: moment))
      }
    case .stopped(let reason):
      switch timers.order {
      case .stopInterval: isTrue = running != nil && ledger.pay(.order)
      case .startInterval(_, replaces: true): isTrue = running != nil
      default: isTrue = running != nil && self.isTrue(reason, since: ledger.rested)
      }
      if timers.order == .stopInterval { timers.order = nil }
      timers.interval = nil
      silences(.interval, moment)
    case .over(let late):
      let over = (running?.length).map { running!.start.passed(moment) - $0 }
      let allowed = Self.tolerance + (running?.start.slack ?? 0)
      let isSo = over.map { over in
        late.map { abs($0.nanoseconds - over) <= allowed }
          ?? (-allowed...2 * second + allowed ~= over)
      }
      // Nobody hears the end while the switch is lost: that is told, too.
      let isUnheard =
        late == nil && lever.isToldLost && areTimersSilenced
        && last([.lever, .rules]) < moment.elapsed
      let isToldUnheard = running.map { $0.toldUnheard >= ledger.rested } ?? false
      isTrue = isSo == true && (!isUnheard || isToldUnheard)
      timers.interval?.isOver = true
    case .unheard:
      isTrue = wasHindered(around: moment.elapsed) || areTimersSilenced
      timers.interval?.toldUnheard = moment.elapsed
    }
    if !isTrue { violated(.complete, "told though it is not so: \(told.title) \(event)", moment) }
  }
}
