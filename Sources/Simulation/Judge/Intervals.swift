import Horology

/// The cues of an interval lie where its plan has them on a stopwatch that was started with the first,
/// and none is missing. The plan reckons by itself where it has them; that is not judged here.
///
/// Rules: interval-kept.
struct IntervalsProperty: Property {
  private var plan: IntervalPlan?
  /// When its first cue is due, since the history began.
  private var start: Int64 = 0
  /// False once a power cut or a kill may have moved, ended or revived it.
  private var isKnown = true
  /// The offset from which on cues must be heard.
  private var expected = Duration.zero
  /// When it last began or ended.
  private var changed: Int64 = .never

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .told(.interval(let interval, .started)):
      (plan, start, isKnown) = (interval.plan, at.elapsed + world.settings.lead, true)
      (expected, changed) = (.zero, at.elapsed)
    case .told(.interval(_, .over))
    where isKnown && plan?.cue(atOrAfter: .nanoseconds(at.elapsed - start + second)) != nil:
      return "it is over too early"
    case .told(.interval(_, .stopped)), .told(.interval(_, .over)):
      (plan, changed) = (nil, at.elapsed)
    case .powerCame, .ended(isKilled: true): isKnown = false
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
    if !isKnown || since <= Situation.fade { return nil }
    guard let plan else {
      return signal == .end && since <= 4 * second
        ? nil : "\(signal) is heard, and no interval runs"
    }
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
    guard isKnown, let missing = plan?.cue(atOrAfter: expected) else { return nil }
    let due = start + missing.offset.nanoseconds
    guard due < at.elapsed - 1500 * millisecond else { return nil }
    expected = missing.offset + .nanoseconds(1)
    return world.isCalm(since: due - 15 * second) && !world.silencesReminders
      ? "\(missing.signal) is missing" : nil
  }
}
