/// The clock, the zone and the limits that timers and alarms depend on.
struct ReminderRules {
  let zone: any Zone
  let trust: ClockTrust
  /// Why alarms do not go by the clock; nil if it is trusted, or its owner lets it speak anyway.
  let refusalOfAlarms: SkipReason?
  /// How long something rings if nobody stops it, and how late it may still ring.
  let ringLimit: Duration
  /// How far ahead of now a sound can begin at the earliest.
  let lead: Duration
  /// Why nothing that comes due now may ring; nil if it may.
  let refusal: SkipReason?

  var alarmsGoByClock: Bool { refusalOfAlarms == nil }
}

/// The timers and alarms, and their states. `due` makes them ring and end as time passes.
///
/// An alarm rings at most once for a date of its zone: it keeps the last date for which it rang.
/// While the clock is not trusted, no alarm becomes due (`untrusted = speak` excepted). What came due
/// meanwhile rings late once it is, up to `ring_limit`, or is reported as missed.
public struct Reminders: Hashable, Sendable {
  /// Maximum number of each kind: far more than a person can follow, and a bound for memory. Of
  /// alarms it counts those of the configuration, which can have as many itself.
  static func most(_ kind: Reminder.Kind) -> Int { kind == .timer ? mostTimers : mostAlarms }
  public static let mostTimers = 1000
  public static let mostAlarms = 100
  /// If a clock that alarms go by shows a time this much earlier than before, it was wrong before:
  /// the dates that alarms are done with are forgotten.
  static let longestStepBack = Duration.seconds(86_400)

  /// Sorted by number. Two lists, so that the status can share them instead of copying them.
  public private(set) var timers: [Reminder] = []
  public private(set) var alarms: [Reminder] = []
  /// The latest time of a clock that alarms go by; nil if there was none yet.
  public private(set) var trustedUntil: Instant?
  /// Changes made by a start, and what rings on after it. The next `due` reports them.
  private var changedByStart: [ReminderChange] = []

  public init() {}

  /// The timers and alarms as they were before the start. `configureAtStart` then takes the alarms
  /// of the configuration.
  /// - Parameter isSameBoot: true if the machine has not restarted since.
  public init(
    _ reminders: [Reminder], trustedUntil: Instant? = nil, isSameBoot: Bool, at now: Now
  ) {
    self.trustedUntil = trustedUntil
    let sorted = reminders.sorted { $0.number < $1.number }
    timers = sorted.filter { $0.kind == .timer }
    alarms = sorted.filter { $0.kind == .alarm }
    changedByStart = all.filter(\.isRinging).map { ReminderChange($0, .rings(.on)) }
    changeAll { reminder in
      reminder.moment?.noteStart(isSameBoot: isSameBoot, at: now)
      // It rings already. The clock came back behind, so the ring seems to begin later.
      if case .ringing(let since) = reminder.state, since.left(at: now) > .zero {
        reminder.state = .ringing(since: TimedMoment(.zero, after: now))
      }
    }
  }

  /// Everything, the timers first.
  public var all: [Reminder] {
    timers.isEmpty ? alarms : alarms.isEmpty ? timers : timers + alarms
  }

  private static func list(of kind: Reminder.Kind) -> WritableKeyPath<Reminders, [Reminder]> {
    kind == .timer ? \.timers : \.alarms
  }

  subscript(kind: Reminder.Kind) -> [Reminder] { self[keyPath: Self.list(of: kind)] }

  public var isRinging: Bool { timers.contains(where: \.isRinging) || alarmRings }

  var alarmRings: Bool { alarms.contains(where: \.isRinging) }

  // MARK: The clock

  /// The clock was set.
  /// - Returns: the sources whose moments have moved with it.
  mutating func noteClockSet(at now: Now, _ rules: ReminderRules) -> Set<Cue.Source> {
    let moved = all.filter { $0.moment?.followsClock == true }.map(\.source)
    changeAll { $0.moment?.noteClockSet(at: now) }
    planAlarms(at: now, rules)
    return Set(moved)
  }

  /// Finds the next ring of every alarm that waits: the clock was set, its trust or the zone has
  /// changed.
  mutating func planAlarms(at now: Now, _ rules: ReminderRules) {
    changeAll { Self.plan(&$0, at: now, rules) }
  }

  /// Places the next rings by the clock anew: small steps of it add up. All of one instant begin
  /// together.
  /// - Parameter isPrepared: true for an alarm whose ring the player has already.
  mutating func followClock(at now: Now, except isPrepared: (Cue.Source) -> Bool) {
    var moments: [Instant: TimedMoment] = [:]
    for alarm in all where alarm.waitsByClock && isPrepared(alarm.source) {
      if let due = alarm.moment { moments[due.shown] = due }
    }
    changeAll { alarm in
      guard alarm.waitsByClock, let due = alarm.moment, !isPrepared(alarm.source) else { return }
      alarm.moment = moments[due.shown] ?? TimedMoment(followingClockTo: due.shown, at: now)
    }
  }

  private static func plan(_ alarm: inout Reminder, at now: Now, _ rules: ReminderRules) {
    guard case .waiting = alarm.state, let times = alarm.alarm?.times else { return }
    var start = max(now.instant, alarm.from ?? now.instant)
    if rules.alarmsGoByClock {
      // Set while nobody knew the time, it may just have missed it.
      start = alarm.from ?? now.instant - rules.ringLimit
      alarm.from = start
    }
    let next = times.nextRing(after: start, in: rules.zone, afterDate: alarm.done)
    alarm.state = .waiting(next.map { TimedMoment(followingClockTo: $0, at: now) })
  }

  // MARK: What time brings

  /// Does everything that is due.
  ///
  /// What is late by up to `ringLimit` still rings; what is later has expired.
  mutating func due(at now: Now, _ rules: ReminderRules) -> [ReminderChange] {
    noteTrust(at: now, rules)
    var changes: [ReminderChange] = []
    for reminder in all {
      switch reminder.state {
      case .waiting(let due?) where due.left(at: now) <= .zero:
        changes += come(reminder, due, at: now, rules)
      case .ringing(let since) where since.left(at: now) + rules.ringLimit <= .zero:
        changes.append(end(reminder, .missed(nil), at: now, rules))
      case .snoozing(let until) where until.left(at: now) <= .zero:
        changes.append(ring(reminder, until, .again, at: now, rules))
      default: break
      }
    }
    defer { changedByStart = [] }
    return changedByStart.filter { change in
      // What has ended since does not ring on.
      change.event != .rings(.on) || find(change.reminder)?.isRinging == true
    } + changes
  }

  /// When `due` has something to do next, since the machine started; nil if never.
  func nextDue(_ rules: ReminderRules) -> Duration? {
    all.lazy.compactMap { reminder -> Duration? in
      switch reminder.state {
      case .paused: nil
      case .waiting(let due): due?.sinceBoot
      case .ringing(let since): since.sinceBoot + rules.ringLimit
      case .snoozing(let until): until.sinceBoot
      }
    }.min()
  }

  private mutating func noteTrust(at now: Now, _ rules: ReminderRules) {
    if rules.trust != .untrusted {
      changeAll { if !$0.waitsByClock { $0.moment?.noteTrusted() } }
    }
    guard rules.alarmsGoByClock else { return }
    if let trustedUntil, now.instant < trustedUntil - Self.longestStepBack {
      changeAll { ($0.done, $0.from) = (nil, nil) }
      self.trustedUntil = now.instant
      planAlarms(at: now, rules)
    }
    // The clock was set back to before an alarm was set: it rings at the first time to come.
    changeAll { alarm in
      guard let from = alarm.from, from > now.instant else { return }
      alarm.from = now.instant
      Self.plan(&alarm, at: now, rules)
    }
    trustedUntil = max(trustedUntil ?? now.instant, now.instant)
  }

  /// The time of a timer or an alarm has come.
  private mutating func come(
    _ reminder: Reminder, _ due: TimedMoment, at now: Now, _ rules: ReminderRules
  ) -> [ReminderChange] {
    if reminder.kind == .alarm, let refusal = rules.refusalOfAlarms {
      // It may still ring late, once the clock is trusted.
      change(reminder) { Self.plan(&$0, at: now, rules) }
      return [ReminderChange(reminder, .silenced(refusal))]
    }
    let late = .zero - due.left(at: now)
    // A clock that may be wrong makes nothing expire: a timer rings, an alarm waits for its next time.
    let mayBeWrong = due.followsClock && rules.trust == .untrusted
    guard late > rules.ringLimit, !mayBeWrong || reminder.kind == .alarm else {
      return [ring(reminder, due, .due(late: nil), at: now, rules)]
    }
    var changes: [ReminderChange] = []
    if mayBeWrong {
      change(reminder) {
        $0.from = now.instant - rules.ringLimit - .nanoseconds(1)
        Self.plan(&$0, at: now, rules)
      }
    } else {
      changes = [end(reminder, .expired(late: late), at: now, rules)]
    }
    if let alarm = find(reminder), case .waiting(let next?) = alarm.state,
      next.left(at: now) <= .zero
    {
      changes.append(ring(alarm, next, .due(late: nil), at: now, rules))
    }
    return changes
  }

  /// It begins to ring, or again after a snooze.
  private mutating func ring(
    _ reminder: Reminder, _ due: TimedMoment, _ how: ReminderEvent.Ring, at now: Now,
    _ rules: ReminderRules
  ) -> ReminderChange {
    let late = .zero - due.left(at: now)
    let isLate = late > Announcer.unnoticed
    var how = how
    switch how {
    case .due: how = .due(late: isLate ? late : nil)
    case .again where late > rules.ringLimit && !(due.followsClock && rules.trust == .untrusted):
      return end(reminder, .expired(late: late), at: now, rules)
    case .again, .on: break
    }
    var since = isLate ? TimedMoment(rules.lead, after: now) : due
    // Once it rings, it counts on, whatever the clock is set to.
    since.noteTrusted()
    let ringing = change(reminder) {
      if $0.waitsByClock { $0.occasion = due.shown }
      $0.state = .ringing(since: since)
    }
    if let refusal = rules.refusal, refusal != .switchLost {
      return end(ringing, .silenced(refusal), at: now, rules)
    }
    return ReminderChange(ringing, .rings(how))
  }

  /// Ends a ring or a snooze. A timer, and an alarm that rings only once, is removed; another alarm
  /// is done with the date that it rang for, and waits for the next.
  private mutating func end(
    _ reminder: Reminder, _ event: ReminderEvent, at now: Now, _ rules: ReminderRules
  ) -> ReminderChange {
    guard !reminder.isOnce, let times = reminder.alarm?.times else {
      remove(reminder)
      return ReminderChange(reminder, event)
    }
    change(reminder) { alarm in
      let rang = alarm.due ?? now.instant
      if case .expired = event, !alarm.isUp {
        // The latest ring since then may not be too late yet.
        alarm.from = now.instant - rules.ringLimit - .nanoseconds(1)
      } else if rules.alarmsGoByClock, now.instant < rang - Self.longestStepBack {
        // The clock was far ahead: it does not silence the days to come.
        alarm.from = now.instant
      } else {
        alarm.done = times.date(ofRing: rang, in: rules.zone)
      }
      alarm.occasion = nil
      alarm.state = .waiting(nil)
      Self.plan(&alarm, at: now, rules)
    }
    return ReminderChange(reminder, event)
  }

  // MARK: Orders

  /// Carries out an order; all but `tell`.
  mutating func handle(
    _ order: ReminderOrder, at now: Now, _ rules: ReminderRules
  ) throws(ReminderRefusal) -> [ReminderChange] {
    switch order {
    case .start(let length, let name): return [try start(length, name: name, at: now)]
    case .set(let plan): return [try set(plan, at: now, rules)]
    case .add(let span, let which): return [try add(span, to: which, at: now)]
    case .pause(let which): return [try pause(which, at: now)]
    case .resume(let which):
      let timer = try find(.timer, which)
      guard case .paused(let left) = timer.state else { throw .isNotPaused(timer.title) }
      let resumed = change(timer) { $0.state = .waiting(TimedMoment(left, after: now)) }
      return [ReminderChange(resumed, .changed(.resumed))]
    case .tell: preconditionFailure("the Announcer answers it: it changes nothing here")
    case .snooze(let which):
      return try those(which, where: \.isRinging).map { alarm in
        change(alarm) { $0.state = .snoozing(until: TimedMoment(Reminder.snooze, after: now)) }
        return ReminderChange(alarm, .changed(.snoozed))
      }
    case .stop(let which):
      return try those(which, where: \.isUp).map { end($0, .stopped(.byHand), at: now, rules) }
    case .skip(let which): return [try skip(which, at: now, rules)]
    case .cancel(let kind, let which):
      let reminder = try find(kind, which)
      guard reminder.origin == .person else { throw .isConfigured(reminder.title) }
      remove(reminder)
      return [ReminderChange(reminder, .cancelled)]
    }
  }

  private mutating func start(
    _ length: Duration, name: String?, at now: Now
  ) throws(ReminderRefusal) -> ReminderChange {
    guard Reminder.shortest <= length, length <= Reminder.longest else { throw .length }
    try check(name, .timer)
    let timer = insert(
      .timer(length, name: name), state: .waiting(TimedMoment(length, after: now)))
    return ReminderChange(timer, .set)
  }

  private mutating func set(
    _ plan: AlarmPlan, at now: Now, _ rules: ReminderRules
  ) throws(ReminderRefusal) -> ReminderChange {
    precondition(plan.times.days != .weekly([]), "no text gives weekdays without a day")
    try check(plan.name, .alarm)
    // Only a clock that alarms go by can tell that a date is over.
    if rules.alarmsGoByClock, plan.times.nextRing(after: now.instant, in: rules.zone) == nil {
      throw .over(plan.times)
    }
    return ReminderChange(insert(plan, from: .person, at: now, rules), .set)
  }

  private func check(_ name: String?, _ kind: Reminder.Kind) throws(ReminderRefusal) {
    if let name {
      if let flaw = Reminder.flaw(ofName: name, kind) { throw .name(kind, flaw) }
      if let other = self[kind].first(where: { $0.name == name }) {
        throw other.origin == .person ? .nameIsTaken(kind, name) : .nameIsConfigured(name)
      }
    }
    guard self[kind].count < Self.most(kind) else { throw .tooMany(kind) }
  }

  private mutating func add(
    _ span: Duration, to which: String, at now: Now
  ) throws(ReminderRefusal) -> ReminderChange {
    let timer = try find(.timer, which)
    let length = timer.length ?? .zero
    // By a clock that is behind, more than the whole length may seem to be left.
    let left = min(timer.left(at: now), length) + span
    guard Reminder.shortest <= span, left <= Reminder.longest else { throw .length }
    let changed = change(timer) {
      $0.plan = .timer(min(length + span, Reminder.longest), name: timer.name)
      switch timer.state {
      case .paused: $0.state = .paused(left: left)
      case .waiting(let zero?): $0.state = .waiting(zero + span)
      case .waiting(nil), .ringing, .snoozing:
        $0.state = .waiting(TimedMoment(left, after: now))
      }
    }
    return ReminderChange(changed, .changed(.lengthened(by: span)))
  }

  private mutating func pause(
    _ which: String, at now: Now
  ) throws(ReminderRefusal) -> ReminderChange {
    let timer = try find(.timer, which)
    if case .paused = timer.state { throw .isPaused(timer.title) }
    if timer.isRinging { throw .isRinging(timer.title) }
    // By a clock that is behind, more than the whole length may seem to be left.
    let left = min(timer.left(at: now), timer.length ?? .zero)
    return ReminderChange(change(timer) { $0.state = .paused(left: left) }, .changed(.paused))
  }

  private mutating func skip(
    _ which: String, at now: Now, _ rules: ReminderRules
  ) throws(ReminderRefusal) -> ReminderChange {
    let alarm = try find(.alarm, which)
    guard !alarm.isUp else { throw .isUp(alarm.title) }
    guard rules.alarmsGoByClock, let next = alarm.next, let times = alarm.alarm?.times else {
      throw .nextIsUnknown(alarm.title)
    }
    guard !alarm.isOnce else {
      remove(alarm)
      return ReminderChange(alarm, .cancelled)
    }
    let skipped = change(alarm) {
      $0.done = times.date(ofRing: next, in: rules.zone)
      Self.plan(&$0, at: now, rules)
    }
    return ReminderChange(skipped, .changed(.skipped))
  }

  /// Ends every ring.
  /// - Parameter kind: nil for both.
  mutating func silence(
    _ kind: Reminder.Kind? = nil, _ reason: StopReason, at now: Now, _ rules: ReminderRules
  ) -> [ReminderChange] {
    all.filter { $0.isRinging && (kind == nil || $0.kind == kind) }
      .map { end($0, .stopped(reason), at: now, rules) }
  }

  // MARK: The configuration

  /// Takes the alarms of the configuration, at the start and after each reload. Those that it had
  /// before go on; if they ring, they ring on.
  /// - Returns: alarms that it no longer has, and a person's alarms that lost their names.
  mutating func configure(
    _ plans: [AlarmPlan], at now: Now, _ rules: ReminderRules
  ) -> [ReminderChange] {
    let names = Set(plans.compactMap(\.name))
    var changes: [ReminderChange] = []
    for alarm in alarms where alarm.origin == .configuration {
      if let name = alarm.name, names.contains(name) { continue }
      remove(alarm)
      changes.append(ReminderChange(alarm, .cancelled))
    }
    for plan in plans {
      guard let namesake = alarms.first(where: { $0.name == plan.name }) else {
        insert(plan, from: .configuration, at: now, rules)
        continue
      }
      if namesake.origin == .configuration {
        let isMoved = namesake.alarm?.times != plan.times
        change(namesake) {
          $0.plan = .alarm(plan)
          if isMoved && !$0.isUp { Self.begin(&$0, at: now, rules) }
        }
      } else if let name = plan.name {
        // The person's alarm still rings, but loses the name.
        let nameless = change(namesake) { $0.name = nil }
        changes.append(ReminderChange(nameless, .changed(.nameLost(name))))
        insert(plan, from: .configuration, at: now, rules)
      }
    }
    planAlarms(at: now, rules)
    return changes
  }

  /// Like `configure`, at the start: removed alarms are not reported, and the next `due` reports
  /// the other changes.
  mutating func configureAtStart(_ plans: [AlarmPlan], at now: Now, _ rules: ReminderRules) {
    changedByStart += configure(plans, at: now, rules).filter { $0.event != .cancelled }
  }

  // MARK: The list

  /// - Throws: `unknown` if none has that name or number.
  func find(_ kind: Reminder.Kind, _ which: String) throws(ReminderRefusal) -> Reminder {
    let number = Int(which).flatMap { String($0) == which ? $0 : nil }
    guard let found = self[kind].first(where: { $0.name == which || $0.number == number }) else {
      throw .unknown(kind, which)
    }
    return found
  }

  /// The timer with a name or number; for nil the one that ends next, or else the first.
  func timer(_ which: String?, at now: Now) throws(ReminderRefusal) -> Reminder {
    if let which { return try find(.timer, which) }
    let running = timers.filter { if case .waiting = $0.state { true } else { false } }
    let next = running.min { $0.left(at: now) < $1.left(at: now) }
    guard let found = next ?? timers.first else { throw .noTimer }
    return found
  }

  /// The alarm with that name or number, or without one all alarms, if they meet the condition.
  private func those(
    _ which: String?, where isMeant: (Reminder) -> Bool
  ) throws(ReminderRefusal) -> [Reminder] {
    if let which {
      let alarm = try find(.alarm, which)
      guard isMeant(alarm) else { throw .isNotRinging(alarm.title) }
      return [alarm]
    }
    let meant = alarms.filter(isMeant)
    guard !meant.isEmpty else { throw .noneRings }
    return meant
  }

  private func find(_ reminder: Reminder) -> Reminder? {
    self[reminder.kind].first { $0.number == reminder.number }
  }

  @discardableResult
  private mutating func insert(
    _ plan: Reminder.Plan, from origin: Reminder.Origin = .person, state: Reminder.State,
    done: CivilDate? = nil
  ) -> Reminder {
    let kind: Reminder.Kind = if case .timer = plan { .timer } else { .alarm }
    let place =
      self[kind].enumerated().first { $0.element.number != $0.offset + 1 }?.offset
      ?? self[kind].count
    let reminder = Reminder(number: place + 1, plan, from: origin, state: state, done: done)
    self[keyPath: Self.list(of: kind)].insert(reminder, at: place)
    return reminder
  }

  /// A new alarm waits from now on.
  @discardableResult
  private mutating func insert(
    _ plan: AlarmPlan, from origin: Reminder.Origin, at now: Now, _ rules: ReminderRules
  ) -> Reminder {
    let alarm = insert(.alarm(plan), from: origin, state: .waiting(nil))
    return change(alarm) { Self.begin(&$0, at: now, rules) }
  }

  /// The alarm waits from now on.
  private static func begin(
    _ alarm: inout Reminder, at now: Now, _ rules: ReminderRules
  ) {
    alarm.done = nil
    alarm.from = rules.alarmsGoByClock ? now.instant : nil
    plan(&alarm, at: now, rules)
  }

  private mutating func remove(_ reminder: Reminder) {
    self[keyPath: Self.list(of: reminder.kind)].removeAll { $0.number == reminder.number }
  }

  /// - Returns: the timer or alarm as it is now.
  @discardableResult
  private mutating func change(
    _ reminder: Reminder, _ change: (inout Reminder) -> Void
  ) -> Reminder {
    guard let index = self[reminder.kind].firstIndex(where: { $0.number == reminder.number }) else {
      return reminder
    }
    change(&self[keyPath: Self.list(of: reminder.kind)][index])
    return self[reminder.kind][index]
  }

  private mutating func changeAll(_ change: (inout Reminder) -> Void) {
    for index in timers.indices { change(&timers[index]) }
    for index in alarms.indices { change(&alarms[index]) }
  }
}

extension Reminder {
  /// True if its moment is an instant of the clock: an alarm that waits for its time.
  var waitsByClock: Bool { if case .waiting = state { kind == .alarm } else { false } }
}
