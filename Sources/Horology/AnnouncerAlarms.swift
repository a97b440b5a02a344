/// What becomes of the alarms.
extension Announcer {
  var alarmConditions: AlarmConditions { alarmConditions(by: trust) }

  func alarmConditions(by trust: ClockTrust) -> AlarmConditions {
    AlarmConditions(
      zone: zone, isTrusted: trust != .untrusted || settings.untrusted == .speak,
      ringLimit: settings.ringLimit, lead: rules.lead)
  }

  /// The clock was set, and has been judged since: whoever sets it wrong is found out by the trust in
  /// it that is lost with that.
  mutating func tellAlarmsOfClock(with event: Event, at now: Now) {
    guard owesAlarmsClock else { return }
    switch event {
    case .unheard: return
    case .trust(let trust): alarms.noteClockSet(at: now, alarmConditions(by: trust))
    default: alarms.noteClockSet(at: now, alarmConditions)
    }
    owesAlarmsClock = false
  }

  /// Does what a person wants of the alarms.
  mutating func take(_ order: AlarmOrder, at now: Now) -> [Effect] {
    do throws(AlarmRefusal) {
      return tell(try alarms.take(order, at: now, alarmConditions), at: now)
    } catch {
      return [.report(.alarmRefused(error))]
    }
  }

  /// Lets those that ring do so again later.
  mutating func snoozeAlarms(at now: Now) -> [Effect] {
    alarms.isRinging ? take(.snooze(nil), at: now) : []
  }

  /// Ends those that ring.
  mutating func silenceAlarms(
    _ reason: StopReason, at moment: Uptime, _ now: Now
  ) -> [Effect] {
    tell(alarms.silence(reason, at: now, alarmConditions), at: now, reason, moment)
  }

  /// Ends those that ring or are put off, for the day.
  mutating func endAlarms(at now: Now) -> [Effect] {
    alarms.alarms.contains(where: \.isUp) ? take(.stop(nil), at: now) : []
  }

  /// Rings those whose time has come.
  mutating func settleAlarms(at now: Now) -> [Effect] {
    let changes = alarms.due(at: now, alarmConditions) { [self] in refusal(of: $0, at: now) }
    return tell(changes, at: now)
  }

  /// Those that the clock decides on: what the player has of them is for a time that may be another.
  var alarmsByClock: Set<Cue.Source> {
    Set(alarms.alarms.filter(\.goesByClock).map { .alarm($0.number) })
  }

  /// The zone, the configuration or the trust is another: what is to ring is reckoned anew.
  mutating func reckonAlarms(at now: Now) -> [Effect] {
    let gone = alarms.configure(settings.alarms, at: now, alarmConditions)
    return timers.book.recall(alarmsByClock, .rulesChanged) + tell(gone, at: now, .rulesChanged)
  }

  /// Why an alarm must not ring now: quiet hours hold for it unless it has been set to override them.
  private func refusal(of alarm: Alarm, at now: Now) -> SkipReason? {
    if let refusal = rules.refusalOfTimers { return refusal }
    guard alarm.plan.quietHours == .keep else { return nil }
    // One that comes late keeps the quiet of its own time, too.
    let isQuiet = [now.instant, alarm.occasion ?? now.instant].contains {
      settings.quiet.contains(zone.civil(at: $0))
    }
    return isQuiet ? .quietHours : nil
  }

  /// Why an alarm will be silent at its next time, as things are; nil if it will ring.
  public func refusal(of alarm: Alarm, from now: Now) -> SkipReason? {
    guard let next = alarm.next else { return nil }
    return alarmConditions.isTrusted
      ? refusal(of: alarm, at: now.later(by: next - now.instant)) : .untrusted
  }

  /// Tells what has become of alarms; takes back the rings of those that ring no more, and has the
  /// time said where one begins to.
  /// - Parameters:
  ///   - reason: why they ring no more.
  ///   - moment: when what ends them came; nil for now.
  private mutating func tell(
    _ changes: [AlarmChange], at now: Now, _ reason: StopReason = .byHand, _ moment: Uptime? = nil
  ) -> [Effect] {
    var effects: [Effect] = []
    for change in changes {
      let source = Cue.Source.alarm(change.alarm.number)
      switch change.event {
      case .rings, .ringsAgain: sayTime(of: change.alarm, at: now)
      case .set: break
      case .cancelled, .silenced, .snoozed, .stopped, .missed, .expired, .unheard:
        timers.dropWords(of: source)
        effects += timers.book.recall([source], reason)
        // The time that is being said is true, though nobody has stopped the ring.
        if change.event != .missed {
          effects += stopWords(of: source, reason, at: moment ?? now.uptime)
        }
      }
      effects.append(.report(.alarm(change.alarm, change.event)))
    }
    return effects
  }

  /// Plans that the time is said once the first ring is over.
  private mutating func sayTime(of alarm: Alarm, at now: Now) {
    guard case .ringing(_, let since) = alarm.state else { return }
    let blows = blows(of: alarm, at: now)
    let offset = blows.last.map { $0.offset + Self.afterTune } ?? Timers.wordsAfterRing
    let from = since.sinceBoot + offset - rules.lead
    timers.say(
      TimerWords(
        .alarm(alarm.number), title: alarm.title, [.time], from: from,
        until: from + settings.lateLimit))
  }

  // MARK: Cues

  /// From the last blow of a tune to the words, and from the words to the tune again.
  private static let afterTune = Duration.seconds(3)

  /// What rings at an alarm, the first blow at its time; empty if it is the signal.
  private func blows(of alarm: Alarm, at now: Now) -> [Blow] {
    guard let tune = alarm.plan.tune else { return [] }
    let shown = zone.civil(at: alarm.occasion ?? now.instant)
    let movement = tune.movement(at: shown) ?? tune.movements.min { $0.key < $1.key }?.value
    let blows = (movement?.blows(at: shown) ?? []).sorted { $0.offset < $1.offset }
    guard let first = blows.first else { return [] }
    return blows.map { Blow(bell: $0.bell, offset: $0.offset - first.offset) }
  }

  func nextCuesOfAlarms(_ newest: Cue.Source?, at now: Now) -> [DueCue] {
    alarms.alarms.compactMap { nextCue(of: $0, newest, at: now) }
  }

  private func nextCue(of alarm: Alarm, _ newest: Cue.Source?, at now: Now) -> DueCue? {
    let source = Cue.Source.alarm(alarm.number)
    let book = timers.book
    let (since, earliest): (Duration, Duration)
    switch alarm.state {
    case .waiting(nil, _): return nil
    case .waiting(let next?, _):
      // What is due already is decided by how late it is.
      since = now.sinceBoot + (next - now.instant)
      guard next > now.instant, book.last(of: source) == nil,
        since - Self.preparation <= now.sinceBoot,
        refusal(of: alarm, from: now) == nil
      else { return nil }
      earliest = since
    case .snoozing(_, let until):
      guard until.left(at: now) > .zero, book.last(of: source) != until.sinceBoot,
        refusal(of: alarm, at: now.later(by: until.left(at: now))) == nil
      else { return nil }
      (since, earliest) = (until.sinceBoot, until.sinceBoot)
    case .ringing(_, let started):
      guard source == newest else { return nil }
      (since, earliest) = (started.sinceBoot, book.earliest(of: source, rules.lead, now))
    }
    let blows = blows(of: alarm, at: now)
    var cue = DueCue.ring(source, since: since, from: earliest)
    if let last = blows.last {
      // After what was given last, and at once if that is over or nothing was.
      let period = last.offset + Self.afterTune * 2
      let given = book.last(of: source).map { $0 + period }
      let anchor = max(given ?? since, earliest)
      cue = DueCue(
        source: source, signal: .ring, anchor: anchor, mayBeLateBy: Announcer.chimePreparation)
    }
    cue.blows = blows
    cue.decibels = alarm.plan.rise?.decibels(after: cue.anchor - since) ?? 0
    return cue
  }

  /// When something other than a cue is due next, since the machine started.
  func dueOfAlarms(at now: Now) -> Duration? {
    let next = alarms.alarms.compactMap(\.next).filter { $0 > now.instant }.min()
    // It is prepared ahead.
    let prepared = next.map { now.sinceBoot + ($0 - now.instant) - Self.preparation }
    let due = alarms.nextDue(at: now, alarmConditions)
    return [prepared.flatMap { $0 > now.sinceBoot ? $0 : nil }, due].compactMap { $0 }.min()
  }
}

extension Alarms {
  /// What rings.
  func ringing(at now: Now) -> [Ringing] {
    alarms.compactMap { alarm in
      guard case .ringing(_, let since) = alarm.state else { return nil }
      return Ringing(
        source: .alarm(alarm.number), since: since.sinceBoot, decibels: alarm.decibels(at: now))
    }
  }
}
