import Testing

@testable import Horology

@Suite struct InstantTextTests {
  @Test(
    "an instant is read and written as RFC 3339, also with the offset of a zone",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-22T15:00:00Z", 1_795_359_600_000_000),
      ("2028-02-29T23:59:59.25Z", 1_835_481_599_250_000),
      ("2200-12-31T23:59:59Z", 7_289_654_399_000_000),
      ("2026-11-22t15:00:00.1234567890z", 1_795_359_600_123_456),
      // As Home Assistant's templates write them.
      ("2026-11-22T15:00:00+00:00", 1_795_359_600_000_000),
      ("2026-11-22T16:30:00.123456+01:30", 1_795_359_600_123_456),
      ("2026-11-22T10:00:00-05:00", 1_795_359_600_000_000),
      ("2026-11-22T10:00:00−05:00", 1_795_359_600_000_000),
      // As date --rfc-3339, date %z, Python and ISO 8601 do.
      ("2026-11-22 15:00:00+00:00", 1_795_359_600_000_000),
      ("2026-11-22 16:00:00 +0100", 1_795_359_600_000_000),
      ("2026-11-22T16:00:00+01", 1_795_359_600_000_000),
      ("2026-11-22T15:00:00,25Z", 1_795_359_600_250_000),
    ]) func text(_ text: String, _ microseconds: Int64)
  {
    #expect(Instant(rfc3339: text)?.microseconds == microseconds)
    let written = Instant(microseconds: microseconds).rfc3339
    #expect(Instant(rfc3339: written)?.microseconds == microseconds)
  }

  @Test(
    "anything else is no instant",
    arguments: [
      "", "Z", "2026-11-22", "2026-11-22T15:00:00", "2026-11-22T15:00:00 +1:00",
      "2026-11-22T15:00:00+1:00", "2026-11-22T15:00:00+01000", "2026-11-22T15:00:00+1",
      "2026-11-22T15:00:00+01:00x",
      "1970-01-01T00:30:00+01:00", "2026-02-30T00:00:00Z", "2026-11-22T24:00:00Z",
      "2026-11-22T15:60:00Z", "2026-11-22T15:00:60Z", "1969-12-31T23:59:59Z",
      "2201-01-01T00:00:00Z", "2226-11-22T15:00:00Z", "2026-11-22T15:00:00.Z",
      " 2026-11-22T15:00:0Z",
      "2026-11-22T15:00:00Z\0x",
    ]) func noInstant(_ text: String)
  {
    #expect(Instant(rfc3339: text) == nil)
  }

  @Test("a date, an instant, an alarm and an RTC know the same years") func years() throws {
    let end = Instant("2200-12-31T23:59:59")
    #expect(Instant.allowed == Instant(seconds: 0)...end)
    #expect(CivilDate(text: "2200-12-31") != nil && CivilDate(text: "2201-01-01") == nil)
    let days = try AlarmDays(text: "2200-12-31")
    let alarm = AlarmTimes(time: try TimeOfDay(text: "23:59"), days: days)
    let before = end - .seconds(86_400)
    #expect(alarm.nextRing(after: before, in: TestZone.utc) == end - .seconds(59))
    let past = end + .seconds(1)
    for (shown, fault) in [(end, nil), (past, RTCFault.implausible(past))] {
      let reading = RTCReading(
        name: "rtc", moment: Now("2026-11-22T10:00:00", running: .zero), answer: .time(shown),
        flags: nil)
      #expect(RTCJudgement(reading, after: nil).fault == fault)
    }
  }

  @Test("an instant that is not allowed becomes the nearest that is") func allowed() {
    #expect(Instant(microseconds: -1) == Instant.allowed.lowerBound)
    #expect(Instant(microseconds: .max) == Instant.allowed.upperBound)
    #expect(Instant(nanoseconds: .max).rfc3339 == "2200-12-31T23:59:59Z")
  }
}
