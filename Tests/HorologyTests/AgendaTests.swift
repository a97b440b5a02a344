import Horology
import TestSupport
import Testing

@Suite struct AgendaTests {
  private func outlooks(
    from start: String, _ count: Int, lasting length: Duration = .zero,
    mute: (SoftwareMute, at: Instant) = (.off, at: Instant(seconds: 0)),
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) -> [Outlook] {
    var settings = AnnouncerSettings()
    change(&settings)
    let start = Instant(start)
    let agenda = Agenda(settings, zone: TestZone.utc, from: start, mute: mute) { announcement in
      announcement.programme.blows.isEmpty ? .seconds(2) : length
    }
    return Array(agenda.prefix(count))
  }

  /// A melody of 20 s that leads to the hour.
  private static let chime = Tune.note(leading: .seconds(20))

  @Test("what finds the chime before it still sounding is not promised") func busy() {
    for (start, count) in [("2026-11-21T11:59:00", 4), ("2026-11-21T12:00:30", 2)] {
      let found = outlooks(from: start, count, lasting: .seconds(75)) {
        $0.interval = Interval(minutes: 1)!
        $0.chime = Self.chime
      }
      #expect(found.suffix(2).map(\.occasion.civil.minute) == [1, 2])
      #expect(found.suffix(2).map(\.refusal) == [.busy, nil])
    }
  }

  @Test(
    "what is muted is not promised, from the moment on at which it is",
    .rule("silence-foretold", "muted-announcements"),
    arguments: [
      (SoftwareMute.next, "12:07:00", [15]), (.next, "12:14:57", [15]), (.next, "12:15:01", [30]),
      (.until(Instant("2026-11-21T12:40:00")), "12:07:00", [15, 30]),
      (.on, "12:07:00", [15, 30, 45]),
    ])
  func muted(mute: SoftwareMute, from: String, silent: [Int]) {
    let found = outlooks(
      from: "2026-11-21T11:50:00", 4, mute: (mute, at: Instant("2026-11-21T\(from)")))
    #expect(found.map(\.occasion.civil.minute) == [0, 15, 30, 45])
    #expect(found.filter { $0.refusal == .muted }.map(\.occasion.civil.minute) == silent)
  }

  @Test("a chime for which there is no time is told as words alone") func shortened() {
    // Each chime ends 10 s before the next hour: too late for a melody of 20 s before it.
    let found = outlooks(from: "2026-11-21T12:00:00", 4, lasting: .seconds(3590)) {
      $0.interval = Interval(minutes: 60)!
      $0.chime = Self.chime
    }
    #expect(found.allSatisfy { $0.refusal == nil })
    let chimes = found.map { $0.tune != nil }
    #expect(zip(chimes, chimes.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test(
    "what is quiet is listed with its reason",
    .rule("silence-foretold", "quiet-announcements", "quiet-bounds"))
  func quiet() throws {
    let quiet = try QuietHours(text: "22:00-07:00")
    let found = outlooks(from: "2026-11-21T21:45:00", 3) { $0.quiet = quiet }
    #expect(found.map(\.refusal) == [nil, .quietHours, .quietHours])
  }
}
