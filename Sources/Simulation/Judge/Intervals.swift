import Horology

/// The cues of an interval lie where its plan has them on a stopwatch that was started with the first,
/// and none is missing.
struct Intervals: Property {
  private var course: Course?
  /// When its first cue is due, since the history began; nil where a wrong clock may have moved it.
  private var start: Int64?
  /// The offset from which on cues must be heard.
  private var expected: Int64 = 0
  /// When it last began or ended.
  private var changed: Int64 = .never
  /// One that has ended may run again: the power was cut before that was saved.
  private var mayRunAgain = false

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .told(.interval(let interval, .started)):
      (course, start) = (Course(interval.plan), at.elapsed + world.settings.lead)
      (expected, changed, mayRunAgain) = (0, at.elapsed, false)
    case .told(.interval(_, .stopped)), .told(.interval(_, .over)):
      (course, changed) = (nil, at.elapsed)
    case .powerCame: start = nil
    case .ended(isKilled: true):
      start = nil
      if changed >= world.saved { mayRunAgain = true }
    case .rested: return judgeMissing(at, world)
    case .heard(.begins, .cue(let cue)) where cue.signal != .ring:
      return judgeMissing(at, world) ?? hears(cue.signal, at, world)
    default: break
    }
    return nil
  }

  private mutating func hears(_ signal: Signal, _ at: Moment, _ world: Situation) -> String? {
    // What has just ended still fades, and the signal at the end sounds on.
    if mayRunAgain || at.elapsed - changed <= Situation.fade { return nil }
    guard let course else {
      return signal == .end && at.elapsed - changed <= 4 * second
        ? nil : "\(signal) is heard, and no interval runs"
    }
    guard let start else { return nil }
    let offset = at.elapsed - start
    guard let due = course.offset(of: signal, near: offset) else {
      return "\(signal) is not due \(Duration.nanoseconds(offset).roughly) after the start"
    }
    expected = max(expected, due + 1)
    // What is in its way may make it late. Nothing makes it early but the pace of the converter.
    let isCalm = world.isCalm(since: at.elapsed - 15 * second)
    let allowed =
      isCalm ? -millisecond...millisecond : -Situation.tolerance...4 * second
    let late = offset - due
    return allowed.contains(late)
      ? nil : "\(signal) is \(Duration.nanoseconds(late).roughly) off its moment"
  }

  private mutating func judgeMissing(_ at: Moment, _ world: Situation) -> String? {
    guard let start, let missing = course?.cue(atOrAfter: expected) else { return nil }
    let due = start + missing.offset
    guard due < at.elapsed - 1500 * millisecond else { return nil }
    expected = missing.offset + 1
    return world.isCalm(since: due - 15 * second) && !world.silencesReminders
      ? "\(missing.signal) is missing" : nil
  }
}

/// The cues of a plan, each at its offset from the first.
private struct Course {
  /// Of a plain interval.
  private var period: Int64?
  /// Of rounds: all of them, in order.
  private var cues: [(offset: Int64, signal: Signal)] = []

  init(_ plan: IntervalPlan) {
    guard case .rounds(let rounds) = plan, let count = rounds.count else {
      if case .plain(let every) = plan { period = every.nanoseconds }
      return
    }
    var phases = [(Signal.prepare, rounds.prepare)]
    for round in 1...count {
      phases.append((round == count && count > 1 ? .last : .work, rounds.work))
      if round < count { phases.append((.rest, rounds.rest)) }
    }
    var start: Int64 = 0
    for (signal, length) in phases where length > .zero {
      let end = start + length.nanoseconds
      let isWork = signal == .work || signal == .last
      let half = isWork && end - start >= 4 * second ? (start + end) / 2 : nil
      cues.append((start, signal))
      if let half { cues.append((half, .half)) }
      // The last seconds are counted, but not close to another signal.
      for left in 0..<Int64(rounds.countdown) {
        let tick = end - (left + 1) * second
        let isNearHalf = half.map { abs(tick - $0) < 450 * millisecond } ?? false
        if tick >= start + second, !isNearHalf { cues.append((tick, .count)) }
      }
      start = end
    }
    cues.append((start, .end))
    cues.sort { $0.offset < $1.offset }
  }

  func cue(atOrAfter offset: Int64) -> (offset: Int64, signal: Signal)? {
    guard let period else { return cues.first { $0.offset >= offset } }
    return ((max(offset, 0) + period - 1) / period * period, .cue)
  }

  /// When the cue with this signal is due that is nearest to an offset, within four seconds.
  func offset(of signal: Signal, near offset: Int64) -> Int64? {
    var near = cues
    if let period {
      let last = max(offset, 0) / period * period
      near = [(last, .cue), (last + period, .cue)]
    }
    return near.filter { $0.signal == signal && abs($0.offset - offset) < 4 * second }
      .map(\.offset).min { abs($0 - offset) < abs($1 - offset) }
  }
}
