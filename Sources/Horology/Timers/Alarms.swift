/// What the alarms go by.
public struct AlarmConditions {
  public let zone: any Zone
  /// The clock can be gone by: it is trusted, or its owner lets it speak all the same.
  public let isTrusted: Bool
  /// Nothing vouches for it: what is set by it is reckoned anew once it is right.
  public let mayBeWrong: Bool
  /// How long an alarm rings if nobody stops it, and how late it may still ring.
  public let ringLimit: Duration
  /// How long it takes from now until something can begin.
  public let lead: Duration

  public init(
    zone: any Zone, isTrusted: Bool, mayBeWrong: Bool, ringLimit: Duration, lead: Duration
  ) {
    self.zone = zone
    self.isTrusted = isTrusted
    self.mayBeWrong = mayBeWrong
    self.ringLimit = ringLimit
    self.lead = lead
  }
}

/// The alarms: which there are, and how each is. What comes with time is in `due`.
public struct Alarms: Hashable, Sendable {
  /// A person sets no more than this, those of the configuration counted, which has no more either.
  public static let most = 100
  /// A clock that is set back by more was wrong before: what was decided by it is forgotten.
  static let longestStepBack = Duration.seconds(86_400)

  /// By number.
  public internal(set) var alarms: [Alarm] = []
  /// The latest that a trusted clock has shown since the past was last forgotten.
  private var reached: Instant?
  /// Those of which it was told that they do not ring by a clock that is not trusted.
  var told: Set<Int> = []
  /// How far the clocks of the zone were ahead of UTC when a clock that was right last reckoned the
  /// alarms; nil if that is not known. By another zone a time may be over that was to come.
  public private(set) var zoneOffset: Duration?
  /// What a start has changed, and what rings on after it: it is told once it is known what is due.
  private var changedByStart: [AlarmChange] = []

  public init() {}

  /// As they were before the start. `configure` takes in what the configuration has now.
  /// - Parameters:
  ///   - isSameBoot: the machine has not started since.
  ///   - zoneOffset: as it was then.
  public init(_ alarms: [Alarm], isSameBoot: Bool, zoneOffset: Duration? = nil, at now: Now) {
    self.zoneOffset = zoneOffset
    self.alarms = alarms.sorted { $0.number < $1.number }
    // What rings has had its time, too.
    reached = alarms.flatMap { [$0.acknowledged, $0.isUp ? $0.occasion : nil] }
      .compactMap { $0 }.max()
    changedByStart = self.alarms.filter(\.isRinging).map { AlarmChange($0, .ringsOn()) }
    change { moment in
      if isSameBoot { moment.noteClockSet(at: now) } else { moment.noteStart(at: now) }
    }
    for index in self.alarms.indices {
      switch self.alarms[index].state {
      // It has rung before: a clock that has come back behind says that it will.
      case .ringing(let ring, let since) where since.left(at: now) > .zero:
        self.alarms[index].state = .ringing(ring: ring, since: TimedMoment(.zero, after: now))
      // How long ago it was set is not known any more.
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

  /// Reckons anew when the alarms ring next that are not due: the zone is another, or the clock was
  /// set, or is trusted once more.
  mutating func reckon(at now: Now, _ conditions: AlarmConditions) {
    if conditions.isTrusted { note(now.instant) }
    for index in alarms.indices {
      guard case .waiting(let next, let from) = alarms[index].state else { continue }
      if let from {
        let start = max(from.shown, alarms[index].acknowledged ?? AlarmTimes.beforeAll)
        alarms[index].state = .waiting(
          next: alarms[index].plan.times.next(from: start, in: conditions.zone), from: from)
      } else if !conditions.mayBeWrong {
        let promised = alarms[index].promised ?? next
        alarms[index].promised = nil
        alarms[index].state = .waiting(
          next: self.next(of: alarms[index], promised, at: now, conditions), from: nil)
      } else if conditions.isTrusted {
        // What is due rings, if it is not too late.
        let isDue = next.map { $0 <= now.instant } ?? false
        if !isDue { reckonByDoubtfulClock(index, at: now, conditions) }
      } else if let promised = alarms[index].promised {
        alarms[index].promised = nil
        alarms[index].state = .waiting(next: promised, from: nil)
      }
    }
    if !conditions.mayBeWrong {
      zoneOffset = .seconds(conditions.zone.civil(at: now.instant).utcOffsetSeconds)
    }
  }

  /// When an alarm rings next by a clock that is right.
  /// - Parameter promised: when it was to ring, by what was known before.
  private func next(
    of alarm: Alarm, _ promised: Instant?, at now: Now, _ conditions: AlarmConditions
  ) -> Instant? {
    let times = alarm.plan.times
    let acknowledged = alarm.acknowledged ?? AlarmTimes.beforeAll
    // What is due is judged by how late it is.
    if let promised, promised <= now.instant { return promised }
    // So is what another zone has stepped over meanwhile.
    if let promised, let zoneOffset,
      let moved = times.moved(promised, reckonedAt: zoneOffset, to: conditions.zone),
      acknowledged < moved, moved <= now.instant
    {
      return moved
    }
    return times.next(from: max(now.instant, acknowledged), in: conditions.zone)
  }

  /// Reckons when an alarm rings next by a clock that may be wrong. What a clock that was right has
  /// said is kept until one is right again.
  mutating func reckonByDoubtfulClock(
    _ index: Int, at now: Now, _ conditions: AlarmConditions
  ) {
    let alarm = alarms[index]
    alarms[index].promised = alarm.promised ?? alarm.next
    let start = max(now.instant, alarm.acknowledged ?? AlarmTimes.beforeAll)
    // No day is over by such a clock.
    let next = alarm.plan.times.next(from: start, in: conditions.zone)
    alarms[index].state = .waiting(next: next.flatMap { $0 > now.instant ? $0 : nil }, from: nil)
  }

  /// The clock can be gone by from now on, or still.
  mutating func noteTrusted(at now: Now, _ conditions: AlarmConditions) {
    note(now.instant)
    told = []
    guard !conditions.mayBeWrong else { return }
    change { if $0.followsClock { $0.noteTrusted() } }
    for index in alarms.indices {
      if case .waiting(let next, from: _?) = alarms[index].state {
        alarms[index].state = .waiting(next: next, from: nil)
      }
    }
  }

  /// Takes in what a trusted clock shows. If it is more than a day behind what it has shown, by one
  /// step or many, it was wrong then.
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
      // What it rings for may come again.
      case .ringing(let ring, let since):
        alarms[index].state = .ringing(ring: min(ring, shown.wholeSecond), since: since)
      case .snoozing(let ring, let until):
        alarms[index].state = .snoozing(ring: min(ring, shown.wholeSecond), until: until)
      }
    }
  }

  /// As it waits from now on, for the next time that has not been acknowledged.
  func waiting(
    _ plan: AlarmPlan, after acknowledged: Instant?, at now: Now, _ conditions: AlarmConditions
  ) -> Alarm.State {
    let start = max(now.instant, acknowledged ?? AlarmTimes.beforeAll)
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

  /// Takes the alarms that the configuration has now, at the start and after each reload. Those that
  /// it had before go on, and ring on.
  /// - Returns: those that it has no longer, and those of a person whose names it has, or had.
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
            plan, after: alarms[index].acknowledged, at: now, conditions)
        }
        continue
      }
      // A person's alarm of that name still rings.
      if let namesake {
        alarms[namesake].lostName = alarms[namesake].plan.name
        alarms[namesake].plan.name = nil
        changes.append(AlarmChange(alarms[namesake], .nameLost))
      }
      insert(plan, from: .configuration, waiting(plan, after: nil, at: now, conditions))
    }
    for index in alarms.indices {
      guard let name = alarms[index].lostName, !alarms.contains(where: { $0.name == name }) else {
        continue
      }
      alarms[index].plan.name = name
      alarms[index].lostName = nil
      changes.append(AlarmChange(alarms[index], .nameIsBack))
    }
    reckon(at: now, conditions)
    return changes
  }

  /// As `configure`, at the start: what is no longer there goes without a word, and the rest is told
  /// with what is due.
  mutating func configureAtStart(
    _ plans: [AlarmPlan], at now: Now, _ conditions: AlarmConditions
  ) {
    // Those of another configuration are for the time to come.
    reckon(at: now, conditions)
    changedByStart += configure(plans, at: now, conditions).filter { $0.event != .cancelled }
  }

  /// What a start has changed, of alarms that ring still.
  mutating func tellStart() -> [AlarmChange] {
    defer { changedByStart = [] }
    return changedByStart.filter { change in
      change.event != .ringsOn()
        || alarms.contains { $0.number == change.alarm.number && $0.isRinging }
    }
  }

  /// Gives alarms these in place of their tunes of the same name.
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
    told.remove(alarm.number)
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
