import Glibc
import Horology

/// A zone whose offset is any function of time: real zones do not change on demand.
struct TestZone: Zone {
  let name = "Test"
  /// Seconds ahead of UTC at a second since 1970.
  let offset: @Sendable (Int64) -> Int

  static let utc = TestZone { _ in 0 }

  static func fixed(minutes: Int) -> TestZone {
    TestZone { _ in minutes * 60 }
  }

  /// A zone whose offset in seconds changes at `change`, in seconds since 1970.
  static func changing(from before: Int, to after: Int, at change: Int64) -> TestZone {
    TestZone { $0 < change ? before : after }
  }

  func civil(at instant: Instant) -> CivilTime {
    let offset = offset(instant.seconds)
    var shown = time_t(instant.seconds + Int64(offset))
    var fields = tm()
    gmtime_r(&shown, &fields)
    return CivilTime(
      dateTime: CivilDateTime(
        shownYear: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1,
        day: Int(fields.tm_mday), hour: Int(fields.tm_hour), minute: Int(fields.tm_min),
        second: Int(fields.tm_sec)),
      weekday: Weekday(rawValue: Int(fields.tm_wday))!, utcOffsetSeconds: offset)
  }

  func instants(of time: CivilDateTime) -> [Instant] {
    let asUTC = Instant(showing: time).seconds
    let offsets = Set([-86_400, 0, 86_400].map { Int64(offset(asUTC + $0)) })
    return offsets.map { asUTC - $0 }.filter { $0 + Int64(offset($0)) == asUTC }.sorted()
      .map { Instant(seconds: $0) }
  }
}

extension Tune {
  /// A single note that comes `lead` before the hour.
  static func note(leading lead: Duration, rest: Duration = .zero) -> Tune {
    let part = Movement(
      melody: [Blow(bell: "E3", offset: .zero)], lead: lead, strikes: nil, rest: rest)
    return Tune(name: "test", description: "", movements: [0: part])
  }
}

extension Instant {
  /// The instant at which UTC shows `text`, as in `2026-11-21T15:15:00`.
  init(_ text: String) { self.init(showing: CivilDateTime(text: text)!) }

  /// The instant at which UTC shows `time`.
  init(showing time: CivilDateTime) {
    var fields = tm()
    fields.tm_year = Int32(time.year - 1900)
    fields.tm_mon = Int32(time.month - 1)
    fields.tm_mday = Int32(time.day)
    fields.tm_hour = Int32(time.hour)
    fields.tm_min = Int32(time.minute)
    fields.tm_sec = Int32(time.second)
    self.init(seconds: Int64(timegm(&fields)))
  }
}

extension Timing {
  static let exact = Timing(onsetError: .zero, worstError: .zero, underruns: 0)
}
