import Devices
import Glibc
import Horology

/// UTC, which has no seasons, whatever the zone of the process.
public struct UTCZone: Zone, Sendable {
  public let name = "UTC"

  public init() {}

  public func civil(at instant: Instant) -> CivilTime { SystemZone.utc(at: instant) }

  public func instants(of time: CivilDateTime) -> [Instant] {
    var fields = tm()
    fields.tm_year = Int32(time.year - 1900)
    fields.tm_mon = Int32(time.month - 1)
    fields.tm_mday = Int32(time.day)
    fields.tm_hour = Int32(time.hour)
    fields.tm_min = Int32(time.minute)
    fields.tm_sec = Int32(time.second)
    return [Instant(seconds: Int64(timegm(&fields)))]
  }
}
