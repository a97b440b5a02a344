import Horology

/// Random orders to timers, intervals and alarms.
extension Plan {
  static func order(_ chance: inout Chance) -> Incident.Kind {
    switch chance.below(10) {
    case 0...3: .order(timer(&chance))
    case 4: .order(.startInterval(interval(&chance), replaces: chance.oneIn(3)))
    case 5: .order(.stopInterval)
    case 6:
      .order(.setAlarm(OwnerRules.Alarm(&chance, name: chance.pick(["school", "sun", "moon"]))))
    case 7: .order(chance.pick([.snooze, .stopAlarms]))
    case 8:
      .order(
        chance.pick([
          .cancelAlarm(chance.pick(["1", "2", "sun", "moon", "school"])),
          .skipAlarm(chance.pick(["1", "2", "sun", "moon", "school"])),
        ]))
    default: .press(speakerIsAwake: chance.oneIn(2))
    }
  }

  private static func timer(_ chance: inout Chance) -> Wish {
    let most = chance.pick([4 * second, minute, 20 * minute, 3 * hour, 3 * day])
    let span = second + chance.between(0, most)
    let which = chance.pick(["1", "1", "2", "3", "tea"])
    return switch chance.below(10) {
    case 0...4: .start(span, name: chance.pick([nil, nil, "tea", "egg"]))
    case 5: .add(span, to: which)
    case 6: .pause(which)
    case 7: .resume(which)
    case 8: .tell(chance.pick([nil, which]))
    default: .cancel(which)
    }
  }

  private static func interval(_ chance: inout Chance) -> IntervalPlan {
    if chance.oneIn(3) {
      return .plain(every: .seconds(chance.pick([20, 60, 90, 300, 1800])))
    }
    let work = Duration.milliseconds(1000 + Int64(chance.below(30)) * 500)
    let rest = Duration.seconds(chance.pick([0, 1, 5, 10]))
    return .rounds(
      IntervalRounds(
        work: work, rest: rest, count: chance.below(8) + 1,
        prepare: .seconds(chance.pick([0, 0, 5, 10])), countdown: chance.pick([0, 3, 3, 5, 10])))
  }
}

extension OwnerRules.Alarm {
  init(_ chance: inout Chance, name: String?, isDated: Bool = true) {
    let days: Days =
      switch chance.below(5) {
      case 0: .next
      case 1 where isDated: .date(Int64(chance.below(3)))
      case 2: .weekly([chance.below(7), chance.below(7)])
      default: .weekly([0, 1, 2, 3, 4, 5, 6])
      }
    // Daylight saving begins and ends in these hours.
    let minute = chance.oneIn(3) ? chance.below(240) : chance.below(1440)
    self.init(name: name, minuteOfDay: chance.oneIn(3) ? minute / 15 * 15 : minute, days: days)
    if chance.oneIn(4) { rise = Rise(from: -24, length: chance.pick([5, 60, 300]) * second) }
    if chance.oneIn(4) { tune = chance.pick(OwnerRules.Melody.all) }
  }

  /// Without padding, as in `school 7:0 next`.
  var inShort: String { "\(name ?? "") \(minuteOfDay / 60):\(minuteOfDay % 60) \(days)" }
}
