import Testing

@testable import Horology

@Suite struct TallyTests {
  private let zone = TestZone.utc
  private let quarter = Interval.quarter

  private func tally(from start: String) -> Tally {
    Tally(
      today: zone.civil(at: Instant(start)), trust: .synchronised, at: Uptime(seconds: 0))
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
    var tally = tally(from: "2026-11-21T23:00:00")
    let uptime = Uptime(seconds: 3600)
    let none = tally.add(announced("2026-11-21T23:30:00"), every: quarter, at: uptime)
    #expect(none == nil)
    // An occasion in quiet hours is decided some seconds before its time: here, before midnight.
    let ended = tally.add(
      skipped("2026-11-22T00:00:00", "2026-11-22T00:00:00", .quietHours), every: quarter,
      at: uptime)
    let day = try #require(ended)
    #expect(day.date == "2026-11-21")
    #expect(day[.sounded] == 1 && day[.skipped] == 0)
    #expect(day.trusts == [.synchronised: .seconds(3600)])
    let next = tally.end(at: uptime)
    #expect(next.date == "2026-11-22")
    #expect(next.skipped == ["quiet_hours": 1])
  }

  @Test("what was not heard is counted occasion by occasion, under its reason") func skips() {
    var tally = tally(from: "2026-11-21T10:00:00")
    for report in [
      skipped("2026-11-21T10:15:00", "2026-11-21T11:15:00", .late(.seconds(4000))),
      skipped("2026-11-21T11:30:00", "2026-11-21T11:30:00", .switchOff),
      skipped("2026-11-21T11:45:00", "2026-11-21T11:45:00", .stopped(.switchOff)),
    ] {
      _ = tally.add(report, every: quarter, at: Uptime(seconds: 1))
    }
    let day = tally.end(at: Uptime(seconds: 1))
    #expect(day.skipped == ["late": 5, "switch_off": 2])
    #expect(day[.skipped] == 7)
  }

  @Test("the worst error is the one furthest from zero, either way") func worstError() {
    var tally = tally(from: "2026-11-21T10:00:00")
    for (time, error) in [("10:15", 200), ("10:30", -900), ("10:45", 100)] {
      _ = tally.add(
        announced("2026-11-21T\(time):00", off: .microseconds(error)), every: quarter,
        at: Uptime(seconds: 1))
    }
    let day = tally.end(at: Uptime(seconds: 1))
    #expect(day.worstError == .microseconds(-900))
    #expect(day[.underruns] == 3)
  }

  @Test("each report of a failure counts") func failures() {
    var tally = tally(from: "2026-11-21T10:00:00")
    let occasion = occasion("2026-11-21T10:15:00")
    for report in [
      .retrying(occasion, "gone"), .skipped(from: occasion, through: occasion, .failed("gone")),
      skipped("2026-11-21T10:30:00", "2026-11-21T10:30:00", .failed("torn out")),
      .switched(.lost("gone")), .clockSet(by: .seconds(1)),
    ] {
      _ = tally.add(report, every: quarter, at: Uptime(seconds: 1))
    }
    let day = tally.end(at: Uptime(seconds: 1))
    #expect(day[.failures] == 3 && day[.switchLosses] == 1 && day[.clockSteps] == 1)
  }

  @Test("how long the clock was trusted how far adds up to the day") func trusts() {
    var tally = tally(from: "2026-11-21T10:00:00")
    for (seconds, trust) in [(100, ClockTrust.holdover), (300, .untrusted), (600, .holdover)] {
      _ = tally.add(.trust(trust), every: quarter, at: Uptime(seconds: Int64(seconds)))
    }
    let day = tally.end(at: Uptime(seconds: 1000))
    #expect(
      day.trusts
        == [.synchronised: .seconds(100), .holdover: .seconds(600), .untrusted: .seconds(300)])
  }

  @Test("a day of which nothing is to be told is empty") func empty() {
    var tally = tally(from: "2026-11-21T10:00:00")
    let quiet = tally.end(at: Uptime(seconds: 60))
    #expect(quiet.isEmpty)
    _ = tally.add(announced("2026-11-21T10:15:00"), every: quarter, at: Uptime(seconds: 61))
    let day = tally.end(at: Uptime(seconds: 61))
    #expect(!day.isEmpty)
  }
}
