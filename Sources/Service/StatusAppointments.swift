import Horology

extension Status {
  /// The alarms, timers and intervals that the service is to sound from an instant on.
  /// - Parameter rules: the same as for the occasions.
  public func appointments(
    _ rules: Rules, in zone: any Zone, from start: Instant
  ) -> Appointments {
    Appointments(of: alarms.map(\.alarm), timers, intervals, rules, in: zone, from: start)
  }
}
