import Horology

/// How much goes wrong.
public enum Faults: String, CaseIterable, Sendable {
  case none, low, high

  /// From one group of incidents to the next, at most.
  var spacing: Int64? {
    switch self {
    case .none: nil
    case .low: 24 * hour
    case .high: 2 * hour
    }
  }
}

/// The incidents of a history, a chapter at a time: each chapter has its own seed.
struct Plan {
  static let chapter = 30 * day

  let seed: UInt64
  let faults: Faults
  /// Zones that the machine's zone may be changed to.
  let zones: [String]

  func incidents(ofChapter number: Int) -> [Incident] {
    guard let spacing = faults.spacing else { return [] }
    var chance = Chance(seed: seed.mixed(with: UInt64(number)))
    var incidents: [Incident] = []
    var at = Int64(number) * Self.chapter
    let end = at + Self.chapter
    while true {
      at += chance.between(second, spacing)
      guard at < end else { return incidents }
      let isNear = !chance.oneIn(3)
      incidents.append(
        Incident(
          time: isNear
            ? .nearQuarter(at, offset: Self.offset(&chance)) : .at(at), kind: kind(&chance, at)))
      while chance.oneIn(3) {
        let gap = chance.pick([20 * millisecond, second, 10 * second, 15 * minute])
        incidents.append(
          Incident(time: .after(chance.between(0, gap)), kind: kind(&chance, at)))
      }
      // Most incidents that last are soon undone.
      while let remedy = Self.remedy(of: incidents.last?.kind), !chance.oneIn(4) {
        incidents.append(
          Incident(time: .after(chance.between(0, chance.pick([second, hour]))), kind: remedy))
      }
    }
  }

  /// From a quarter of an hour to an incident near it.
  private static func offset(_ chance: inout Chance) -> Int64 {
    let reach = chance.pick([second, 8 * second, 30 * second, 100 * second])
    return chance.between(-reach, reach / 2)
  }

  private static func remedy(of kind: Incident.Kind?) -> Incident.Kind? {
    switch kind {
    case .contact(true): .contact(isClosed: false)
    case .switchLost: .switchFound
    case .mute(.on): .mute(.off)
    case .interval(.start): .interval(.stop)
    case .synchronisationLost: .synchronised
    case .step(let by, _) where abs(by) > 2 * second: .synchronised
    case .powerCut(_, let behind) where behind > second: .synchronised
    default: nil
    }
  }

  private func kind(_ chance: inout Chance, _ at: Int64) -> Incident.Kind {
    switch chance.below(48) {
    case 0...7: Self.clock(&chance)
    case 8...9: .sleep(Self.length(&chance, [10 * second, 20 * minute, 9 * hour]) + 2 * second)
    case 10...12: .stall(Self.length(&chance, [second, 15 * second]))
    case 13...14: .restart(Self.length(&chance, [3 * second, hour]))
    case 15:
      .powerCut(
        Self.length(&chance, [minute, 3 * day]),
        clockIsBehind: chance.pick([0, 0, second, hour, 40 * day]))
    case 16: .zone(chance.pick(zones))
    case 17: chance.pick([.switchLost, .switchFound])
    case 18...20: .contact(isClosed: chance.oneIn(2))
    case 21...24: Self.mute(&chance)
    case 25...26: chance.oneIn(4) ? .holdButton : .stopByHand
    case 27...30:
      .ask(ahead: chance.oneIn(2) ? nil : chance.between(300 * millisecond, 5 * second))
    case 31...33: .reload(chance.seed())
    case 34...41: Self.order(&chance, at)
    default: Self.speaker(&chance)
    }
  }

  private static func length(_ chance: inout Chance, _ most: [Int64]) -> Int64 {
    chance.between(millisecond, chance.pick(most))
  }

  private static func clock(_ chance: inout Chance) -> Incident.Kind {
    switch chance.below(9) {
    case 0...5:
      let reach = chance.pick([
        60 * millisecond, 500 * millisecond, 3 * second, 70 * second, 16 * minute, 2 * hour,
        26 * hour, 21 * day,
      ])
      return .step(chance.between(-reach, reach), byServer: chance.oneIn(2))
    case 6...7: return .synchronised
    default:
      guard chance.oneIn(2) else { return .synchronisationLost }
      let ahead = chance.pick([0, 0, second, 10 * second, 40 * second, hour, 300 * day])
      return .rtc(
        chance.pick([
          .none, .dead, .running(ahead: 0),
          .running(ahead: chance.between(-ahead, ahead)),
        ]))
    }
  }

  private static func mute(_ chance: inout Chance) -> Incident.Kind {
    switch chance.below(6) {
    case 0: .mute(.on)
    case 1...2: .mute(.next)
    case 3...4: .muteFor(length(&chance, [10 * second, hour, 2 * day]))
    default: .mute(.off)
    }
  }

  private static func speaker(_ chance: inout Chance) -> Incident.Kind {
    let span = length(&chance, [20 * second, hour, 5 * hour])
    return switch chance.below(5) {
    case 0: .slowToOpen(span, chance.between(300 * millisecond, 4500 * millisecond))
    case 1: .busy(chance.pick([span, chance.between(0, 20 * second)]))
    case 2...3: .speakerLost
    default: .longQueue(span, chance.between(200 * millisecond, 6 * second))
    }
  }
}

// MARK: Orders to timers, intervals and alarms

extension Plan {
  private static func order(_ chance: inout Chance, _ at: Int64) -> Incident.Kind {
    let alarm = chance.pick(["1", "2", "sun", "moon", "school"])
    return switch chance.below(10) {
    case 0...3: .reminder(timer(&chance))
    case 4: .interval(.start(interval(&chance), replaces: chance.oneIn(3)))
    case 5: .interval(.stop)
    case 6:
      .reminder(
        .set(AlarmPlan(&chance, name: chance.pick(["school", "sun", "moon"]), datedFrom: at)))
    case 7: .reminder(chance.pick([.snooze(nil), .stop(nil)]))
    case 8: .reminder(chance.pick([.cancel(.alarm, alarm), .skip(alarm)]))
    default: .press
    }
  }

  private static func timer(_ chance: inout Chance) -> ReminderOrder {
    let most = chance.pick([4 * second, minute, 20 * minute, 3 * hour, 3 * day])
    let span = Duration.nanoseconds(second + chance.between(0, most))
    let which = chance.pick(["1", "1", "2", "3", "tea"])
    return switch chance.below(10) {
    case 0...4: .start(span, name: chance.pick([nil, nil, "tea", "egg"]))
    case 5: .add(span, to: which)
    case 6: .pause(which)
    case 7: .resume(which)
    case 8: .tell(chance.pick([nil, which]))
    default: .cancel(.timer, which)
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

extension AlarmPlan {
  /// - Parameter elapsed: its date may be on one of the three days from there on; nil for no date.
  init(_ chance: inout Chance, name: String?, datedFrom elapsed: Int64? = nil) {
    let date = elapsed.map { Int((Simulation.beginning + $0) / day) + chance.below(3) }
    let days: AlarmDays =
      switch (chance.below(5), date) {
      case (0, _): .next
      case (1, let date?): .date(CivilDate(dayNumber: date))
      case (2, _): .weekly([chance.pick(Weekday.allCases), chance.pick(Weekday.allCases)])
      default: .weekly(Set(Weekday.allCases))
      }
    // Daylight saving begins and ends in these hours.
    let minute = chance.oneIn(3) ? chance.below(240) : chance.below(1440)
    let time = TimeOfDay(minutes: chance.oneIn(3) ? minute / 15 * 15 : minute)
    self.init(name: name, AlarmTimes(time: time, days: days))
    if chance.oneIn(4) { rise = AlarmRise(over: .seconds(chance.pick([5, 60, 300]))) }
    if chance.oneIn(4) { tune = chance.pick(Tune.simulated) }
  }
}

extension TimeOfDay {
  init(minutes: Int) { self.init(hour: minutes / 60, minute: minutes % 60)! }
}
