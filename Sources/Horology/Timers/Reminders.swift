/// The timers and alarms, and their states. What came due while the clock was not trusted, or while
/// nothing ran, rings late, up to `ring_limit`, or is reported as missed.
public struct Reminders: Hashable, Sendable {
  /// Far more than a person can follow, and a bound for memory. Of alarms it counts those of the
  /// configuration, which can have as many itself.
  static func most(_ kind: Reminder.Kind) -> Int { kind == .timer ? mostTimers : mostAlarms }
  public static let mostTimers = 1000
  public static let mostAlarms = 100
  /// If a clock that alarms go by shows a time this much earlier than `after`, it was wrong before.
  private static let longestStepBack = Duration.seconds(3600)

  /// Sorted by number. Two lists, so that the status can share them instead of copying them.
  public private(set) var timers: [Reminder] = []
  public private(set) var alarms: [Reminder] = []
  /// The numbers that were given last.
  public private(set) var last = Numbers()
  /// The service has started: the next `due` reports what rings on.
  private var hasStarted = false

  public init() {}

  /// A number is not given again while somebody may still hold it: they count up to the most there
  /// is, and then begin anew.
  public struct Numbers: Hashable, Sendable {
    public static let most = 9999
    /// Nil if that is not known.
    public var timer: Int?
    public var alarm: Int?

    public init() {}
  }

  /// The timers and alarms as they were before the start.
  public init(
    _ reminders: [Reminder], last: Numbers = Numbers(), isSameBoot: Bool, at now: Now
  ) {
    let sorted = reminders.sorted { $0.number < $1.number }
    timers = sorted.filter { $0.kind == .timer }
    alarms = sorted.filter { $0.kind == .alarm }
    self.last = last
    hasStarted = true
    changeAll { reminder in
      reminder.moment?.noteStart(isSameBoot: isSameBoot, at: now)
      // It rings already. The clock came back behind, so the ring seems to begin later.
      if case .ringing(let since) = reminder.state, since.left(at: now) > .zero {
        reminder.state = .ringing(since: TimedMoment(.zero, after: now))
      }
    }
  }

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

  /// - Returns: the sources whose moments have moved with it.
  mutating func noteClockSet(at now: Now, _ rules: Rules) -> Set<Cue.Source> {
    let moved = all.filter { $0.moment?.followsClock == true }.map(\.source)
    changeAll { $0.moment?.noteClockSet(at: now) }
    planAlarms(at: now, rules)
    return Set(moved)
  }

  /// Finds the next ring of every alarm that waits.
  mutating func planAlarms(at now: Now, _ rules: Rules) {
    changeAll { Self.plan(&$0, at: now, rules) }
  }

  /// Places the next rings by the clock anew: small steps of it add up. All of one instant begin
  /// together.
  mutating func followClock(at now: Now) {
    changeAll { if $0.waitsByClock { $0.moment?.noteClockSet(at: now) } }
  }

  private static func plan(_ alarm: inout Reminder, at now: Now, _ rules: Rules) {
    guard case .waiting = alarm.state, let times = alarm.alarm?.times else { return }
    guard !alarm.isOff else {
      alarm.state = .waiting(nil)
      return
    }
    var start = max(now.instant, alarm.after ?? now.instant)
    if rules.alarmsGoByClock {
      if alarm.after == nil {
        // Set while nobody knew the time, it may just have missed it.
        (alarm.after, alarm.skipped) = (now.instant - rules.settings.ringLimit, nil)
      }
      start = alarm.after ?? start
    }
    let next = times.nextRing(after: max(start, alarm.skipped ?? start), in: rules.zone)
    alarm.state = .waiting(next.map { TimedMoment(followingClockTo: $0, at: now) })
  }

  // MARK: What time brings

  /// What is late by up to `ringLimit` still rings; what is later has expired.
  mutating func due(at now: Now, _ rules: Rules) -> [ReminderChange] {
    noteTrust(at: now, rules)
    var changes: [ReminderChange] = []
    for reminder in all {
      switch reminder.state {
      case .waiting(let due?), .snoozing(let due):
        if due.left(at: now) <= .zero { changes.append(come(reminder, due, at: now, rules)) }
      case .ringing(let since) where since.left(at: now) + rules.settings.ringLimit <= .zero:
        changes.append(end(reminder, .missed, at: now, rules))
      case .ringing:
        if hasStarted {
          changes.append((reminder, .rings(.on, unheard: rules.refusalOfTimers)))
        }
      case .waiting(nil), .paused: break
      }
    }
    hasStarted = false
    return changes
  }

  /// When `due` has something to do next, since the machine started; nil if never.
  func nextDue(_ rules: Rules) -> Duration? {
    all.lazy.compactMap { reminder -> Duration? in
      switch reminder.state {
      case .paused: nil
      case .waiting(let due): due?.sinceBoot
      case .ringing(let since): since.sinceBoot + rules.settings.ringLimit
      case .snoozing(let until): until.sinceBoot
      }
    }.min()
  }

  private mutating func noteTrust(at now: Now, _ rules: Rules) {
    if rules.trust != .untrusted {
      changeAll { if !$0.waitsByClock { $0.moment?.noteTrusted() } }
    }
    guard rules.alarmsGoByClock else { return }
    changeAll { alarm in
      guard alarm.waitsByClock, let after = alarm.after,
        now.instant < after - Self.longestStepBack
      else { return }
      (alarm.after, alarm.skipped) = (now.instant, nil)
      Self.plan(&alarm, at: now, rules)
    }
  }

  private mutating func come(
    _ reminder: Reminder, _ due: TimedMoment, at now: Now, _ rules: Rules
  ) -> ReminderChange {
    if reminder.waitsByClock, let refusal = rules.refusalOfAlarms {
      // It may still ring late, once the clock is trusted.
      change(reminder) { Self.plan(&$0, at: now, rules) }
      return (reminder, .silenced(refusal))
    }
    let late = .zero - due.left(at: now)
    // A clock that may be wrong ends no timer and no snooze for good.
    let mayBeWrong =
      due.followsClock && rules.trust == .untrusted && !reminder.waitsByClock
    if late > rules.settings.ringLimit, !mayBeWrong {
      return end(reminder, .expired(late: late), at: now, rules)
    }
    let isLate = late > Announcer.unnoticed
    var since = isLate ? TimedMoment(rules.lead, after: now) : due
    // Once it rings, it counts on, whatever the clock is set to.
    since.noteTrusted()
    let ringing = change(reminder) {
      if $0.waitsByClock { $0.after = due.shown }
      $0.state = .ringing(since: since)
    }
    if let refusal = rules.refusalOfTimers, refusal != .switchLost {
      return end(ringing, .silenced(refusal), at: now, rules)
    }
    let how: ReminderEvent.Ring = reminder.isUp ? .again : .due(late: isLate ? late : nil)
    return (ringing, .rings(how, unheard: rules.refusalOfTimers))
  }

  /// A timer, and an alarm that rings only once, is removed; another alarm waits for its next time
  /// that is not too late.
  private mutating func end(
    _ reminder: Reminder, _ event: ReminderEvent, at now: Now, _ rules: Rules
  ) -> ReminderChange {
    if reminder.isOnce {
      remove(reminder)
    } else {
      change(reminder) { alarm in
        alarm.after = max(alarm.after ?? now.instant, now.instant - rules.settings.ringLimit)
        alarm.state = .waiting(nil)
        Self.plan(&alarm, at: now, rules)
      }
    }
    return (reminder, event)
  }

  // MARK: Orders

  /// Carries out an order; all but `tell`.
  mutating func handle(
    _ order: ReminderOrder, at now: Now, _ rules: Rules
  ) throws(OrderRefusal) -> [ReminderChange] {
    switch order {
    case .start(let plan): return [try start(plan, at: now)]
    case .set(let plan, let which):
      precondition(plan.times.days != .weekly([]), "no text gives weekdays without a day")
      if let which { return [try change(which, to: plan, at: now, rules)] }
      return [try set(plan, at: now, rules)]
    case .add(let span, let which): return [try add(span, to: which, at: now)]
    case .pause(let which): return [try pause(which, at: now)]
    case .resume(let which):
      let timer = try find(.timer, which)
      guard case .paused(let left) = timer.state else { throw .isNotPaused(timer) }
      let resumed = change(timer) { $0.state = .waiting(TimedMoment(left, after: now)) }
      return [(resumed, .changed(.resumed))]
    case .tell: preconditionFailure("the Announcer answers it: it changes nothing here")
    case .snooze(let which):
      return try those(.alarm, which, where: \.isRinging).map { alarm in
        change(alarm) { $0.state = .snoozing(until: TimedMoment(Reminder.snooze, after: now)) }
        return (alarm, .changed(.snoozed))
      }
    case .stop(let kind, let which):
      return try those(kind, which, where: \.isUp)
        .map { end($0, .stopped(.byHand), at: now, rules) }
    case .skip(let which): return [try skip(which, at: now, rules)]
    case .unskip(let which): return [try unskip(which, at: now, rules)]
    case .turn(let which, let on): return try turn(which, on: on, at: now, rules)
    case .cancel(let kind, let which):
      let reminder = try find(kind, which)
      guard reminder.origin == .person else { throw .isConfigured(reminder) }
      remove(reminder)
      return [(reminder, .cancelled)]
    }
  }

  private mutating func start(
    _ plan: TimerPlan, at now: Now
  ) throws(OrderRefusal) -> ReminderChange {
    guard Reminder.shortest <= plan.length, plan.length <= Reminder.longest else { throw .length }
    try check(plan.name, .timer)
    return (insert(.timer(plan), state: .waiting(TimedMoment(plan.length, after: now))), .set)
  }

  private mutating func set(
    _ plan: AlarmPlan, at now: Now, _ rules: Rules
  ) throws(OrderRefusal) -> ReminderChange {
    try check(plan.name, .alarm)
    try check(plan.times, at: now, rules)
    return (insert(plan, from: .person, at: now, rules), .set)
  }

  private mutating func change(
    _ which: String, to plan: AlarmPlan, at now: Now, _ rules: Rules
  ) throws(OrderRefusal) -> ReminderChange {
    let alarm = try find(.alarm, which)
    guard alarm.origin == .person else { throw .isConfigured(alarm) }
    guard !alarm.isUp else { throw .isUp(alarm) }
    if let name = plan.name, let taken = refusal(ofName: name, .alarm, besides: alarm) {
      throw taken
    }
    try check(plan.times, at: now, rules)
    return (give(plan, to: alarm, at: now, rules), .set)
  }

  /// One with other times waits anew; one with the same goes on, also if it rings.
  @discardableResult
  private mutating func give(
    _ plan: AlarmPlan, to alarm: Reminder, at now: Now, _ rules: Rules
  ) -> Reminder {
    let isMoved = alarm.alarm?.times != plan.times
    return change(alarm) {
      $0.plan = .alarm(plan)
      if isMoved && !$0.isUp { Self.begin(&$0, at: now, rules) }
    }
  }

  private func check(_ name: String?, _ kind: Reminder.Kind) throws(OrderRefusal) {
    if let name, let refusal = refusal(ofName: name, kind) { throw refusal }
    guard self[kind].count < Self.most(kind) else { throw .tooMany(kind) }
  }

  /// Only a clock that alarms go by can tell that a date is over.
  private func check(
    _ times: AlarmTimes, at now: Now, _ rules: Rules
  ) throws(OrderRefusal) {
    guard rules.alarmsGoByClock, times.nextRing(after: now.instant, in: rules.zone) == nil else {
      return
    }
    throw .over(times)
  }

  /// Nil if the name can be used, and no other has it.
  public func refusal(
    ofName name: String, _ kind: Reminder.Kind, besides own: Reminder? = nil
  ) -> OrderRefusal? {
    if let flaw = Reminder.flaw(ofName: name, kind) { return .name(kind, flaw) }
    return self[kind].first { $0.number != own?.number && $0.name?.reads(as: name) == true }
      .map { .nameIsTaken($0) }
  }

  private mutating func add(
    _ span: Duration, to which: String, at now: Now
  ) throws(OrderRefusal) -> ReminderChange {
    let timer = try find(.timer, which)
    let left = timer.left(at: now) + span
    guard Reminder.shortest <= span, left <= Reminder.longest else { throw .length }
    let changed = change(timer) {
      if case .timer(var plan) = $0.plan {
        plan.length = min(plan.length + span, Reminder.longest)
        $0.plan = .timer(plan)
      }
      let isPaused = if case .paused = timer.state { true } else { false }
      $0.state = isPaused ? .paused(left: left) : .waiting(TimedMoment(left, after: now))
    }
    return (changed, .changed(.lengthened(by: span)))
  }

  private mutating func pause(
    _ which: String, at now: Now
  ) throws(OrderRefusal) -> ReminderChange {
    let timer = try find(.timer, which)
    if case .paused = timer.state { throw .isPaused(timer) }
    if timer.isRinging { throw .isRinging(timer) }
    return (
      change(timer) { $0.state = .paused(left: timer.left(at: now)) }, .changed(.paused)
    )
  }

  private mutating func skip(
    _ which: String, at now: Now, _ rules: Rules
  ) throws(OrderRefusal) -> ReminderChange {
    let alarm = try find(.alarm, which)
    guard !alarm.isUp else { throw .isUp(alarm) }
    guard !alarm.isOff else { throw .isOff(alarm) }
    guard !alarm.isOnce, let next = alarm.next else {
      remove(alarm)
      return (alarm, .cancelled)
    }
    let skipped = change(alarm) {
      // So a clock that is wrong now takes the skip with it.
      ($0.after, $0.skipped) = ($0.after.map { max($0, now.instant) }, next)
      Self.plan(&$0, at: now, rules)
    }
    return (skipped, .changed(.skipped))
  }

  private mutating func unskip(
    _ which: String, at now: Now, _ rules: Rules
  ) throws(OrderRefusal) -> ReminderChange {
    let alarm = try find(.alarm, which)
    guard let skipped = alarm.skipped, skipped > now.instant else { throw .skipsNothing(alarm) }
    let changed = change(alarm) {
      $0.skipped = nil
      Self.plan(&$0, at: now, rules)
    }
    return (changed, .changed(.unskipped))
  }

  /// One that rings or snoozes is stopped first; one that rings only once is kept, too.
  private mutating func turn(
    _ which: String, on: Bool, at now: Now, _ rules: Rules
  ) throws(OrderRefusal) -> [ReminderChange] {
    let alarm = try find(.alarm, which)
    guard alarm.isOff == on else { return [] }
    if on, let times = alarm.alarm?.times { try check(times, at: now, rules) }
    let turned = change(alarm) {
      ($0.isOff, $0.state) = (!on, .waiting(nil))
      Self.begin(&$0, at: now, rules)
    }
    let stopped: [ReminderChange] = alarm.isUp ? [(alarm, .stopped(.byHand))] : []
    return stopped + [(turned, .changed(.turned(on: on)))]
  }

  /// Ends the rings that a silence stops.
  mutating func end(_ silence: Silence, at now: Now, _ rules: Rules) -> [ReminderChange] {
    all.filter { $0.isRinging && silence.rings.contains($0.kind) }
      .map { end($0, .stopped(silence.reason), at: now, rules) }
  }

  // MARK: The configuration

  /// Takes the alarms of the configuration. Those that it had before go on; if they ring, they ring
  /// on.
  /// - Returns: the alarms that it no longer has.
  mutating func configure(at now: Now, _ rules: Rules) -> [ReminderChange] {
    let plans = rules.settings.alarms
    let configured = alarms.filter { $0.origin == .configuration }
    let gone = configured.filter { alarm in !plans.contains { $0.name == alarm.name } }
    for alarm in gone { remove(alarm) }
    for plan in plans {
      guard let alarm = configured.first(where: { $0.name == plan.name }) else {
        insert(plan, from: .configuration, at: now, rules)
        continue
      }
      give(plan, to: alarm, at: now, rules)
    }
    planAlarms(at: now, rules)
    return gone.map { ($0, .cancelled) }
  }

  /// Gives it to the alarms that ring without it so far.
  mutating func use(_ tune: Tune) {
    changeAll { reminder in
      guard var plan = reminder.alarm, plan.tune?.name == tune.name else { return }
      plan.tune = tune
      reminder.plan = .alarm(plan)
    }
  }

  // MARK: The list

  func find(_ kind: Reminder.Kind, _ which: String) throws(OrderRefusal) -> Reminder {
    guard let found = self[kind].called(which).first else {
      throw .unknown(kind, which, alike: self[kind].filter { $0.name?.reads(as: which) == true })
    }
    return found
  }

  /// The timer with a name or number; for nil the one that ends next, or else the first.
  func timer(_ which: String?, at now: Now) throws(OrderRefusal) -> Reminder {
    if let which { return try find(.timer, which) }
    let running = timers.filter { if case .waiting = $0.state { true } else { false } }
    let next = running.min { $0.left(at: now) < $1.left(at: now) }
    guard let found = next ?? timers.first else { throw .noTimer }
    return found
  }

  /// Those with that name or number, or without one all, that meet the condition.
  private func those(
    _ kind: Reminder.Kind, _ which: String?, where isMeant: (Reminder) -> Bool
  ) throws(OrderRefusal) -> [Reminder] {
    let meant = (which.map(self[kind].called) ?? self[kind]).filter(isMeant)
    guard meant.isEmpty else { return meant }
    if let which { throw .isNotRinging(try find(kind, which)) }
    throw .noneRings(kind)
  }

  @discardableResult
  private mutating func insert(
    _ plan: Reminder.Plan, from origin: Reminder.Origin = .person, state: Reminder.State
  ) -> Reminder {
    let kind: Reminder.Kind = if case .timer = plan { .timer } else { .alarm }
    let path: WritableKeyPath<Numbers, Int?> = kind == .timer ? \.timer : \.alarm
    var number = last[keyPath: path] ?? self[kind].last?.number ?? 0
    repeat {
      number = number % Numbers.most + 1
    } while self[kind].contains { $0.number == number }
    last[keyPath: path] = number
    let place = self[kind].firstIndex { $0.number > number } ?? self[kind].count
    let reminder = Reminder(number: number, plan, from: origin, state: state)
    self[keyPath: Self.list(of: kind)].insert(reminder, at: place)
    return reminder
  }

  @discardableResult
  private mutating func insert(
    _ plan: AlarmPlan, from origin: Reminder.Origin, at now: Now, _ rules: Rules
  ) -> Reminder {
    change(insert(.alarm(plan), from: origin, state: .waiting(nil))) {
      Self.begin(&$0, at: now, rules)
    }
  }

  /// The alarm waits from now on.
  private static func begin(
    _ alarm: inout Reminder, at now: Now, _ rules: Rules
  ) {
    (alarm.after, alarm.skipped) = (rules.alarmsGoByClock ? now.instant : nil, nil)
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
