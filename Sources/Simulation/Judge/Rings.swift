import Horology

/// Each moment at which a timer or an alarm is due has one fate: it rings then, until it is stopped or
/// has rung out, or is told with a reason. None rings that is not due, or twice for one time.
///
/// A timer is due when its time has passed, asleep or not, whatever the clock shows. An alarm is due
/// when a clock that may be believed shows its time. What was due while nothing ran rings late, if
/// that is no longer than it would have rung.
struct Rings: Property {
  private var all: [Cue.Source: Known] = [:]
  /// Those that have changed since the service last saved its state.
  private var unsaved: Set<Cue.Source> = []
  /// When each last began or ceased to ring.
  private var turns: [Cue.Source: Int64] = [:]
  private var lastRing: (at: Int64, length: Int64) = (.never, 0)

  /// From one ring to the next. The second is left out: the words are said then.
  private static let gap = 6 * second
  /// Within this time of its moment, or of the last thing in its way, its fate is known.
  private static let settled = 75 * second
  private static let exact = 2 * millisecond
  private static let snooze = 600 * second

  /// A timer or an alarm, as the service told of it.
  private struct Known {
    /// Nil for a timer.
    var times: AlarmTimes?
    var name: String?
    var isConfigured: Bool
    /// When a timer is at zero or a snooze is over, and from then on when it began to ring. Of an alarm
    /// that waits, its time if that has come.
    var due: Int64?
    /// Of a timer that is paused.
    var left: Int64?
    var isRinging = false
    /// It rings or is snoozed.
    var isUp = false
    /// It has to ring at its very moment.
    var isExact = false
    /// What the clock shows when an alarm is due next; nil if that is to be reckoned.
    var next: Int64?
    /// What the clock showed when an alarm was set, or rang last, and the last time that was left out.
    /// It is done with what was due by then.
    var after: Int64
    var skipped: Int64 = .never
    /// When its moment was last set or moved.
    var changed: Int64
    /// When its first ring was heard, and words of it were said or told unsaid.
    var firstRing: Int64?
    var words = Int64.never
    /// It was not saved, or the power was cut while it counted: nothing is demanded of it.
    var isLoose = false

    init(_ plan: Reminder.Plan, isConfigured: Bool = false, _ at: Moment, _ world: Situation) {
      self.isConfigured = isConfigured
      changed = at.elapsed
      after = world.goesByClock ? at.shown : .never
      switch plan {
      case .timer(let length, let name): (due, self.name) = (at.elapsed + length.nanoseconds, name)
      case .alarm(let plan): (times, name) = (plan.times, plan.name)
      }
    }

    /// The clock, the zone or the configuration has changed: an alarm is due anew.
    mutating func reconsider(_ at: Moment) {
      guard times != nil, !isRinging else { return }
      (next, firstRing, changed) = (nil, nil, at.elapsed)
      if let due, due <= at.elapsed { self.due = nil }
    }

    /// A clock that alarms go by shows a time more than an hour earlier: it was wrong before.
    mutating func forget(_ at: Moment, _ world: Situation) {
      if !isUp, world.goesByClock, at.shown < after - hour {
        (after, skipped, next) = (at.shown, .never, nil)
      }
    }
  }

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .started(let saved): start(saved, at, world)
    // Only the clock tells how long the power was cut.
    case .powerCame: changeAll { if $0.due != nil { $0.isLoose = true } }
    case .clockSet: changeAll { $0.reconsider(at) }
    case .took, .tookZone:
      changeAll { $0.reconsider(at) }
      configure(at, world)
    case .rested(let isSaved):
      if isSaved { unsaved = [] }
      changeAll { $0.forget(at, world) }
      return pass(at, world)
    case .told(.reminder(let reminder, let event)):
      changeAll { $0.forget(at, world) }
      return told(reminder, event, at, world)
    case .told(.unsaid(let words, _)): all[words.source]?.words = at.elapsed
    case .heard(.begins, let sounding):
      if let words = sounding.words { all[words.source]?.words = at.elapsed }
      if let source = sounding.ring { return hears(source, sounding, at, world) }
    default: break
    }
    return nil
  }

  private mutating func changeAll(_ change: (inout Known) -> Void) {
    for source in all.keys { change(&all[source]!) }
  }

  // MARK: It must ring, or be told

  private mutating func pass(_ at: Moment, _ world: Situation) -> String? {
    for (source, known) in all {
      if known.times != nil, known.due == nil, known.next.map({ $0 <= at.shown }) ?? true {
        comeDue(&all[source]!, at, world)
      }
      if let what = judge(source, all[source]!, at, world) { return what }
    }
    return nil
  }

  private func comeDue(_ known: inout Known, _ at: Moment, _ world: Situation) {
    if let next = known.next {
      let due = at.elapsed - (at.shown - next)
      if world.trust != .untrusted, !world.happened(.trust, since: due) { known.due = due }
    }
    known.next = world.face.next(known.times!, after: max(at.shown, known.after, known.skipped))
  }

  private func judge(
    _ source: Cue.Source, _ known: Known, _ at: Moment, _ world: Situation
  ) -> String? {
    guard let due = known.due, due < at.elapsed, !known.isLoose else {
      return nil
    }
    let limit = known.isRinging ? world.settings.ringLimit.nanoseconds : 0
    if at.elapsed > due + limit + Self.settled, world.upSince != nil, !world.isStopping,
      !world.happened(.sleep, .service, .rules, .trust, .clock, since: at.elapsed - Self.settled)
    {
      return "\(source) was due, or has rung out, and nobody told"
    }
    // Nothing was in the way of its ring: no fault, no switch, no other ring.
    let isAlone =
      world.isCalm(since: due - 20 * second) && !world.silencesReminders
      && turns.allSatisfy { $0 == source || $1 < due - 30 * second }
      && all.allSatisfy { $0 == source || !$1.isRinging }
    return known.isRinging && known.isExact && isAlone
      ? judgeRing(source, known, due, at, world) : nil
  }

  /// It begins at its moment, goes on, and its words are said.
  private func judgeRing(
    _ source: Cue.Source, _ known: Known, _ due: Int64, _ at: Moment, _ world: Situation
  ) -> String? {
    guard let first = known.firstRing else {
      return at.elapsed > due + 5 * second ? "\(source) does not ring" : nil
    }
    if abs(first - due) > Self.exact {
      return "\(source) rings \(Duration.nanoseconds(first - due).roughly) off its moment"
    }
    let lead = world.settings.lead
    let next = lastRing.at + max(lastRing.length + Self.gap, lead + 3 * second)
    if at.elapsed > next + 200 * millisecond, next < due + world.settings.ringLimit.nanoseconds {
      return "\(source) rings no longer"
    }
    let said = due + 4 * second + lastRing.length + lead
    let coming = world.face.nextOccasion(after: at.shown - minute, world.settings) ?? .max
    let mayBeSaid =
      at.elapsed - world.lastAnnounced > 3 * minute && coming > at.shown + 4 * minute
      && (known.times == nil || world.goesByClock)
    return at.elapsed > said && known.words < due && mayBeSaid
      ? "the words of \(source) are not said" : nil
  }

  // MARK: It rings

  private mutating func hears(
    _ source: Cue.Source, _ sounding: Sounding, _ at: Moment, _ world: Situation
  ) -> String? {
    lastRing = (at.elapsed, sounding.blows.last?.offset.nanoseconds ?? 0)
    // A stop that came just before may have come too late for it.
    if let turned = turns[source], at.elapsed - turned <= Situation.fade { return nil }
    guard let known = all[source] else { return "\(source) rings, and there is none" }
    if known.firstRing == nil { all[source]!.firstRing = at.elapsed }
    guard known.isRinging, let due = known.due else { return mayRing(known, at, world) }
    let end = due + world.settings.ringLimit.nanoseconds + 15 * second
    return at.elapsed <= end || known.isLoose || world.happened(.rules, since: end - minute)
      ? nil : "\(source) rings longer than ring_limit"
  }

  /// Judges a ring that begins.
  private func mayRing(_ known: Known, _ at: Moment, _ world: Situation) -> String? {
    // What is queued cannot follow a clock that is set.
    let late = known.times == nil ? Situation.fade : 12 * second
    if known.isLoose || known.isRinging || at.elapsed - known.changed <= late { return nil }
    if known.left != nil { return "what is paused rings" }
    if let due = known.due {
      return at.elapsed >= due - Situation.tolerance ? nil : "it rings too early"
    }
    return time(known, at, world) != nil || world.happened(.rules, since: at.elapsed - minute)
      ? nil : "an alarm rings that is not due, or twice for one time"
  }

  /// The time for which an alarm rings that begins to ring now.
  private func time(_ known: Known, _ at: Moment, _ world: Situation) -> Int64? {
    guard let times = known.times else { return nil }
    let latest = world.settings.ringLimit.nanoseconds + 30 * second
    // What the clock shows now comes first; what it showed a moment before may be years off.
    return world.readings(at).lazy.compactMap { shown in
      world.face.dues(times, around: shown)
        .last {
          $0 > max(known.after, known.skipped)
            && (-Situation.tolerance...latest).contains(shown - $0)
        }
    }.first
  }

  // MARK: It is told

  private mutating func told(
    _ reminder: Reminder, _ event: ReminderEvent, _ at: Moment, _ world: Situation
  ) -> String? {
    let source = Cue.Source(reminder)
    // The configuration may have another of that number already.
    if event == .cancelled, all[source]?.name != reminder.name { return nil }
    if event == .set { all[source] = Known(reminder.plan, at, world) }
    guard var known = all[source] else { return nil }
    unsaved.insert(source)
    var isGone = false
    defer { all[source] = isGone ? nil : known }
    switch event {
    case .set, .changed(.told), .unheard: break
    case .changed(.lengthened(let span)):
      if known.left != nil {
        known.left! += span.nanoseconds
      } else {
        known.due = max(known.due ?? 0, at.elapsed) + span.nanoseconds
      }
      turn(source, &known, at)
    case .changed(.paused):
      known.left = known.due.map { $0 - at.elapsed }
      known.due = nil
    case .changed(.resumed):
      known.due = known.left.map { $0 + at.elapsed }
      (known.left, known.changed) = (nil, at.elapsed)
    case .changed(.snoozed):
      known.due = at.elapsed + Self.snooze
      turn(source, &known, at)
      (known.isUp, known.isLoose) = (true, false)
    case .changed(.skipped):
      // One that was set by a clock that is not trusted is due anew once that is right.
      known.isLoose = known.isLoose || known.after == .never
      let last = max(at.shown, known.after, known.skipped)
      known.skipped = known.times.flatMap { world.face.next($0, after: last) } ?? last
      (known.after, known.next) = (max(known.after, at.shown), nil)
    case .rings(.on, _):
      (known.isRinging, known.isUp, known.isExact, known.due) = (true, true, false, at.elapsed)
      turns[source] = at.elapsed
    case .rings(let how, _):
      // A clock that is set once a snooze is over leaves no moment of it.
      let what = how == .again && known.due == nil ? nil : mayRing(known, at, world)
      if let time = time(known, at, world), how != .again {
        known.after = time
        known.due = known.due ?? at.elapsed - (at.shown - time)
      }
      let due = known.due ?? at.elapsed
      let isLate = at.elapsed - due > 2 * second
      let isHindered = known.isLoose || !world.isCalm(since: due - minute)
      known.isExact = known.changed < due - 12 * second && !isLate
      known.due = isLate ? at.elapsed : due
      (known.isRinging, known.isUp) = (true, true)
      turns[source] = at.elapsed
      return what ?? (isLate && !isHindered ? "\(source) rings late" : nil)
    // It may still ring late.
    case .silenced(.untrusted) where known.times != nil: known.due = nil
    case .silenced, .stopped, .missed, .expired, .cancelled:
      if case .silenced = event { known.after = time(known, at, world) ?? known.after }
      known.after = max(known.after, at.shown - world.settings.ringLimit.nanoseconds)
      turn(source, &known, at)
      (known.due, known.next, known.isUp, known.isLoose) = (nil, nil, false, false)
      isGone = event == .cancelled
      if case .weekly? = known.times?.days {} else { isGone = true }
    }
    return nil
  }

  /// It rings no more.
  private mutating func turn(_ source: Cue.Source, _ known: inout Known, _ at: Moment) {
    (known.isRinging, known.firstRing, known.changed) = (false, nil, at.elapsed)
    turns[source] = at.elapsed
  }

  // MARK: The configuration and the saved state

  private mutating func configure(_ at: Moment, _ world: Situation) {
    let plans = world.settings.alarms
    for (source, known) in all where known.isConfigured {
      guard let plan = plans.first(where: { $0.name == known.name }) else {
        all[source] = nil
        continue
      }
      guard plan.times != known.times else { continue }
      if known.isUp {
        all[source]!.times = plan.times
      } else {
        all[source] = Known(.alarm(plan), isConfigured: true, at, world)
      }
      all[source]!.isLoose = known.isLoose || known.due != nil
    }
    for plan in plans where !all.values.contains(where: { $0.isConfigured && $0.name == plan.name })
    {
      let source = (1...).lazy.map { Cue.Source.alarm($0) }.first { all[$0] == nil }!
      all[source] = Known(.alarm(plan), isConfigured: true, at, world)
      unsaved.insert(source)
    }
  }

  /// What was not saved may be lost, or be as it was before.
  private mutating func start(_ saved: [Reminder], _ at: Moment, _ world: Situation) {
    for source in unsaved {
      all[source] = saved.first { Cue.Source($0) == source }.map {
        all[source]
          ?? Known($0.plan, isConfigured: $0.origin == .configuration, at, world)
      }
      all[source]?.isLoose = true
    }
    configure(at, world)
  }
}

extension Cue.Source {
  fileprivate init(_ reminder: Reminder) {
    self = reminder.kind == .timer ? .timer(reminder.number) : .alarm(reminder.number)
  }
}

extension WallClock {
  /// What the clock shows when an alarm is due around a moment. A time that the zone repeats comes the
  /// first time.
  fileprivate func dues(_ times: AlarmTimes, around shown: Int64) -> [Int64] {
    let today = day(shown)
    var dates = today - 2...today + 9
    if case .date(let date) = times.days { dates = Int64(date.dayNumber)...Int64(date.dayNumber) }
    return dates.compactMap { date in
      // 1 January 1970 was a Thursday.
      if case .weekly(let days) = times.days,
        !days.contains(where: { Int64($0.rawValue) == (date + 4) % 7 })
      {
        return nil
      }
      return instant(day: date, minute: Int64(times.time.minutes))
    }.sorted()
  }

  fileprivate func next(_ times: AlarmTimes, after shown: Int64) -> Int64? {
    dues(times, around: shown).first { $0 > shown }
  }
}
