import Horology

/// UTC, which has no seasons, whatever the zone of the process.
public struct UTCZone: Zone, Sendable {
  public let name = "UTC"

  public init() {}

  public func civil(at instant: Instant) -> CivilTime {
    CivilTime(at: instant, utcOffsetSeconds: 0)
  }

  public func instants(of time: CivilDateTime) -> [Instant] { [Instant(utc: time)] }
}
