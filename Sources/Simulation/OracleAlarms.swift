import Horology

/// An alarm as its owner would reckon it.
struct AlarmReckoning: Hashable {
  var plan: OracleRules.Alarm
  let isConfigured: Bool
  /// The latest of its times that is over: it does not ring for that again.
  var acknowledged: Int64?
  /// The time that it rings for, or rang for before the snooze.
  var ring: Int64?
  /// When it was set, if the clock was not trusted then.
  var from: Reckoned?
  /// Its times after this are due, by the clock. The next `reckonAlarms` takes that in.
  var since: Int64?
  /// The first of its times that the clock has passed, and that was not reported.
  var owed: Int64?
  /// When it was to ring by the zone before, or by a clock that was right, and the day of that. It
  /// is valid until the clock is right.
  var pledge: Pledge?
  /// It was owed when the service last rested.
  var isOverdue = false
  /// It was reported silent because the clock is not trusted.
  var isUntrustedTold = false

  struct Pledge: Hashable {
    let instant: Int64
    /// Days since 1 January 1970, by the zone at that time.
    let day: Int64
  }
}

extension OracleRules.Alarm {
  /// When it rings, on the days around an instant.
  func rings(_ face: OracleFace, near shown: Int64, days: ClosedRange<Int64> = -1...1) -> [Int64] {
    if case .date(let day) = self.days {
      return Array(face.instants(day: day, minute: minuteOfDay).prefix(1))
    }
    let today = face.day(shown)
    return (today + days.lowerBound...today + days.upperBound).flatMap { day -> [Int64] in
      let instants = face.instants(day: day, minute: minuteOfDay)
      switch self.days {
      case .next, .date: return instants
      // 1 January 1970 was a Thursday.
      case .weekly(let days):
        return days.contains(Int(day + 4) % 7) ? Array(instants.prefix(1)) : []
      }
    }
  }

  func next(_ face: OracleFace, after shown: Int64) -> Int64? {
    rings(face, near: shown, days: -2...9).filter { $0 > shown }.min()
  }
}

extension Oracle {
  /// True if alarms may go by the clock.
  var isClockForAlarms: Bool { trust != .untrusted || rules.untrusted == .speak }

  func alarm(_ source: Cue.Source) -> AlarmReckoning? { timers.entries[source]?.alarm }

  // MARK: What the clock passes

  /// The service looks at the clock, to decide what is due.
  mutating func decides(_ moment: Moment, uptime: Int64) {
    decided = moment
    let elapsed = moment.elapsed - timers.looked.elapsed
    let showed = timers.looked.shown + elapsed
    let slept = timers.lookedUptime.map { elapsed - (uptime - $0) } ?? 0
    // After a step or a sleep, the service judges the clock before it decides.
    guard clock.isJudged || max(abs(moment.shown - showed), slept) < 50 * millisecond else {
      return
    }
    if timers.wasClockGood, let reached = timers.reached { timers.reached = max(reached, showed) }
    (timers.looked, timers.lookedUptime) = (moment, uptime)
    // Pledge first: a clock that may be wrong can change `acknowledged` and `base` below.
    if trust == .untrusted, !isEnding || isClockForAlarms { pledgeAlarms(by: face, moment) }
    if isClockForAlarms {
      if let reached = timers.reached, moment.shown < reached - day {
        // The clock was wrong before.
        for source in timers.entries.keys {
          timers.entries[source]!.alarm?.acknowledged = nil
          timers.entries[source]!.alarm?.owed = nil
          // The time that it rings for may come again.
          let ring = timers.entries[source]!.alarm?.ring
          timers.entries[source]!.alarm?.ring = ring.map { min($0, moment.shown) }
        }
        timers.reached = moment.shown
        timers.nextAlarm = nil
      }
      timers.reached = max(timers.reached ?? .min, moment.shown)
    }
    // A service that ends reports nothing more: it reports what is due after the next start. But it
    // notices a clock that is set back.
    if isEnding {
      if isClockForAlarms { timers.setBack(moment) }
      timers.wasClockGood = isClockForAlarms
      settlePledges(moment)
      return
    }
    let (wasGood, isRight) = (timers.wasClockGood, trust != .untrusted)
    if wasGood != isClockForAlarms || timers.wasClockRight != isRight { timers.nextAlarm = nil }
    (timers.wasClockGood, timers.wasClockRight) = (isClockForAlarms, isRight)
    if timers.nextAlarm.map({ moment.shown >= $0 }) ?? true { reckonAlarms(moment, wasGood) }
    if isClockForAlarms { timers.base = moment.shown }
  }

  private mutating func reckonAlarms(_ moment: Moment, _ wasGood: Bool) {
    timers.nextAlarm = .max
    for (source, entry) in timers.entries {
      guard var alarm = entry.alarm, entry.state == .waiting else { continue }
      // A clock that may be wrong does not change what a better one has shown.
      let base = base(alarm, moment)
      let isRight = trust != .untrusted
      if !wasGood || !isClockForAlarms || alarm.owed ?? .min > moment.shown { alarm.owed = nil }
      // By a clock that may be wrong but may speak, it rings at that clock's times, not as pledged.
      let isDoubtful = isClockForAlarms && !isRight && alarm.pledge != nil
      if isRight, alarm.pledge != nil { alarm.owed = nil }
      let pledged = isDoubtful ? nil : alarm.pledge?.instant
      let next = pledged ?? alarm.plan.next(face, after: max(base, alarm.acknowledged ?? .min))
      if let next, next <= moment.shown {
        alarm.owed = alarm.owed ?? next
      } else if let next {
        timers.nextAlarm = min(timers.nextAlarm!, next)
      }
      alarm.since = nil
      if isDoubtful {
        // By such a clock no alarm has expired.
        if let owed = alarm.owed, moment.shown - owed > rules.ringLimit { alarm.owed = nil }
      } else if isRight, alarm.pledge != nil {
        // An alarm that is due is judged by how late it is. Another gets its next time anew.
        if alarm.owed == nil {
          alarm.since = moment.shown
          alarm.owed = steppedOver(alarm, moment)
        }
        alarm.pledge = nil
      }
      let later = alarm.plan.next(face, after: moment.shown) ?? .max
      timers.nextAlarm = min(timers.nextAlarm!, later)
      timers.entries[source]!.alarm = alarm
    }
  }

  /// Its times after this are due.
  private func base(_ alarm: AlarmReckoning, _ moment: Moment) -> Int64 {
    // A date that is over by a clock that may be wrong may not be over.
    if case .date = alarm.plan.days { return .min }
    return alarm.from?.shown(moment) ?? alarm.since ?? timers.base ?? moment.shown
  }

  /// Pledges each waiting alarm its next time, by this zone and by what a right clock has shown.
  mutating func pledgeAlarms(by face: OracleFace, _ moment: Moment) {
    for (source, entry) in timers.entries {
      guard let alarm = entry.alarm, entry.state == .waiting, alarm.from == nil,
        alarm.pledge == nil
      else { continue }
      let base = max(base(alarm, moment), alarm.acknowledged ?? .min)
      timers.entries[source]!.alarm!.pledge = (alarm.owed ?? alarm.plan.next(face, after: base))
        .map { AlarmReckoning.Pledge(instant: $0, day: face.day($0)) }
    }
  }

  /// The service rests.
  mutating func judgeAlarms(_ moment: Moment) {
    for (source, entry) in timers.entries {
      guard let alarm = entry.alarm else { continue }
      let isTold = alarm.owed == nil || !isClockForAlarms
      if !isTold, alarm.isOverdue, !isEnding {
        violated(
          .complete, "\(source) of \(alarm.owed!.utcText) neither rings nor is explained", moment)
      }
      if alarm.isOverdue == isTold { timers.entries[source]!.alarm!.isOverdue = !isTold }
    }
  }

  // MARK: What is told

  mutating func told(_ told: Alarm, _ event: AlarmEvent, _ moment: Moment) {
    let source = Cue.Source.alarm(told.number)
    switch event {
    case .set, .cancelled, .skipped, .snoozed: does(source, told, event, moment)
    case .rings, .silenced, .expired, .ringsAgain: comes(source, event, moment)
    case .ringsOn: pay(.ringsOn(source), "\(source) rings on", moment)
    case .nameLost: pay(.name(source), "\(source) has lost its name", moment)
    case .stopped(let reason):
      let isOrdered = timers.alarmOrder == .stop && timers.entries[source] != nil
      if isOrdered { timers.isAlarmOrderDone = true }
      end(
        source, "\(event)", isOrdered || isRinging(source) && isTrue(reason, since: ledger.rested),
        moment)
    case .missed, .neverHeard:
      let entry = timers.entries[source]
      let isSo = event == .missed ? mayHaveBeenHeard(entry, moment) : !wasHeard(entry, moment)
      end(source, "\(event)", hasRungOut(entry, moment) && isSo, moment)
    case .unheard:
      if !wasHindered(around: moment.elapsed, byClock: true) {
        violated(.complete, "\(source) is told unheard, and the speaker was well", moment)
      }
    }
    timers.nextAlarm = nil
    disturbed(.ring, moment)
  }

  private func isRinging(_ source: Cue.Source) -> Bool { timers.entries[source]?.rings != nil }

  /// Carries out an order of a person or of the configuration.
  private mutating func does(
    _ source: Cue.Source, _ told: Alarm, _ event: AlarmEvent, _ moment: Moment
  ) {
    var isTrue = false
    switch (event, timers.alarmOrder) {
    case (.set, .set(let plan)?):
      isTrue = ledger.pay(.order) && source == timers.number { .alarm($0) }
      timers.alarmOrder = nil
      set(plan, source, isConfigured: false, moment)
    case (.snoozed, _):
      isTrue = isRinging(source) && happened([.hand], since: ledger.rested)
      timers.isAlarmOrderDone = true
      judgeRinging(source, moment)
      timers.entries[source]?.state = .snoozing(Reckoned(600 * second, after: moment))
      timers.entries[source]?.words = nil
      silences(source, moment)
    case (.cancelled, .cancel?):
      isTrue = alarm(source)?.isConfigured == false && ledger.pay(.order)
      timers.alarmOrder = nil
      remove(source, moment)
    case (.cancelled, _):
      isTrue = ledger.pay(.unconfigured(source))
      silences(source, moment)
    default: break
    }
    if !isTrue { violated(.complete, "told though it is not so: \(source) \(event)", moment) }
  }

  mutating func set(
    _ plan: OracleRules.Alarm, _ source: Cue.Source, isConfigured: Bool, _ moment: Moment
  ) {
    var alarm = AlarmReckoning(plan: plan, isConfigured: isConfigured)
    alarm.from = trust == .untrusted ? Reckoned(0, after: moment) : nil
    alarm.since = moment.shown
    timers.isDoubtful = true
    timers.entries[source] = TimerReckoning.Entry(name: plan.name, state: .waiting, alarm: alarm)
    timers.nextAlarm = nil
  }

  /// Its time has come.
  private mutating func comes(_ source: Cue.Source, _ event: AlarmEvent, _ moment: Moment) {
    guard let entry = timers.entries[source], let alarm = entry.alarm else {
      return violated(.complete, "\(source) \(event), and is none", moment)
    }
    var isTrue = false
    if case .snoozing(let until) = entry.state {
      let late = until.passed(moment)
      let allowed = Self.tolerance + until.slack
      let mayBeOver = !until.followsClock || trust != .untrusted
      switch event {
      case .ringsAgain:
        isTrue = late >= -allowed && (late <= rules.ringLimit + allowed || !mayBeOver)
        let since = late > 2 * second ? Reckoned(rules.lead, after: moment) : until
        if let ring = alarm.ring { rings(source, for: ring, since: since, moment) }
      case .silenced(let reason):
        end(
          source, "\(event)", late >= -allowed && isTrueOfSilence(reason),
          moment)
        return
      case .expired(let told):
        let isSo = abs(told.nanoseconds - late) <= allowed && late > rules.ringLimit - allowed
        end(source, "\(event)", isSo && mayBeOver, moment)
        return
      default: break
      }
    } else if entry.state == .waiting {
      switch event {
      case .silenced(.untrusted):
        var isDue = alarm.owed != nil
        if case .date = alarm.plan.days { isDue = true }
        isTrue = !isClockForAlarms && !alarm.isUntrustedTold && isDue
        timers.entries[source]!.alarm!.isUntrustedTold = true
        timers.isDoubtful = true
      case .silenced(let reason):
        let due = alarm.owed ?? due(alarm, nil, moment, within: rules.ringLimit)
        timers.entries[source]!.alarm!.ring = due
        end(
          source, "\(event)",
          due != nil && isClockForAlarms && isTrueOfSilence(reason), moment)
        return
      case .rings(let late, _):
        let due = due(alarm, late, moment)
        isTrue = due != nil && isClockForAlarms && (late?.nanoseconds ?? 0) <= rules.ringLimit
        if let due {
          let since =
            late == nil
            ? Reckoned(due - moment.shown, after: moment) : Reckoned(rules.lead, after: moment)
          rings(source, for: due, since: since, moment)
        }
      case .expired(let late):
        let due = due(alarm, late, moment, isExact: true)
        timers.entries[source]!.alarm!.ring = due
        // A clock that may be wrong cannot expire a time that a right one has promised.
        let mayBeOver = trust != .untrusted || alarm.from != nil
        end(
          source, "\(event)",
          due != nil && isClockForAlarms && mayBeOver && late.nanoseconds > rules.ringLimit, moment)
        return
      default: break
      }
    }
    if !isTrue { violated(.complete, "told though it is not so: \(source) \(event)", moment) }
  }

  private mutating func rings(
    _ source: Cue.Source, for ring: Int64, since: Reckoned, _ moment: Moment
  ) {
    timers.entries[source]!.alarm!.ring = ring
    timers.entries[source]!.alarm!.owed = nil
    timers.entries[source]!.alarm!.pledge = nil
    let reading = face.reading(ring)
    let tune = timers.entries[source]!.alarm!.plan.tune?.length(reading)
    rings(source, since: since, moment, words: tune.map { $0 + 3 * second } ?? 2 * second)
    let together = timers.entries.filter { $0.value.alarm != nil && $0.value.rings == since }
    let due = together.values.compactMap { $0.words?.due }.max()
    for source in together.keys { timers.entries[source]!.words?.due = due! }
  }

  /// Its time that is due now, or was due `late` ago; nil if there is none that is not over.
  private func due(
    _ alarm: AlarmReckoning, _ late: Duration?, _ moment: Moment, within span: Int64 = 2 * second,
    isExact: Bool = false
  ) -> Int64? {
    let shown = moment.shown - (late?.nanoseconds ?? 0)
    let range = late == nil ? -span...0 : -millisecond...millisecond
    if let owed = alarm.owed, range ~= owed - shown { return owed }
    // An expired time must be the one that is owed.
    if isExact { return nil }
    return valid(moment, for: minute).lazy.compactMap { _, face in
      alarm.plan.rings(face, near: shown).first {
        range ~= $0 - shown && $0 > alarm.acknowledged ?? .min
      }
    }.first
  }

  /// One of its times is over. It waits for the next, or is removed.
  private mutating func end(
    _ source: Cue.Source, _ what: String, _ isTrue: Bool, _ moment: Moment
  ) {
    if !isTrue { violated(.complete, "told though it is not so: \(source) \(what)", moment) }
    judgeRinging(source, moment)
    guard var entry = timers.entries[source], var alarm = entry.alarm, alarm.plan.isWeekly else {
      return remove(source, moment)
    }
    // Acknowledge the reported time only, not a later one that another zone has passed.
    alarm.acknowledged = [alarm.acknowledged, alarm.ring ?? alarm.owed].compactMap { $0 }.max()
    (alarm.ring, alarm.owed, alarm.since, alarm.pledge) = (nil, nil, nil, nil)
    // The switch ends it at the start, before anything is decided: it waits from now on.
    if timers.lookedUptime == nil { alarm.since = moment.shown }
    alarm.from = trust == .untrusted ? Reckoned(0, after: moment) : nil
    timers.isDoubtful = true
    (entry.alarm, entry.state, entry.words, entry.owesRing) = (alarm, .waiting, nil, false)
    timers.entries[source] = entry
    timers.nextAlarm = nil
    silences(source, moment)
  }
}
