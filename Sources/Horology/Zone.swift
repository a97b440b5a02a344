/// A time zone: what its clocks show at an instant, and at which instants they show a time.
public protocol Zone {
  /// The name in the tz database, or the path of the zone file if the name is not known.
  var name: String { get }

  /// What the clocks of the zone show at `instant`.
  func civil(at instant: Instant) -> CivilTime

  /// The instants at which the clocks show `time`, in order. Usually there is one. There is none if
  /// clocks are put forward over it, and there are two if they are put back over it.
  func instants(of time: CivilDateTime) -> [Instant]
}
