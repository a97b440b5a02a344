/// Changes that come with time: alarms ring, ring again after a snooze, or end unheard.
extension Alarms {
  /// Does everything that is due.
  ///
  /// An alarm that is late by up to `ringLimit` still rings; a later one has expired. With a clock
  /// that is not trusted, an alarm does not ring; it stays due until the clock is trusted.
  /// - Parameter refusal: why an alarm whose time has come must not ring; nil if it may.
  mutating func due(
    at now: Now, _ conditions: AlarmConditions, refusal: SkipReason?
  ) -> [AlarmChange] {
    if conditions.isTrusted { noteTrusted(at: now, conditions) }
    var changes: [AlarmChange] = []
    for alarm in alarms {
      switch alarm.state {
      case .waiting(let next?, _) where next <= now.instant:
        changes += come(alarm, next, at: now, conditions, refusal)
      case .ringing(_, let since) where since.left(at: now) + conditions.ringLimit <= .zero:
        changes.append(end(alarm, .missed, at: now, conditions))
      case .snoozing(let ring, let until) where until.left(at: now) <= .zero:
        changes.append(wake(alarm, ring, until, at: now, conditions, refusal))
      default: break
      }
    }
    return tellStart() + changes
  }

  /// When `due` has something to do next, since the machine started; nil if never.
  func nextDue(at now: Now, _ conditions: AlarmConditions) -> Duration? {
    alarms.compactMap { alarm -> Duration? in
      switch alarm.state {
      case .waiting(let next, _):
        guard let next, conditions.isTrusted || told[alarm.number] == nil else { return nil }
        let shown = max(now.instant, AlarmTimes.beforeAll)
        return now.sinceBoot + max(next - shown, .zero)
      case .ringing(_, let since): return since.sinceBoot + conditions.ringLimit
      case .snoozing(_, let until): return until.sinceBoot
      }
    }.min()
  }

  /// The time of an alarm has come.
  private mutating func come(
    _ alarm: Alarm, _ next: Instant, at now: Now, _ conditions: AlarmConditions,
    _ refusal: SkipReason?
  ) -> [AlarmChange] {
    guard conditions.isTrusted else {
      guard told[alarm.number] == nil else { return [] }
      let isTime = isTime(next, of: alarm, conditions)
      told[alarm.number] = isTime
      return isTime ? [AlarmChange(alarm, .silenced(.untrusted))] : []
    }
    let late = now.instant - next
    if late > conditions.ringLimit, conditions.mayBeWrong, case .waiting(_, nil) = alarm.state,
      let index = alarms.firstIndex(where: { $0.number == alarm.number })
    {
      // Whether it was missed is reported once the clock is right.
      reckonByDoubtfulClock(index, at: now, conditions)
      return []
    }
    guard late <= conditions.ringLimit else {
      let expired = end(alarm, .expired(late: late), at: now, conditions)
      // The latest ring since then may not be too late yet.
      let after = max(next, now.instant - conditions.ringLimit - .nanoseconds(1))
      guard !alarm.plan.times.days.isOnce,
        let last = alarm.plan.times.nextRing(after: after, in: conditions.zone),
        last <= now.instant
      else { return [expired] }
      return [expired, ring(alarm, last, late: now.instant - last, at: now, conditions, refusal)]
    }
    return [ring(alarm, next, late: late, at: now, conditions, refusal)]
  }

  private mutating func ring(
    _ alarm: Alarm, _ ring: Instant, late: Duration, at now: Now, _ conditions: AlarmConditions,
    _ refusal: SkipReason?
  ) -> AlarmChange {
    let isLate = late > Announcer.unnoticed
    let since = TimedMoment(isLate ? conditions.lead : .zero - late, after: now)
    let ringing = change(alarm, to: .ringing(ring: ring, since: since))
    if let reason = refusal { return end(ringing, .silenced(reason), at: now, conditions) }
    return AlarmChange(ringing, .rings(late: isLate ? late : nil))
  }

  /// The snooze is over.
  private mutating func wake(
    _ alarm: Alarm, _ ring: Instant, _ until: TimedMoment, at now: Now,
    _ conditions: AlarmConditions, _ refusal: SkipReason?
  ) -> AlarmChange {
    let late = .zero - until.left(at: now)
    // A clock that may be wrong cannot make a snooze expire.
    if late > conditions.ringLimit, !until.followsClock || !conditions.mayBeWrong {
      return end(alarm, .expired(late: late), at: now, conditions)
    }
    if let reason = refusal { return end(alarm, .silenced(reason), at: now, conditions) }
    let since = late > Announcer.unnoticed ? TimedMoment(conditions.lead, after: now) : until
    return AlarmChange(change(alarm, to: .ringing(ring: ring, since: since)), .ringsAgain())
  }

  /// Ends one ring of an alarm, and acknowledges it. The alarm waits for the next, or is removed.
  mutating func end(
    _ alarm: Alarm, _ event: AlarmEvent, at now: Now, _ conditions: AlarmConditions
  ) -> AlarmChange {
    let over: Instant? =
      switch alarm.state {
      case .waiting(let next, _): next
      case .ringing(let ring, _), .snoozing(let ring, _): ring
      }
    guard !alarm.plan.times.days.isOnce,
      let index = alarms.firstIndex(where: { $0.number == alarm.number })
    else {
      remove(alarm)
      return AlarmChange(alarm, event)
    }
    alarms[index].acknowledged = [alarm.acknowledged, over].compactMap { $0 }.max()
    alarms[index].state = waiting(
      alarm.plan, after: alarms[index].over, at: now, conditions)
    return AlarmChange(alarm, event)
  }

  /// - Returns: the alarm as it is now.
  @discardableResult
  mutating func change(_ alarm: Alarm, to state: Alarm.State) -> Alarm {
    guard let index = alarms.firstIndex(where: { $0.number == alarm.number }) else { return alarm }
    alarms[index].state = state
    // It rings or snoozes now, so the promised ring no longer counts.
    alarms[index].promised = nil
    return alarms[index]
  }
}
