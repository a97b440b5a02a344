import Horology

extension OracleRules {
  /// Rings at a local time on its days.
  struct Alarm: Hashable {
    var name: String?
    var minuteOfDay: Int
    var days: Days
    /// The volume at the beginning, in dB from full (at most 0), and the time until it is full.
    var rise: Rise?
    var tune: Melody?

    enum Days: Hashable {
      /// By number, Sunday 0.
      case weekly(Set<Int>)
      /// Once, the next time.
      case next
      /// Once, this many days after 1 January 1970.
      case date(Int64)
    }

    struct Rise: Hashable {
      let from: Double
      let length: Int64

      func decibels(after span: Int64) -> Double {
        from * (1 - min(max(Double(span) / Double(length), 0), 1))
      }
    }

    var isWeekly: Bool { if case .weekly = days { true } else { false } }

    /// The same alarm, with a date that counts from today.
    func dated(_ today: Int64) -> Alarm {
      var alarm = self
      if case .date(let days) = days { alarm.days = .date(today + days) }
      return alarm
    }

    /// The alarm as the product takes it.
    var plan: AlarmPlan {
      let days: AlarmDays =
        switch days {
        case .weekly(let days): .weekly(Set(days.map { Weekday(rawValue: $0)! }))
        case .next: .next
        case .date(let day): try! AlarmDays(date: String((day * 24 * hour).utcText.prefix(10)))
        }
      let time = TimeOfDay(hour: minuteOfDay / 60, minute: minuteOfDay % 60)!
      var plan = AlarmPlan(name: name, AlarmTimes(time: time, days: days))
      plan.tune = tune?.tune
      plan.rise = rise.flatMap { AlarmRise(from: $0.from, over: .nanoseconds($0.length)) }
      return plan
    }
  }
}

extension OracleRules.Melody {
  /// The time from the first blow to the last, when an alarm rings with it.
  func length(_ time: OracleFace.Reading) -> Int64 {
    let quarter = time.minuteOfDay % 15 == 0 ? parts[time.minuteOfDay % 60 / 15] : nil
    guard let part = quarter ?? parts.min(by: { $0.key < $1.key })?.value else { return 0 }
    let blows = part.blows(time)
    return (blows.last ?? 0) - (blows.first ?? 0)
  }
}
