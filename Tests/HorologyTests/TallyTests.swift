import Testing

@testable import Horology

@Suite struct TallyTests {
  private let zone = TestZone.utc
  private let quarter = Interval.quarter

  private func tally(_ reports: [Report]) -> Tally {
    var tally = Tally(today: zone.civil(at: Instant("2026-11-21T10:00:00")))
    for report in reports { _ = tally.add(report, every: quarter) }
    return tally
  }

  private func occasion(_ text: String) -> Occasion {
    Schedule(interval: quarter, zone: zone).next(after: Instant(text) - .nanoseconds(1))
  }

  private func announced(_ text: String, off error: Duration = .zero) -> Report {
    let occasion = occasion(text)
    return .announced(
      Announcement(
        SoundingID(1), cause: .occasion(occasion), time: occasion.civil, anchor: occasion.instant),
      Timing(onsetError: .zero, worstError: error, underruns: 1))
  }

  private func skipped(_ first: String, _ last: String, _ reason: SkipReason) -> Report {
    .skipped(from: occasion(first), through: occasion(last), reason)
  }

  @Test("a day ends with the first occasion of the next, which is not its own") func days() throws {
    var tally = tally([announced("2026-11-21T23:30:00")])
    // An occasion in quiet hours is decided some seconds before its time: here, before midnight.
    let ended = tally.add(
      skipped("2026-11-22T00:00:00", "2026-11-22T00:00:00", .quietHours), every: quarter)
    let day = try #require(ended)
    #expect((day.date, day[.sounded], day[.skipped]) == ("2026-11-21", 1, 0))
    #expect((tally.date, tally.skipped) == ("2026-11-22", ["quiet_hours": 1]))
  }

  @Test("what was not heard is counted occasion by occasion, under its reason") func skips() {
    let day = tally([
      skipped("2026-11-21T10:15:00", "2026-11-21T11:15:00", .late(.seconds(4000))),
      skipped("2026-11-21T11:30:00", "2026-11-21T11:30:00", .switchOff),
      skipped("2026-11-21T11:45:00", "2026-11-21T11:45:00", .stopped(.switchOff)),
    ])
    #expect(day.skipped == ["late": 5, "switch_off": 2])
    #expect(day[.skipped] == 7)
  }

  @Test("the worst error is the one furthest from zero, either way") func worstError() {
    let day = tally(
      [("10:15", 200), ("10:30", -900), ("10:45", 100)].map { time, error in
        announced("2026-11-21T\(time):00", off: .microseconds(error))
      })
    #expect(day.worstError == .microseconds(-900))
    #expect(day[.underruns] == 3)
  }

  @Test("each report of a failure counts") func failures() {
    let occasion = occasion("2026-11-21T10:15:00")
    let day = tally([
      .retrying(occasion, "gone"), .skipped(from: occasion, through: occasion, .failed("gone")),
      skipped("2026-11-21T10:30:00", "2026-11-21T10:30:00", .failed("torn out")),
      .clockSet(by: .seconds(1)),
    ])
    #expect(day[.failures] == 3)
  }

  @Test("a day of which nothing is to be told is empty") func empty() {
    #expect(tally([.trust(.untrusted)]).isEmpty)
    #expect(!tally([announced("2026-11-21T10:15:00")]).isEmpty)
  }
}
