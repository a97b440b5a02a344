/// A time zone: what its clocks show at an instant, and at which instants they show a time.
public protocol Zone {
  /// The name in the tz database, or what is known of it.
  var name: String { get }

  /// What the clocks of the zone show at `instant`.
  func civil(at instant: Instant) -> CivilTime

  /// The instants at which the clocks show `time`, in order: one as a rule, none where clocks
  /// are put forward over it, two where they are put back over it.
  func instants(of time: CivilDateTime) -> [Instant]
}
