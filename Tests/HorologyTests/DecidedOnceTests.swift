import Testing

@testable import Horology

/// A fault that clocksmith-simulate found: an occasion that sounded was reported as skipped.
@Suite struct DecidedOnceTests {
  @Test("set back a little and then far ahead, what has sounded is not told as skipped")
  func setBackThenFarAhead() throws {
    var desk = Desk(at: "2026-11-21T15:10:00")
    desk.wait(until: "2026-11-21T15:14:55")
    desk.wait(until: "2026-11-21T15:15:02")
    desk.end(.finished(.exact))
    desk.step(by: .seconds(-240))
    desk.step(by: .seconds(5 * 3600))
    let skipped = try #require(desk.skips.first)
    #expect(skipped.first == Instant("2026-11-21T15:30:00"))
  }
}
