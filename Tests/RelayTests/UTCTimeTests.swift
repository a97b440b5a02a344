import Testing

@testable import Relay

@Suite struct UTCTimeTests {
  @Test(
    "an instant is read and written as ISO 8601, also with the offset of a zone",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-22T15:00:00Z", 1_795_359_600_000_000),
      ("2028-02-29T23:59:59.25Z", 1_835_481_599_250_000),
      ("2199-12-31T23:59:59Z", 7_258_118_399_000_000),
      // As Home Assistant's templates write them.
      ("2026-11-22T15:00:00+00:00", 1_795_359_600_000_000),
      ("2026-11-22T16:30:00.123456+01:30", 1_795_359_600_123_456),
      ("2026-11-22T10:00:00-05:00", 1_795_359_600_000_000),
    ]) func text(_ text: String, _ microseconds: Int64)
  {
    #expect(UTCTime(text: text)?.microseconds == microseconds)
    let written = UTCTime(microseconds: microseconds).text
    #expect(UTCTime(text: written)?.microseconds == microseconds)
  }

  @Test(
    "anything else is no instant",
    arguments: [
      "", "Z", "2026-11-22", "2026-11-22T15:00:00", "2026-11-22T15:00:00 +01:00",
      "2026-11-22T15:00:00+1:00", "2026-11-22T15:00:00+01:00x", "1970-01-01T00:30:00+01:00",
      "2026-02-30T00:00:00Z", "2026-11-22T24:00:00Z", "2026-11-22T15:60:00Z",
      "2026-11-22T15:00:60Z", "1969-12-31T23:59:59Z", "2226-11-22T15:00:00Z",
      "2026-11-22T15:00:00.Z", "2026-11-22T15:00:00.1234567890Z", " 2026-11-22T15:00:0Z",
      "2026-11-22T15:00:00Z\0x",
    ]) func noInstant(_ text: String)
  {
    #expect(UTCTime(text: text) == nil)
  }

  @Test("seconds since 1970 are an instant within two centuries") func seconds() {
    #expect(UTCTime(seconds: 1.5)?.microseconds == 1_500_000)
    for wrong in [-1, 7_258_118_401, .infinity, .nan, 1e300] {
      #expect(UTCTime(seconds: wrong) == nil)
    }
  }
}

@Suite struct BackOffTests {
  @Test("each wait is about twice the last, up to a minute") func doubles() {
    var backOff = BackOff(seed: 1)
    let waits = (0..<10).map { _ in backOff.wait() }
    for (wait, middle) in zip(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]) {
      #expect(wait >= .seconds(middle) * 3 / 4 && wait <= .seconds(middle) * 5 / 4)
    }
    backOff.reset()
    #expect(backOff.wait() < .seconds(2))
  }
}
