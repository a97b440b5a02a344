/// A person's orders about alarms.
extension Alarms {
  public var isRinging: Bool { alarms.contains(where: \.isRinging) }

  /// Carries out an order.
  mutating func take(
    _ order: AlarmOrder, at now: Now, _ conditions: AlarmConditions
  ) throws(AlarmRefusal) -> [AlarmChange] {
    switch order {
    case .set(let plan): return [try set(plan, at: now, conditions)]
    case .snooze(let which):
      let ringing = try those(which, where: \.isRinging)
      for alarm in ringing { snooze(alarm, at: now) }
      return ringing.map { AlarmChange($0, .snoozed) }
    case .stop(let which):
      return try those(which, where: \.isUp).map { end($0, .stopped(.byHand), at: now, conditions) }
    case .skip(let which):
      return [try skip(try place(of: which), at: now, conditions)]
    case .cancel(let which):
      let alarm = alarms[try place(of: which)]
      guard alarm.origin == .person else { throw .isConfigured(alarm.title) }
      remove(alarm)
      return [AlarmChange(alarm, .cancelled)]
    }
  }

  private mutating func skip(
    _ index: Int, at now: Now, _ conditions: AlarmConditions
  ) throws(AlarmRefusal) -> AlarmChange {
    let alarm = alarms[index]
    guard !alarm.isUp else { throw .isUp(alarm.title) }
    guard conditions.isTrusted, let next = alarm.next else { throw .nextIsUnknown(alarm.title) }
    guard !alarm.plan.times.days.isOnce else {
      remove(alarm)
      return AlarmChange(alarm, .cancelled)
    }
    alarms[index].promised = nil
    alarms[index].skipped = next
    alarms[index].state = waiting(alarm.plan, after: alarms[index].over, at: now, conditions)
    return AlarmChange(alarms[index], .skipped)
  }

  private mutating func set(
    _ plan: AlarmPlan, at now: Now, _ conditions: AlarmConditions
  ) throws(AlarmRefusal) -> AlarmChange {
    precondition(plan.times.days != .weekly([]), "no text gives weekdays without a day")
    if let name = plan.name {
      if let flaw = Alarm.flaw(ofName: name) { throw .name(flaw) }
      if let other = alarms.first(where: { $0.name == name }) {
        throw other.origin == .person ? AlarmRefusal.nameIsTaken(name) : .nameIsConfigured(name)
      }
    }
    guard alarms.count < Self.most else { throw .tooMany }
    let state = waiting(plan, after: AlarmTimes.beforeAll, at: now, conditions)
    // Only a clock that alarms go by can tell that a date is over.
    guard case .waiting(let next?, _) = state, next > now.instant || !conditions.isTrusted else {
      throw .over(plan.times)
    }
    return AlarmChange(insert(plan, from: .person, state), .set)
  }

  /// Ends every ring.
  mutating func silence(
    _ reason: StopReason, at now: Now, _ conditions: AlarmConditions
  ) -> [AlarmChange] {
    alarms.filter(\.isRinging).map { end($0, .stopped(reason), at: now, conditions) }
  }

  /// The alarm with that name or number, or without one all alarms, if they meet the condition.
  private func those(
    _ which: String?, where isMeant: (Alarm) -> Bool
  ) throws(AlarmRefusal) -> [Alarm] {
    if let which {
      let alarm = alarms[try place(of: which)]
      guard isMeant(alarm) else { throw .isNotRinging(alarm.title) }
      return [alarm]
    }
    let meant = alarms.filter(isMeant)
    guard !meant.isEmpty else { throw .noneRings }
    return meant
  }

  private mutating func snooze(_ alarm: Alarm, at now: Now) {
    guard case .ringing(let ring, _) = alarm.state else { return }
    change(alarm, to: .snoozing(ring: ring, until: TimedMoment(Alarm.snooze, after: now)))
  }
}
