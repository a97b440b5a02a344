import Horology

/// The cues of an interval lie where its plan has them on a stopwatch that was started with the first,
/// and none is missing.
struct Intervals: Property {
  private var plan: IntervalPlan?
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
      (plan, start) = (interval.plan, at.elapsed + world.settings.lead)
      (expected, changed, mayRunAgain) = (0, at.elapsed, false)
    case .told(.interval(_, .stopped)), .told(.interval(_, .over)):
      (plan, changed) = (nil, at.elapsed)
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
    guard let plan else {
      return signal == .end && at.elapsed - changed <= 4 * second
        ? nil : "\(signal) is heard, and no interval runs"
    }
    guard let start else { return nil }
    let offset = at.elapsed - start
    guard let cue = plan.cue(signal, near: offset) else {
      return "\(signal) is not due in the \(plan)"
    }
    expected = max(expected, cue.offset.nanoseconds + 1)
    // What is in its way may make it late. Nothing makes it early but the pace of the converter.
    let isCalm = world.isCalm(since: at.elapsed - 15 * second)
    let allowed =
      isCalm ? -millisecond...millisecond : -Situation.tolerance...4 * second
    let late = offset - cue.offset.nanoseconds
    return allowed.contains(late)
      ? nil : "\(signal) is \(Duration.nanoseconds(late).roughly) off its moment"
  }

  private mutating func judgeMissing(_ at: Moment, _ world: Situation) -> String? {
    guard let plan, let start,
      let missing = plan.cue(atOrAfter: .nanoseconds(expected))
    else { return nil }
    let due = start + missing.offset.nanoseconds
    guard due < at.elapsed - 1500 * millisecond else { return nil }
    expected = missing.offset.nanoseconds + 1
    return world.isCalm(since: due - 15 * second) && !world.silencesReminders
      ? "\(missing.signal) is missing" : nil
  }
}

extension IntervalPlan {
  /// The cue with this signal that is nearest to an offset from the start, within four seconds.
  fileprivate func cue(_ signal: Signal, near offset: Int64) -> TimedSignal? {
    var found: [TimedSignal] = []
    var from = Duration.nanoseconds(offset - 4 * second)
    while let cue = cue(atOrAfter: from), cue.offset.nanoseconds < offset + 4 * second {
      if cue.signal == signal { found.append(cue) }
      from = cue.offset + .nanoseconds(1)
    }
    return found.min { abs($0.offset.nanoseconds - offset) < abs($1.offset.nanoseconds - offset) }
  }
}
