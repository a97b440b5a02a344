import Horology

/// The cues of an interval lie where its plan has them on a stopwatch that was started with the first,
/// and none is missing.
struct Intervals: Property {
  private var plan: IntervalPlan?
  /// When its first cue is due, since the history began; nil once a power cut or a kill may have moved
  /// it.
  private var start: Int64?
  /// The offset from which on cues must be heard.
  private var expected = Duration.zero
  /// When it last began or ended.
  private var changed: Int64 = .never
  /// What has ended may run again: a kill or a power cut came before that was saved.
  private var mayRunAgain = false

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .told(.interval(let interval, .started)):
      (plan, start) = (interval.plan, at.elapsed + world.settings.lead)
      (expected, changed, mayRunAgain) = (.zero, at.elapsed, false)
    case .told(.interval(_, .stopped)), .told(.interval(_, .over)):
      (plan, changed) = (nil, at.elapsed)
    case .powerCame, .ended(isKilled: true):
      start = nil
      mayRunAgain = mayRunAgain || changed >= world.saved
    case .rested: return judgeMissing(at, world)
    case .heard(.begins, .cue(let cue)) where cue.signal != .ring:
      return judgeMissing(at, world) ?? hears(cue.signal, at, world)
    default: break
    }
    return nil
  }

  private mutating func hears(_ signal: Signal, _ at: Moment, _ world: Situation) -> String? {
    // What has just ended still fades, and the signal at the end sounds on.
    let since = at.elapsed - changed
    if mayRunAgain || since <= Situation.fade { return nil }
    guard let plan else {
      return signal == .end && since <= 4 * second
        ? nil : "\(signal) is heard, and no interval runs"
    }
    guard let start else { return nil }
    // What is in its way may make it late. Nothing makes it early.
    let late = world.isCalm(since: at.elapsed - 15 * second) ? millisecond : 4 * second
    let offset = Duration.nanoseconds(at.elapsed - start)
    var due = plan.cue(atOrAfter: offset - .nanoseconds(late))
    while let cue = due, cue.signal != signal, cue.offset <= offset {
      due = plan.cue(atOrAfter: cue.offset + .nanoseconds(1))
    }
    guard let due, due.offset <= offset + .milliseconds(1) else {
      return "\(signal) is not due \(offset.roughly) after the start"
    }
    expected = max(expected, due.offset + .nanoseconds(1))
    return nil
  }

  private mutating func judgeMissing(_ at: Moment, _ world: Situation) -> String? {
    guard let start, let missing = plan?.cue(atOrAfter: expected) else { return nil }
    let due = start + missing.offset.nanoseconds
    guard due < at.elapsed - 1500 * millisecond else { return nil }
    expected = missing.offset + .nanoseconds(1)
    return world.isCalm(since: due - 15 * second) && !world.silencesReminders
      ? "\(missing.signal) is missing" : nil
  }
}
