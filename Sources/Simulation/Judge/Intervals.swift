import Horology

/// The cues of an interval lie where a stopwatch that was started with the first would have them, and
/// none is missing.
struct Intervals: Property {
  private struct Running {
    let plan: IntervalPlan
    /// When its first cue is due, since the history began; nil where a wrong clock may have moved it.
    var start: Int64?
    /// From here on, cues must be heard.
    var expected: Int64 = 0
  }

  private var running: Running?
  /// Ordered, and about to take the place of the one that runs.
  private var ordered: Running?
  /// When it took the place of another, or was stopped.
  private var began: Int64 = .never
  private var stopped: Int64 = .never
  private var saved: Int64 = .never
  /// One that was stopped may run again: the power was cut before that was saved.
  private var mayRunAgain = false
  private static let exact = millisecond

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    if let what = judgeMissing(at, world) { return what }
    switch fact {
    case .ordered(.startInterval(let plan, _), number: 1?):
      ordered = Running(plan: plan, start: at.elapsed + world.rules.lead)
    case .powerCame: running?.start = nil
    case .saved: saved = at.elapsed
    case .ended(let isKilled):
      if isKilled { running?.start = nil }
      if isKilled, stopped >= saved { mayRunAgain = true }
    case .told(.interval, _, .rings):
      (running, began) = (ordered, at.elapsed)
      mayRunAgain = false
    case .told(.interval, _, .ends):
      // The last cue still sounds.
      if running != nil { stopped = at.elapsed }
      running = nil
    case .heard(.begins, let played):
      if case .cue(let signal) = played.what { return hears(signal, at, world) }
    default: break
    }
    return nil
  }

  private mutating func hears(_ signal: Signal, _ at: Moment, _ world: Situation) -> String? {
    guard let running else {
      if mayRunAgain { return nil }
      let isLast = signal == .end ? 4 * second : Situation.fade
      return at.elapsed - stopped <= isLast ? nil : "\(signal) is heard, and no interval runs"
    }
    // What another interval has just taken the place of still fades.
    guard let start = running.start, at.elapsed - began > Situation.fade else { return nil }
    let offset = at.elapsed - start
    let cues = running.plan.cues(near: offset).filter { $0.signal == signal }
    guard let cue = cues.min(by: { abs($0.offset - offset) < abs($1.offset - offset) }) else {
      return "\(signal) is no signal of the \(running.plan)"
    }
    let late = offset - cue.offset
    // What is in its way may make it late; nothing makes it early but
    // the pace of the converter.
    let most = world.isCalm(since: at.elapsed - 15 * second) ? Self.exact : 4 * second
    self.running!.expected = max(running.expected, cue.offset + 1)
    let early = most == Self.exact ? most : Situation.tolerance
    return (-early...most).contains(late)
      ? nil : "\(signal) is \(Duration.nanoseconds(late).roughly) off its moment"
  }

  private mutating func judgeMissing(_ at: Moment, _ world: Situation) -> String? {
    guard let running, let start = running.start else { return nil }
    let passed = at.elapsed - start - 1500 * millisecond
    guard
      let missing = running.plan.cues(near: running.expected)
        .first(where: { $0.offset >= running.expected }), missing.offset < passed
    else { return nil }
    self.running!.expected = missing.offset + 1
    let isCalm = world.isCalm(since: start + missing.offset - 15 * second)
    return isCalm && !world.silencesReminders ? "\(missing.signal) is missing" : nil
  }
}

extension IntervalPlan {
  /// The cues around this offset from the start, in order.
  fileprivate func cues(near offset: Int64) -> [(offset: Int64, signal: Signal)] {
    switch self {
    case .plain(let every):
      let period = every.nanoseconds
      let number = max(offset, 0) / period
      return (max(number - 1, 0)...number + 1).map { ($0 * period, .cue) }
    case .rounds(let rounds): return rounds.cues(near: offset)
    }
  }
}

extension IntervalRounds {
  fileprivate func cues(near offset: Int64) -> [(offset: Int64, signal: Signal)] {
    var cues: [(offset: Int64, signal: Signal)] = []
    /// The last seconds of a phase are counted, but for the first second and those near its half.
    func countDown(from: Int64, to: Int64, half: Int64? = nil) {
      for number in stride(from: Int64(countdown), to: 0, by: -1) {
        let at = to - number * second
        guard at - from >= second, half.map({ abs($0 - at) >= 450 * millisecond }) ?? true else {
          continue
        }
        cues.append((at, .count))
      }
    }
    let (work, rest) = (work.nanoseconds, rest.nanoseconds)
    let prepare = prepare.nanoseconds
    if prepare > 0 {
      cues.append((0, .prepare))
      countDown(from: 0, to: prepare)
    }
    let last = count.map { Int64($0) - 1 } ?? .max
    let round = min(max((offset - prepare) / (work + rest), 0), last)
    for round in max(round - 1, 0)...min(round + 1, last) {
      let begins = prepare + round * (work + rest)
      let over = begins + work
      cues.append((begins, round == last && round > 0 ? .last : .work))
      let half = work >= 4 * second ? begins + work / 2 : nil
      if let half { cues.append((half, .half)) }
      countDown(from: begins, to: over, half: half)
      if round == last {
        cues.append((over, .end))
      } else if rest > 0 {
        cues.append((over, .rest))
        countDown(from: over, to: over + rest)
      }
    }
    return cues.sorted { $0.offset < $1.offset }
  }
}
