/// How the Announcer handles alarms.
extension Announcer {
  var alarmConditions: AlarmConditions { alarmConditions(by: trust) }

  func alarmConditions(by trust: ClockTrust) -> AlarmConditions {
    AlarmConditions(
      zone: zone, isTrusted: rules.alarmsGoByClock(trust),
      mayBeWrong: trust == .untrusted, ringLimit: settings.ringLimit, lead: rules.lead)
  }

  /// Tells the alarms that the clock was set, once it has been judged: a clock that is set wrong
  /// loses its trust.
  mutating func tellAlarmsOfClock(with event: Event, at now: Now) {
    guard owesAlarmsClock else { return }
    switch event {
    case .unheard, .ringer: return
    case .trust(let trust): alarms.noteClockSet(at: now, alarmConditions(by: trust))
    default: alarms.noteClockSet(at: now, alarmConditions)
    }
    owesAlarmsClock = false
  }

  /// Carries out a person's order about the alarms.
  mutating func take(_ order: AlarmOrder, at now: Now) -> Response {
    do throws(AlarmRefusal) {
      let changes = try alarms.take(order, at: now, alarmConditions)
      var answer = Answer.done
      switch order {
      case .set, .skip: answer = .number(changes[0].alarm.number)
      case .snooze, .stop, .cancel: break
      }
      return (tell(changes, at: now), answer)
    } catch {
      return Self.refuse(.alarm(error))
    }
  }

  /// Replaces the tunes of alarms by these of the same name.
  public mutating func take(_ tunes: [Tune]) { alarms.take(tunes) }

  /// Snoozes the ringing alarms.
  mutating func snoozeAlarms(at now: Now) -> [Effect] {
    alarms.isRinging ? take(.snooze(nil), at: now).effects : []
  }

  /// Ends the ringing alarms.
  mutating func silenceAlarms(
    _ reason: StopReason, at moment: Uptime, _ now: Now
  ) -> [Effect] {
    tell(alarms.silence(reason, at: now, alarmConditions), at: now, reason, moment)
  }

  /// Ends the ringing and snoozing alarms for the day.
  mutating func endAlarms(at now: Now) -> [Effect] {
    alarms.alarms.contains(where: \.isUp) ? take(.stop(nil), at: now).effects : []
  }

  /// Rings the alarms whose time has come, and ends those that have rung too long.
  mutating func settleAlarms(at now: Now) -> [Effect] {
    let changes = alarms.due(at: now, alarmConditions, refusal: refusalOfAlarms)
    return tell(changes.map { asHeard($0, at: now) }, at: now)
  }

  /// The alarms that go by the clock. Once the clock, its trust or the zone changes, the cues that
  /// the player holds for them may have the wrong time.
  var alarmsByClock: Set<Cue.Source> {
    Set(alarms.alarms.filter(\.goesByClock).map { .alarm($0.number) })
  }

  /// Computes again when alarms ring: the zone or the configuration has changed.
  mutating func reckonAlarms(at now: Now) -> [Effect] {
    // First, because the alarms of a new configuration ring only at times to come.
    alarms.reckon(at: now, alarmConditions)
    let gone = alarms.configure(settings.alarms, at: now, alarmConditions)
    return timers.book.recall(alarmsByClock, .rulesChanged) + tell(gone, at: now, .rulesChanged)
  }

  /// Adds to a change why nobody hears the alarm, or why nobody has heard it.
  private func asHeard(_ change: AlarmChange, at now: Now) -> AlarmChange {
    let source = Cue.Source.alarm(change.alarm.number)
    guard case .ringing(_, let since) = change.alarm.state else { return change }
    switch change.event {
    case .rings(let late, _):
      return AlarmChange(change.alarm, .rings(late: late, unheard: hindrance(of: source)))
    case .ringsAgain:
      return AlarmChange(change.alarm, .ringsAgain(unheard: hindrance(of: source)))
    case .ringsOn: return AlarmChange(change.alarm, .ringsOn(unheard: hindrance(of: source)))
    case .missed:
      guard let why = neverHeard(since: since.sinceBoot, at: now) else { return change }
      return AlarmChange(change.alarm, .neverHeard(why))
    default: return change
    }
  }

  /// Why an alarm must not ring now. A lost switch is no reason: the alarm is heard once the switch
  /// can be read.
  private var refusalOfAlarms: SkipReason? { rules.timersAreHeldBack ? nil : rules.refusalOfTimers }

  /// Why an alarm will be silent at its next time or after its snooze, as things are now; nil if it
  /// will ring.
  public func refusal(of alarm: Alarm) -> SkipReason? {
    if let refusal = refusalToCome(of: alarm) { return refusal }
    switch alarm.state {
    // It has a time by a clock that is right.
    case .waiting(nil, _): return alarm.promised == nil ? nil : .untrusted
    case .waiting, .snoozing, .ringing: return rules.timersAreHeldBack ? .switchLost : nil
    }
  }

  /// As `refusal(of:)`, but ignores a lost switch: it may be found by then.
  private func refusalToCome(of alarm: Alarm) -> SkipReason? {
    switch alarm.state {
    case .waiting(nil, _), .ringing: nil
    case .waiting: alarmConditions.isTrusted ? refusalOfAlarms : .untrusted
    case .snoozing: refusalOfAlarms
    }
  }

  /// Reports what has become of alarms. Takes back the rings of alarms that stop, and plans the
  /// spoken time of alarms that begin to ring.
  /// - Parameters:
  ///   - reason: why they stop ringing.
  ///   - moment: when the event that ends them came; nil for now.
  private mutating func tell(
    _ changes: [AlarmChange], at now: Now, _ reason: StopReason = .byHand, _ moment: Uptime? = nil
  ) -> [Effect] {
    var effects: [Effect] = []
    var isSilenced = false
    for change in changes {
      let source = Cue.Source.alarm(change.alarm.number)
      switch change.event {
      case .rings, .ringsAgain: sayTime(of: change.alarm, at: now)
      case .set, .ringsOn, .nameLost: break
      case .cancelled, .silenced, .snoozed, .skipped, .stopped, .missed, .neverHeard, .expired,
        .unheard:
        timers.dropWords(of: source)
        effects += timers.book.recall([source], reason)
        // At the ring limit nobody has stopped the ring, and the time being spoken is true.
        if change.alarm.isRinging, !change.event.isOfLimit { isSilenced = true }
      }
      effects.append(.report(.alarm(change.alarm, change.event)))
    }
    return isSilenced ? effects + stopTime(reason, at: moment ?? now.uptime) : effects
  }

  /// Fades out the time being spoken, unless another alarm still rings: it is spoken for that one
  /// too.
  private mutating func stopTime(_ reason: StopReason, at moment: Uptime) -> [Effect] {
    guard !alarms.isRinging, case .timer(let words)? = stage.playing?.cause, words.isOfTime else {
      return []
    }
    return stage.stop(reason, at: moment)
  }

  /// Plans to speak the time after the first ring.
  private mutating func sayTime(of alarm: Alarm, at now: Now) {
    guard case .ringing(_, let since) = alarm.state else { return }
    // Another alarm that began at the same moment may be heard instead.
    let heard = rings(at: now).heard(at: since.sinceBoot)
    let sounding = alarms.alarms.first {
      guard case .ringing(_, let begun) = $0.state else { return false }
      return begun == since && heard == .alarm($0.number)
    }
    let blows = blows(of: sounding ?? alarm, at: now)
    let offset = blows.last.map { $0.offset + DueCue.afterTune } ?? Timers.wordsAfterRing
    let from = max(since.sinceBoot + offset - rules.lead, now.sinceBoot)
    timers.plan(
      TimerWords(
        .alarm(alarm.number), title: alarm.title, [.time], from: from,
        until: from + rules.latestWords))
  }

  // MARK: Cues

  /// The blows that ring for an alarm, counted from the first; empty if the signal rings.
  private func blows(of alarm: Alarm, at now: Now) -> [Blow] {
    guard let tune = alarm.plan.tune else { return [] }
    let shown = zone.civil(at: alarm.occasion ?? now.instant)
    let movement = tune.movement(at: shown) ?? tune.movements.min { $0.key < $1.key }?.value
    let blows = movement?.blows(at: shown) ?? []
    guard let first = blows.first else { return [] }
    return blows.map { Blow(bell: $0.bell, offset: $0.offset - first.offset) }
  }

  func nextCuesOfAlarms(_ rings: Rings, at now: Now) -> [DueCue] {
    alarms.alarms.compactMap { nextCue(of: $0, rings, at: now) }
  }

  /// The alarms that ring, or will before a cue that is prepared now is heard.
  func ringingAlarms(at now: Now) -> [Ringing] {
    alarms.alarms.compactMap { alarm in
      guard let since = begins(alarm, at: now) else { return nil }
      return Ringing(
        source: .alarm(alarm.number), since: since,
        decibels: alarm.plan.rise?.decibels(after: now.sinceBoot - since) ?? 0,
        hasTune: alarm.plan.tune.map { !$0.isMissing } ?? false)
    }
  }

  /// The level of the loudest of the alarms that ring now, at an instant to come: in dB relative to
  /// its full level, at most 0.
  func riseOfRing(at instant: Instant) -> Double {
    let anchor = previous.sinceBoot + (instant - previous.instant)
    let levels = alarms.alarms.compactMap { alarm -> Double? in
      guard case .ringing(_, let since) = alarm.state else { return nil }
      return alarm.plan.rise?.decibels(after: anchor - since.sinceBoot) ?? 0
    }
    return levels.max() ?? 0
  }

  /// When a ringing alarm began, or another one will begin within the preparation of a cue; since
  /// the machine started.
  private func begins(_ alarm: Alarm, at now: Now) -> Duration? {
    let since: Duration
    switch alarm.state {
    case .waiting(nil, _): return nil
    case .ringing(_, let started): return started.sinceBoot
    // An alarm that is already due is judged by how late it is.
    case .waiting(let next?, _):
      guard next > now.instant else { return nil }
      since = now.sinceBoot + (next - now.instant)
    case .snoozing(_, let until): since = until.sinceBoot
    }
    guard now.sinceBoot < since, since - rules.preparation <= now.sinceBoot,
      refusalToCome(of: alarm) == nil
    else { return nil }
    return since
  }

  private func nextCue(of alarm: Alarm, _ rings: Rings, at now: Now) -> DueCue? {
    let source = Cue.Source.alarm(alarm.number)
    let book = timers.book
    guard let since = begins(alarm, at: now) else { return nil }
    var earliest = since
    switch alarm.state {
    case .waiting: guard book.last(of: source) == nil else { return nil }
    case .snoozing: guard book.last(of: source) != since else { return nil }
    case .ringing: earliest = book.earliestRing(of: source, since, rules.lead, now)
    }
    // Before its blows are computed: there may be a hundred alarms.
    guard rings.heard(at: max(earliest, now.sinceBoot)) == source else { return nil }
    let blows = blows(of: alarm, at: now)
    var cue = DueCue.ring(source, since: since, from: earliest)
    if !blows.isEmpty {
      // The tune follows the last cue that was given. It begins at once if that is over or there
      // was none.
      let anchor = max(book.over(of: source) ?? since, earliest)
      cue = DueCue(
        source: source, signal: .ring, anchor: anchor, mayBeLateBy: Announcer.chimePreparation)
    }
    cue.blows = blows
    cue.decibels = alarm.plan.rise?.decibels(after: cue.anchor - since) ?? 0
    // A ring that began at the ring limit would be heard as a click.
    return rings.heard(at: max(cue.anchor, now.sinceBoot)) == source
      && cue.anchor < since + settings.ringLimit
      ? cue : nil
  }

  /// When something other than a cue is due next, since the machine started.
  func dueOfAlarms(at now: Now) -> Duration? {
    // A ring is prepared ahead.
    let prepared = alarms.alarms.compactMap { alarm -> Duration? in
      switch alarm.state {
      case .waiting(let next?, _): now.sinceBoot + (next - now.instant) - rules.preparation
      case .snoozing(_, let until): until.sinceBoot - rules.preparation
      case .waiting(nil, _), .ringing: nil
      }
    }
    let due = alarms.nextDue(at: now, alarmConditions)
    return (prepared.filter { $0 > now.sinceBoot } + [due].compactMap { $0 }).min()
  }
}
