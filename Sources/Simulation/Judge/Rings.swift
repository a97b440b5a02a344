import Horology

/// A timer or an alarm rings when it is due, until it is stopped or has rung out, or is told with a
/// reason. None rings that is not due, or twice for one time.
///
/// A timer is due when its time has passed, asleep or not, whatever the clock shows. An alarm is due
/// when a clock that may be believed shows its time. What was due while nothing ran rings late, if
/// that is no longer than it would have rung.
///
/// Rules: quiet-rings, muted-rings, untrusted-rings, untrusted-alarms, timer-unmoved, timer-kept,
/// timer-late, alarm-once, alarm-skipped, alarm-repeated, alarm-skip, alarm-off, ring-limit,
/// alarm-set-back, alarm-late.
struct RingsProperty: Property {
  private var all: [Cue.Source: Known] = [:]
  /// Those that have changed since the service last saved its state.
  private var unsaved: Set<Cue.Source> = []
  /// When one last ceased to ring.
  private var ceased: Int64 = .never
  private var lastRing: (at: Int64, length: Int64) = (.never, 0)

  /// A timer or an alarm, as the service told of it.
  private struct Known {
    /// Nil for a timer.
    var times: AlarmTimes?
    /// When a timer is at zero, a snooze is over, or an alarm's time has come.
    var due: Int64?
    /// Since when it rings.
    var rings: Int64?
    /// What the clock shows when an alarm is due next; nil if that is to be reckoned.
    var next: Int64?
    /// An alarm is done with its times up to this, by the clock, or is to skip them up to this.
    var after: Int64
    var skipped = Int64.never
    /// When its moment was last set or moved.
    var changed: Int64
    /// When its first ring was heard, and words of it were said or told unsaid.
    var firstRing: Int64?
    var words = Int64.never
    /// Nothing is demanded or forbidden until it rings: it was changed or not saved, or the power was
    /// cut while it counted, or the clock was set back.
    var isLoose = false
    /// A person has turned an alarm off.
    var isOff = false

    init(_ plan: Reminder.Plan, _ at: Moment, _ world: Situation) {
      changed = at.elapsed
      after = world.goesByClock ? at.shown : .never
      switch plan {
      case .timer(let plan): due = at.elapsed + plan.length.nanoseconds
      case .alarm(let plan): times = plan.times
      }
    }

    /// The clock, the zone or the configuration has changed: an alarm is due anew.
    mutating func reconsider(_ at: Moment) {
      guard times != nil, rings == nil else { return }
      (next, firstRing, changed) = (nil, nil, at.elapsed)
      if let due, due <= at.elapsed { self.due = nil }
    }
  }

  mutating func see(_ fact: Fact, _ at: Moment, _ world: Situation) -> String? {
    switch fact {
    case .listed(let reminders): return list(reminders, at, world)
    // Only the clock tells how long the power was cut.
    case .powerCame: changeAll { if $0.due != nil { $0.isLoose = true } }
    case .clockSet(let by):
      changeAll {
        // An hour before the last ring it was wrong then, and the alarm rings again.
        let isPast =
          at.shown < $0.after - 59 * minute
          || by < 0 && ($0.after == .never || at.shown < $0.skipped)
        if isPast, $0.times != nil { $0.isLoose = true }
        if at.shown < $0.after - 61 * minute { $0.after = .never }
        $0.reconsider(at)
      }
    case .took, .tookZone: changeAll { $0.reconsider(at) }
    case .rested(let isSaved):
      if isSaved { unsaved = [] }
      return pass(at, world)
    case .told(.reminder(let reminder, let event)): return told(reminder, event, at, world)
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
    for (source, var known) in all {
      if let times = known.times, !known.isOff, known.due == nil, (known.next ?? .never) <= at.shown
      {
        if let next = known.next, world.trust != .untrusted {
          let due = at.elapsed - (at.shown - next)
          // One that is loose may leave out this time, but not the one after it.
          if !known.isLoose, !world.happened(.trust, since: due) { known.due = due }
          known.isLoose = false
        }
        known.next = WallClock.next(times, after: max(at.shown, known.after, known.skipped))
        all[source] = known
      }
      if let what = judge(source, known, at, world) { return what }
    }
    return nil
  }

  private func judge(
    _ source: Cue.Source, _ known: Known, _ at: Moment, _ world: Situation
  ) -> String? {
    guard let due = known.due, due < at.elapsed, !known.isLoose else { return nil }
    let (lead, limit) = (world.settings.lead, world.settings.ringLimit.nanoseconds)
    // After its end, and as long after the last thing in its way, its fate is known.
    let lately = at.elapsed - 75 * second
    if lately > known.rings.map({ $0 + limit }) ?? due, world.isUp,
      !world.happened(.sleep, .service, .rules, .trust, .clock, since: lately)
    {
      return "\(source) was due, or has rung out, and nobody told"
    }
    // If nothing was in its way, it begins at its moment, goes on, and its words are said.
    guard known.rings != nil, known.changed < due - 12 * second, ceased < due - 30 * second,
      world.isCalm(since: due - 20 * second), !world.silencesReminders,
      all.allSatisfy({ $0 == source || $1.rings == nil })
    else { return nil }
    guard let first = known.firstRing else {
      return at.elapsed > due + 5 * second ? "\(source) does not ring" : nil
    }
    if abs(first - due) > 2 * millisecond {
      return "\(source) rings \(Duration.nanoseconds(first - due).roughly) off its moment"
    }
    // The second ring is left out: the words are said then.
    let next = lastRing.at + max(lastRing.length + 6 * second, lead + 3 * second)
    if at.elapsed > next + 200 * millisecond, next < due + limit {
      return "\(source) rings no longer"
    }
    // They wait for other words for ten seconds at most; then they are told as unsaid.
    let said = due + 14 * second + lastRing.length + lead
    return at.elapsed > said && known.words < due ? "the words of \(source) are not said" : nil
  }

  // MARK: It rings

  private mutating func hears(
    _ source: Cue.Source, _ sounding: Sounding, _ at: Moment, _ world: Situation
  ) -> String? {
    lastRing = (at.elapsed, sounding.blows.last?.offset.nanoseconds ?? 0)
    // A stop that came just before may have come too late for it.
    if at.elapsed - ceased <= Situation.fade { return nil }
    guard let known = all[source] else { return "\(source) rings, and there is none" }
    if known.firstRing == nil { all[source]!.firstRing = at.elapsed }
    guard let since = known.rings else { return mayRing(known, at, world) }
    let end = since + world.settings.ringLimit.nanoseconds + 15 * second
    return at.elapsed <= end || known.isLoose || world.happened(.rules, since: end - minute)
      ? nil : "\(source) rings longer than ring_limit"
  }

  /// Judges a ring that begins.
  private func mayRing(_ known: Known, _ at: Moment, _ world: Situation) -> String? {
    // What is queued cannot follow a clock that is set.
    let late = known.times == nil ? Situation.fade : 12 * second
    if known.isLoose || at.elapsed - known.changed <= late { return nil }
    if known.isOff { return "what is off rings" }
    if let due = known.due {
      return at.elapsed >= due - Situation.tolerance ? nil : "it rings too early"
    }
    return time(known, at, world) != nil || world.happened(.rules, since: at.elapsed - minute)
      ? nil : "what is not due rings, or an alarm twice for one time"
  }

  /// The time for which an alarm rings that begins to ring now.
  private func time(_ known: Known, _ at: Moment, _ world: Situation) -> Int64? {
    guard let times = known.times else { return nil }
    let latest = world.settings.ringLimit.nanoseconds + 30 * second
    return WallClock.dues(times, around: at.shown).last {
      $0 > max(known.after, known.skipped)
        && (-Situation.tolerance...latest).contains(at.shown - $0)
    }
  }

  // MARK: It is told

  private mutating func told(
    _ reminder: Reminder, _ event: ReminderEvent, _ at: Moment, _ world: Situation
  ) -> String? {
    let source = reminder.source
    // One that has the times of before goes on as it was.
    let isNew =
      event == .set && (all[source]?.times == nil || all[source]?.times != reminder.alarm?.times)
    if isNew || event == .changed(.turned(on: true)) {
      all[source] = Known(reminder.plan, at, world)
      all[source]!.isOff = reminder.isOff
    }
    guard var known = all[source] else { return nil }
    unsaved.insert(source)
    var isGone = false
    defer { all[source] = isGone ? nil : known }
    switch event {
    case .set, .changed(.turned(on: true)), .changed(.told), .unheard: break
    case .changed(.turned(on: false)):
      known.isOff = true
      cease(&known, at)
      (known.due, known.next) = (nil, nil)
    case .changed(.unskipped):
      (known.skipped, known.next) = (.never, nil)
    case .changed(.skipped):
      // One that was set by a clock that is not trusted is due anew once that is right. An order that
      // comes with a step of the clock may be about the time that it showed before.
      if known.after == .never || world.happened(.clock, since: at.elapsed - 16 * second) {
        known.isLoose = true
      }
      let last = max(at.shown, known.after, known.skipped)
      let next = known.times.flatMap { WallClock.next($0, after: last) } ?? last
      known.skipped = known.isLoose ? reminder.skipped?.nanoseconds ?? next : next
      known.next = nil
    case .changed(.snoozed):
      known.due = at.elapsed + 600 * second
      cease(&known, at)
    // A timer has another length, or is paused.
    case .changed:
      known.isLoose = true
      cease(&known, at)
    case .rings(let how, _):
      // A clock that is set once a snooze is over leaves no moment of it.
      let isSure = !known.isLoose && how != .on && (how != .again || known.due != nil)
      let what = isSure ? mayRing(known, at, world) : nil
      if known.isLoose { (known.after, known.skipped) = (.never, .never) }
      if how != .again, let time = time(known, at, world) {
        known.after = time
        known.due = known.due ?? at.elapsed - (at.shown - time)
      }
      if !isSure || known.due == nil { (known.due, known.changed) = (at.elapsed, at.elapsed) }
      // What rings on after a start with a clock that is behind may leave out that time of it.
      (known.rings, known.isLoose) = (at.elapsed, known.isLoose && how == .on)
      return what
    // It may still ring late.
    case .silenced(.untrusted) where known.times != nil: known.due = nil
    case .silenced, .stopped, .missed, .expired, .cancelled:
      if case .silenced = event { known.after = time(known, at, world) ?? known.after }
      known.after = max(known.after, at.shown - world.settings.ringLimit.nanoseconds)
      cease(&known, at)
      (known.due, known.next) = (nil, nil)
      if case .weekly? = known.times?.days, event != .cancelled {} else { isGone = true }
    }
    return nil
  }

  private mutating func cease(_ known: inout Known, _ at: Moment) {
    (known.rings, known.firstRing, known.changed) = (nil, nil, at.elapsed)
    ceased = at.elapsed
  }

  /// The service lists its timers and alarms: it has started, or has read its configuration.
  private mutating func list(_ reminders: [Reminder], _ at: Moment, _ world: Situation) -> String? {
    let listed = [Cue.Source: Reminder](uniqueKeysWithValues: reminders.map { ($0.source, $0) })
    // What was not saved may be lost, or be as it was before.
    for source in unsaved {
      if listed[source] == nil { all[source] = nil }
      all[source]?.isLoose = true
      all[source]?.isOff = listed[source]?.isOff == true
    }
    if let lost = all.keys.first(where: { listed[$0] == nil }) { return "\(lost) is lost" }
    let names = Set(reminders.filter { $0.origin == .configuration }.map(\.name))
    if names != Set(world.settings.alarms.map(\.name)) {
      return "the alarms of the configuration are not all there, or too many"
    }
    for (source, reminder) in listed {
      let old = all[source]
      let configured = world.settings.alarms.first { $0.name == reminder.name }
      let times = (reminder.origin == .person ? reminder.alarm : configured)?.times
      if let old, old.isOff != reminder.isOff { return "\(source) is not on or off as it was" }
      if let old, old.times == times { continue }
      all[source] = Known(reminder.plan, at, world)
      all[source]!.times = times
      all[source]!.isOff = reminder.isOff
      all[source]!.isLoose = old.map { $0.isLoose || $0.due != nil } ?? unsaved.contains(source)
      unsaved.insert(source)
    }
    return nil
  }
}

extension WallClock {
  /// What the clock shows when an alarm is due around a moment. A time that the zone repeats comes the
  /// first time.
  fileprivate static func dues(_ times: AlarmTimes, around shown: Int64) -> [Int64] {
    let today = day(shown)
    var dates = today - 2...today + 9
    if case .date(let date) = times.days { dates = Int64(date.dayNumber)...Int64(date.dayNumber) }
    return dates.filter { date in
      // 1 January 1970 was a Thursday.
      guard case .weekly(let days) = times.days else { return true }
      return days.contains { Int64($0.rawValue) == (date + 4) % 7 }
    }.map { instant(day: $0, minute: Int64(times.time.minutes)) }
  }

  fileprivate static func next(_ times: AlarmTimes, after shown: Int64) -> Int64? {
    dues(times, around: shown).first { $0 > shown }
  }
}
