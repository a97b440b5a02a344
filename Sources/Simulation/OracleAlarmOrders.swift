import Horology

/// What the configuration and a person order of the alarms.
extension Oracle {
  // MARK: The configuration

  /// The configuration has changed, or the service has started.
  mutating func configureAlarms(_ moment: Moment, isStart: Bool = false) {
    let names = Set(rules.alarms.map(\.name))
    for (source, entry) in timers.entries where entry.alarm?.isConfigured == true {
      guard !names.contains(entry.name) else { continue }
      // Removed from the configuration while the service did not run, or just before the power was
      // cut.
      if isStart { _ = ledger.pay(.ringsOn(source)) } else { ledger.owe(.unconfigured(source)) }
      timers.entries[source] = nil
    }
    for plan in rules.alarms {
      let namesake = namesake(plan.name)
      if let namesake, let alarm = alarm(namesake), alarm.isConfigured {
        timers.entries[namesake]!.alarm!.plan = plan
        if alarm.plan.days != plan.days || alarm.plan.minuteOfDay != plan.minuteOfDay {
          timers.entries[namesake]!.alarm!.owed = nil
          timers.entries[namesake]!.alarm!.pledge = nil
          timers.entries[namesake]!.alarm!.since = moment.shown
          timers.entries[namesake]!.alarm!.from =
            trust == .untrusted ? Reckoned(0, after: moment) : nil
          timers.isDoubtful = true
        }
        continue
      }
      if let namesake {
        timers.entries[namesake]!.name = nil
        ledger.owe(.name(namesake))
      }
      set(plan, timers.number { .alarm($0) }, isConfigured: true, moment)
    }
    timers.nextAlarm = nil
  }

  private func namesake(_ name: String?) -> Cue.Source? {
    timers.entries.first { $0.value.alarm != nil && $0.value.name == name }?.key
  }

  // MARK: Orders

  mutating func ordered(_ order: AlarmWish, _ moment: Moment) {
    ordered(nil as TimerOrder?, moment)
    timers.alarmOrder = order
    timers.isAlarmOrderDone = false
  }

  mutating func judgeRefusal(_ refusal: AlarmRefusal, _ moment: Moment) {
    func found(_ which: String) -> TimerReckoning.Entry? {
      timers.find(which, isAlarm: true).flatMap { timers.entries[$0] }
    }
    let isTrue =
      switch (refusal, timers.alarmOrder) {
      case (.nameIsTaken(let name), .set?): found(name)?.alarm?.isConfigured == false
      case (.nameIsConfigured(let name), .set?): found(name)?.alarm?.isConfigured == true
      case (.over, .set(let plan)?): isClockForAlarms && isOver(plan, moment)
      case (.unknown(let which), .cancel(let wanted)?): which == wanted && found(which) == nil
      case (.isConfigured, .cancel(let which)?): found(which)?.alarm?.isConfigured == true
      case (.noneRings, .snooze?):
        !timers.entries.values.contains { $0.alarm != nil && $0.rings != nil }
      case (.noneRings, .stop?):
        !timers.entries.values.contains { $0.alarm != nil && $0.state != .waiting }
      default: false
      }
    timers.alarmOrder = nil
    if !ledger.pay(.order) || !isTrue {
      violated(.complete, "a person was refused for no true reason: \(refusal)", moment)
    }
  }

  /// True if none of the alarm's times is still to come.
  private func isOver(_ plan: OracleRules.Alarm, _ moment: Moment) -> Bool {
    plan.rings(face, near: moment.shown, days: -2...9).allSatisfy { $0 <= moment.shown }
  }

  /// Settles the orders that are reported once per alarm, or not at all.
  mutating func restOrders(_ moment: Moment) {
    // The interval is over: only its last signal is stopped, and nothing is reported.
    if timers.order == .stopInterval, timers.interval?.isOver == true, ledger.pay(.order) {
      timers.order = nil
      silences(.interval, moment)
    }
    if timers.isAlarmOrderDone, timers.alarmOrder == .stop || timers.alarmOrder == .snooze {
      _ = ledger.pay(.order)
    }
    timers.alarmOrder = nil
    timers.isAlarmOrderDone = false
  }
}

/// A person's order to the alarms.
enum AlarmWish: Hashable {
  case set(OracleRules.Alarm)
  case cancel(String)
  /// For all alarms that ring or are snoozed.
  case snooze, stop
}
