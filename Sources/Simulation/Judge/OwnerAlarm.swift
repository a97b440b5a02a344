import Horology

extension OwnerRules {
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

      static let daily = Days.weekly([0, 1, 2, 3, 4, 5, 6])
    }

    struct Rise: Hashable {
      let from: Double
      let length: Int64
    }

    var isWeekly: Bool { if case .weekly = days { true } else { false } }

    /// The same alarm, with a date that counts from today.
    func dated(_ today: Int64) -> Alarm {
      var alarm = self
      if case .date(let days) = days { alarm.days = .date(today + days) }
      return alarm
    }
  }
}
