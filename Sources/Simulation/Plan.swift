import Horology

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
    var from = Int64(number) * Self.chapter
    let end = from + Self.chapter
    while true {
      from += chance.between(second, spacing)
      guard from < end else { return incidents.sorted { $0.at < $1.at } }
      var at = chance.oneIn(3) ? from : Self.nearQuarter(from, &chance)
      var kind = kind(&chance, at)
      func happens(_ next: Incident.Kind, within span: Int64) {
        at += kind.length + chance.between(0, span)
        kind = next
        incidents.append(Incident(at: at, kind: kind))
      }
      incidents.append(Incident(at: at, kind: kind))
      while chance.oneIn(3) {
        let next = self.kind(&chance, at)
        happens(next, within: chance.pick([20 * millisecond, second, 10 * second, 15 * minute]))
      }
      // Most incidents that last are soon undone.
      while let remedy = Self.remedy(of: kind), !chance.oneIn(4) {
        happens(remedy, within: chance.pick([second, hour]))
      }
    }
  }

  /// Near the next quarter of an hour. Every history begins at one.
  private static func nearQuarter(_ at: Int64, _ chance: inout Chance) -> Int64 {
    let reach = chance.pick([second, 8 * second, 30 * second, 100 * second])
    let quarter = 15 * minute
    return (at / quarter + 1) * quarter + chance.between(-reach, reach / 2)
  }

  private static func remedy(of kind: Incident.Kind) -> Incident.Kind? {
    switch kind {
    case .contact(.off), .contact(.lost): .contact(.on)
    case .order(.mute(.on)): .order(.mute(.off))
    case .order(.interval(.start)): .order(.interval(.stop))
    case .synchronisationLost: .synchronised
    case .step(let by) where abs(by) > 2 * second: .synchronised
    case .powerCut(_, let ahead, _) where abs(ahead) > second: .synchronised
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
        Self.length(&chance, [minute, hour, hour, 3 * day]),
        clockIsAhead: chance.pick([0, 0, 10 * second, -second, -hour, -40 * day]),
        hasRTC: chance.oneIn(2))
    case 16: .zone(chance.pick(zones))
    case 17...20: .contact(chance.pick([.on, .off, .off, .lost("gone")]))
    case 21: .order(.mute(chance.pick([.on, .next, .next, .off])))
    case 22...23: .muteFor(Self.length(&chance, [10 * second, hour, 2 * day]))
    case 24...25: .order(.stop(.byHand))
    case 26...29:
      .ask(ahead: chance.oneIn(2) ? nil : chance.between(300 * millisecond, 5 * second))
    case 30...32: .reload(UInt64(chance.below(1 << 40)))
    case 33...40: .order(Self.order(&chance, at))
    default: Self.speaker(&chance)
    }
  }

  private static func length(_ chance: inout Chance, _ most: [Int64]) -> Int64 {
    chance.between(millisecond, chance.pick(most))
  }

  private static func clock(_ chance: inout Chance) -> Incident.Kind {
    let reach = chance.pick([
      60 * millisecond, 500 * millisecond, 3 * second, 70 * second, 16 * minute, 2 * hour,
      26 * hour, 21 * day,
    ])
    return switch chance.below(8) {
    case 0...4: .step(chance.between(-reach, reach))
    case 5...6: .synchronised
    default: .synchronisationLost
    }
  }

  private static func speaker(_ chance: inout Chance) -> Incident.Kind {
    let span = length(&chance, [20 * second, hour, 5 * hour])
    return switch chance.below(4) {
    case 0: .slowToOpen(span, chance.between(300 * millisecond, 4500 * millisecond))
    case 1: .busy(chance.pick([span, chance.between(0, 20 * second)]))
    default: .speakerLost
    }
  }
}

extension Incident.Kind {
  /// How long nothing else can happen.
  fileprivate var length: Int64 {
    switch self {
    case .sleep(let span), .powerCut(let span, _, _): span
    default: 0
    }
  }
}

// MARK: Orders to timers, intervals and alarms

extension Plan {
  private static func order(_ chance: inout Chance, _ at: Int64) -> Event {
    let alarm = chance.pick(["1", "2", "sun", "moon", "school"])
    return switch chance.below(10) {
    case 0...3: .reminder(timer(&chance))
    case 4: .interval(.start(interval(&chance), replaces: chance.oneIn(3)))
    case 5: .interval(.stop)
    case 6:
      .reminder(
        .set(
          AlarmPlan(&chance, name: chance.pick(["school", "sun", "moon"]), datedFrom: at),
          replaces: chance.oneIn(4) ? alarm : nil))
    case 7: .reminder(chance.pick([.snooze(nil), .stop(.alarm, nil)]))
    case 8:
      .reminder(
        chance.pick([
          .cancel(.alarm, alarm), .skip(alarm), .unskip(alarm), .turn(alarm, on: false),
          .turn(alarm, on: true),
        ]))
    default: .pressed(speakerIsAwake: chance.oneIn(2))
    }
  }

  private static func timer(_ chance: inout Chance) -> ReminderOrder {
    let most = chance.pick([4 * second, minute, 20 * minute, 3 * hour, 3 * day])
    let span = Duration.nanoseconds(second + chance.between(0, most))
    let which = chance.pick(["1", "1", "2", "3", "tea"])
    return switch chance.below(10) {
    case 0...4: .start(TimerPlan(span, name: chance.pick([nil, nil, "tea", "egg"])))
    case 5: .add(span, to: which)
    case 6: .pause(which)
    case 7: .resume(which)
    case 8: .tell(chance.pick([nil, which]))
    default: chance.oneIn(4) ? .stop(.timer, nil) : .cancel(.timer, which)
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
  /// - Parameter elapsed: it may ring once, next or on one of the three days from there on; nil for an
  ///   alarm of the configuration, which comes every week.
  init(_ chance: inout Chance, name: String?, datedFrom elapsed: Int64? = nil) {
    let date = elapsed.map { Int((Simulation.beginning + $0) / day) + chance.below(3) }
    let days: AlarmDays =
      switch (chance.below(5), date) {
      case (0, _?): .next
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
