/// The clock, the zone and the limits that alarms depend on.
struct AlarmConditions {
  let zone: any Zone
  /// True if alarms go by the clock: it is trusted, or its owner lets it speak anyway.
  let isTrusted: Bool
  /// True if the clock is untrusted: alarms set by it are recalculated once it is right.
  let mayBeWrong: Bool
  /// How long an alarm rings if nobody stops it, and how late it may still ring.
  let ringLimit: Duration
  /// How far ahead of now a sound can begin at the earliest.
  let lead: Duration
}

/// The alarms and their states. `due` makes them ring and end as time passes.
public struct Alarms: Hashable, Sendable {
  /// A person can set an alarm only while there are fewer than this, configured ones included. The
  /// configuration itself has at most this many.
  public static let most = 100
  /// If the clock is set back by more, it was wrong before: decisions made by it are forgotten.
  static let longestStepBack = Duration.seconds(86_400)

  /// Sorted by number.
  public internal(set) var alarms: [Alarm] = []
  /// The latest time that a trusted clock has shown since decisions were last forgotten.
  private var reached: Instant?
  /// Numbers of the alarms that came due by an untrusted clock, and whether that was one of their
  /// times by the zone of that moment: then their silence was reported.
  var told: [Int: Bool] = [:]
  /// How far local time was ahead of UTC when a right clock last calculated the alarms; nil if
  /// unknown. In another zone, a ring that was still to come may be over.
  public private(set) var zoneOffset: Duration?
  /// Changes made by a start, and alarms that ring on after it. The next `due` reports them.
  private var changedByStart: [AlarmChange] = []

  public init() {}

  /// The alarms as they were before the start. `configure` then takes those of the configuration.
  /// - Parameters:
  ///   - isSameBoot: true if the machine has not restarted since.
  ///   - zoneOffset: as it was then.
  public init(_ alarms: [Alarm], isSameBoot: Bool, zoneOffset: Duration? = nil, at now: Now) {
    self.zoneOffset = zoneOffset
    self.alarms = alarms.sorted { $0.number < $1.number }
    // The clock has also reached the instants of alarms that ring or snooze.
    reached = alarms.flatMap { [$0.acknowledged, $0.isUp ? $0.occasion : nil] }
      .compactMap { $0 }.max()
    changedByStart = self.alarms.filter(\.isRinging).map { AlarmChange($0, .ringsOn()) }
    change { moment in
      if isSameBoot { moment.noteClockSet(at: now) } else { moment.noteStart(at: now) }
    }
    for index in self.alarms.indices {
      switch self.alarms[index].state {
      // It rings already. The clock came back behind, so the ring seems to begin later.
      case .ringing(let ring, let since) where since.left(at: now) > .zero:
        self.alarms[index].state = .ringing(ring: ring, since: TimedMoment(.zero, after: now))
      // After a restart of the machine, nobody knows how long ago it was set.
      case .waiting(let next, from: _?) where !isSameBoot:
        self.alarms[index].state = .waiting(next: next, from: TimedMoment(.zero, after: now))
      default: break
      }
    }
  }

  // MARK: The clocks

  /// The clock was set.
  mutating func noteClockSet(at now: Now, _ conditions: AlarmConditions) {
    change { $0.noteClockSet(at: now) }
    reckon(at: now, conditions)
  }

  /// Recalculates the next ring of alarms that are not due, because the zone changed, or the clock
  /// was set or is trusted again.
  mutating func reckon(at now: Now, _ conditions: AlarmConditions) {
    if conditions.isTrusted { note(now.instant) }
    for index in alarms.indices {
      guard case .waiting(let next, let from) = alarms[index].state else { continue }
      if let from {
        let start = max(from.shown, alarms[index].over)
        alarms[index].state = .waiting(
          next: alarms[index].plan.times.next(from: start, in: conditions.zone), from: from)
      } else if !conditions.mayBeWrong {
        let promised = alarms[index].promised ?? next
        alarms[index].promised = nil
        alarms[index].state = .waiting(
          next: self.next(of: alarms[index], promised, at: now, conditions), from: nil)
      } else if conditions.isTrusted {
        if !isDue(alarms[index], at: now, conditions) {
          reckonByDoubtfulClock(index, at: now, conditions)
        }
      } else if let promised = alarms[index].promised {
        alarms[index].promised = nil
        alarms[index].state = .waiting(next: promised, from: nil)
      }
    }
    if !conditions.mayBeWrong {
      zoneOffset = .seconds(conditions.zone.civil(at: now.instant).utcOffsetSeconds)
    }
  }

  /// True if an alarm keeps its instant although the clock may be wrong: it is due, and rings if it
  /// is not too late.
  private func isDue(_ alarm: Alarm, at now: Now, _ conditions: AlarmConditions) -> Bool {
    guard let next = alarm.next, next <= now.instant else { return false }
    // The zone may have changed since a right clock has promised it, but not after it came due.
    return alarm.promised != nil || told[alarm.number] ?? isTime(next, of: alarm, conditions)
  }

  /// True if an alarm rings at that instant in the present zone.
  func isTime(_ instant: Instant, of alarm: Alarm, _ conditions: AlarmConditions) -> Bool {
    alarm.plan.times.nextRing(after: instant - .nanoseconds(1), in: conditions.zone) == instant
  }

  /// The next ring of an alarm by a clock that is right.
  /// - Parameter promised: the next ring as calculated before.
  private func next(
    of alarm: Alarm, _ promised: Instant?, at now: Now, _ conditions: AlarmConditions
  ) -> Instant? {
    let times = alarm.plan.times
    // It is due: how late it is decides whether it rings.
    if let promised, promised <= now.instant { return promised }
    // The same for a ring that the change of zone stepped over.
    if let promised, let zoneOffset,
      let moved = times.moved(promised, reckonedAt: zoneOffset, to: conditions.zone),
      alarm.over < moved, moved <= now.instant
    {
      return moved
    }
    return times.next(from: max(now.instant, alarm.over), in: conditions.zone)
  }

  /// Calculates the next ring of an alarm by a clock that may be wrong. Keeps the ring that a right
  /// clock gave until the clock is right again.
  mutating func reckonByDoubtfulClock(
    _ index: Int, at now: Now, _ conditions: AlarmConditions
  ) {
    let alarm = alarms[index]
    alarms[index].promised = alarm.promised ?? alarm.next
    let start = max(now.instant, alarm.over)
    // By a clock that may be wrong no date is over: the alarm just has no next ring.
    let next = alarm.plan.times.next(from: start, in: conditions.zone)
    alarms[index].state = .waiting(next: next.flatMap { $0 > now.instant ? $0 : nil }, from: nil)
  }

  /// Alarms go by the clock from now on, or still do.
  mutating func noteTrusted(at now: Now, _ conditions: AlarmConditions) {
    note(now.instant)
    told = [:]
    guard !conditions.mayBeWrong else { return }
    change { if $0.followsClock { $0.noteTrusted() } }
    for index in alarms.indices {
      if case .waiting(let next, from: _?) = alarms[index].state {
        alarms[index].state = .waiting(next: next, from: nil)
      }
    }
  }

  /// Notes what a trusted clock shows. If that is more than a day behind the latest that it has
  /// shown, in one step or many, the clock was wrong before.
  mutating func note(_ shown: Instant) {
    let shown = max(shown, AlarmTimes.beforeAll)
    guard let reached, shown < reached - Self.longestStepBack else {
      reached = max(reached ?? shown, shown)
      return
    }
    self.reached = shown
    for index in alarms.indices {
      alarms[index].acknowledged = nil
      switch alarms[index].state {
      case .waiting: break
      // Its instant may come again: acknowledge nothing later than now.
      case .ringing(let ring, let since):
        alarms[index].state = .ringing(ring: min(ring, shown.wholeSecond), since: since)
      case .snoozing(let ring, let until):
        alarms[index].state = .snoozing(ring: min(ring, shown.wholeSecond), until: until)
      }
    }
  }

  /// The state of an alarm that waits from now on for its next ring after the acknowledged one.
  func waiting(
    _ plan: AlarmPlan, after over: Instant, at now: Now, _ conditions: AlarmConditions
  ) -> Alarm.State {
    let start = max(now.instant, over)
    return .waiting(
      next: plan.times.next(from: start, in: conditions.zone),
      from: conditions.mayBeWrong ? TimedMoment(.zero, after: now) : nil)
  }

  private mutating func change(_ change: (inout TimedMoment) -> Void) {
    for index in alarms.indices {
      switch alarms[index].state {
      case .waiting(_, nil): break
      case .waiting(let next, var from?):
        change(&from)
        alarms[index].state = .waiting(next: next, from: from)
      case .ringing(let ring, var since):
        change(&since)
        alarms[index].state = .ringing(ring: ring, since: since)
      case .snoozing(let ring, var until):
        change(&until)
        alarms[index].state = .snoozing(ring: ring, until: until)
      }
    }
  }

  // MARK: The configuration

  /// Takes the alarms of the configuration, at the start and after each reload. Those that it had
  /// before go on; if they ring, they ring on.
  /// - Returns: alarms that it no longer has, and a person's alarms that lost or got back their
  ///   names.
  mutating func configure(
    _ plans: [AlarmPlan], at now: Now, _ conditions: AlarmConditions
  ) -> [AlarmChange] {
    let names = Set(plans.compactMap(\.name))
    let gone = alarms.filter { alarm in
      alarm.origin == .configuration && alarm.name.map { !names.contains($0) } ?? true
    }
    for alarm in gone { remove(alarm) }
    var changes = gone.map { AlarmChange($0, .cancelled) }
    for plan in plans {
      let namesake = alarms.firstIndex { $0.name == plan.name }
      if let index = namesake, alarms[index].origin == .configuration {
        let isMoved = alarms[index].plan.times != plan.times
        alarms[index].plan = plan
        if isMoved && !alarms[index].isUp {
          alarms[index].promised = nil
          alarms[index].state = waiting(
            plan, after: alarms[index].over, at: now, conditions)
        }
        continue
      }
      // The person's alarm still rings, but loses the name.
      if let namesake, let name = plan.name {
        alarms[namesake].plan.name = nil
        changes.append(AlarmChange(alarms[namesake], .nameLost(name)))
      }
      insert(
        plan, from: .configuration, waiting(plan, after: AlarmTimes.beforeAll, at: now, conditions))
    }
    reckon(at: now, conditions)
    return changes
  }

  /// Like `configure`, at the start: removed alarms are not reported, and the next `due` reports
  /// the other changes.
  mutating func configureAtStart(
    _ plans: [AlarmPlan], at now: Now, _ conditions: AlarmConditions
  ) {
    // Before the new settings are taken: they apply to the time to come only.
    reckon(at: now, conditions)
    changedByStart += configure(plans, at: now, conditions).filter { $0.event != .cancelled }
  }

  /// The changes made by a start, once. Leaves out alarms that no longer ring on.
  mutating func tellStart() -> [AlarmChange] {
    defer { changedByStart = [] }
    return changedByStart.filter { change in
      change.event != .ringsOn()
        || alarms.contains { $0.number == change.alarm.number && $0.isRinging }
    }
  }

  /// Replaces the alarms' tunes with these, by name.
  mutating func take(_ tunes: [Tune]) {
    for index in alarms.indices {
      guard let tune = alarms[index].plan.tune else { continue }
      alarms[index].plan.tune = tunes.first { $0.name == tune.name } ?? tune
    }
  }

  // MARK: The list

  @discardableResult
  mutating func insert(
    _ plan: AlarmPlan, from origin: Alarm.Origin, _ state: Alarm.State
  ) -> Alarm {
    let place = alarms.lowestFreePlace
    let alarm = Alarm(number: place + 1, plan, from: origin, state: state)
    alarms.insert(alarm, at: place)
    return alarm
  }

  mutating func remove(_ alarm: Alarm) {
    alarms.removeAll { $0.number == alarm.number }
    told[alarm.number] = nil
  }

  func place(of which: String) throws(AlarmRefusal) -> Int {
    guard let index = alarms.place(of: which) else { throw .unknown(which) }
    return index
  }
}

extension Instant {
  /// When this second began.
  fileprivate var wholeSecond: Instant { Instant(seconds: max(seconds, 0)) }
}
