import Horology
import Testing

@Suite struct AgendaTests {
  private func entries(
    from start: String, _ count: Int, lasting length: Duration,
    _ change: (inout AnnouncerSettings) -> Void
  ) -> [Agenda.Entry] {
    var settings = AnnouncerSettings()
    change(&settings)
    let agenda = Agenda(settings, zone: TestZone.utc, from: Instant(start)) { announcement in
      announcement.programme.blows.isEmpty ? .seconds(2) : length
    }
    return Array(agenda.prefix(count))
  }

  /// A melody of 20 s that leads to the hour.
  private static let chime = Tune.note(leading: .seconds(20))

  private func sounds(_ entry: Agenda.Entry) -> Bool {
    if case .sounds = entry.fate { true } else { false }
  }

  @Test("what finds the chime before it still sounding is not promised") func busy() {
    let found = entries(from: "2026-11-21T11:59:00", 4, lasting: .seconds(75)) {
      $0.interval = Interval(minutes: 1)!
      $0.chime = Self.chime
    }
    #expect(found.map { $0.occasion.civil.minute } == [59, 0, 1, 2])
    #expect(found.map(sounds) == [true, true, false, true])
    #expect(found[2].fate == .skipped(.busy))
  }

  @Test("a moment at which something sounds already is no fresh start") func begunBefore() {
    let found = entries(from: "2026-11-21T12:00:30", 1, lasting: .seconds(75)) {
      $0.interval = Interval(minutes: 1)!
      $0.chime = Self.chime
    }
    #expect(found.first?.fate == .skipped(.busy))
  }

  @Test(
    "what is muted is not promised, from the moment on at which it is",
    arguments: [
      (SoftwareMute.next, "12:07:00", [15]), (.next, "12:14:57", [15]), (.next, "12:15:01", [30]),
      (.until(Instant("2026-11-21T12:40:00")), "12:07:00", [15, 30]),
      (.on, "12:07:00", [15, 30, 45]),
    ])
  func muted(mute: SoftwareMute, from: String, silent: [Int]) {
    let from = Instant("2026-11-21T\(from)")
    let agenda = Agenda(
      AnnouncerSettings(), zone: TestZone.utc, from: Instant("2026-11-21T11:50:00"),
      mute: (mute, from)
    ) { _ in .seconds(2) }
    let found = agenda.prefix { $0.occasion.civil.hour < 13 }
    #expect(found.map(\.occasion.civil.minute) == [0, 15, 30, 45])
    #expect(found.filter { !sounds($0) }.map(\.occasion.civil.minute) == silent)
  }

  @Test("a chime for which there is no time is told as words alone") func shortened() {
    // Each chime ends 10 s before the next hour: too late for a melody of 20 s before it.
    let found = entries(from: "2026-11-21T12:00:00", 4, lasting: .seconds(3590)) {
      $0.interval = Interval(minutes: 60)!
      $0.chime = Self.chime
    }
    let isShortened = found.map { entry in
      if case .sounds(let announcement) = entry.fate { announcement.isShortened } else { false }
    }
    #expect(found.allSatisfy(sounds))
    #expect(found.map { $0.outlook.tune == nil } == isShortened)
    #expect(zip(isShortened, isShortened.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test("the first moment belongs to it, with its melody") func fromTheFirst() {
    let found = entries(from: "2026-11-21T12:00:00", 1, lasting: .seconds(30)) {
      $0.chime = Self.chime
    }
    guard case .sounds(let announcement)? = found.first?.fate else {
      Issue.record("\(found)")
      return
    }
    #expect(announcement.anchor == Instant("2026-11-21T12:00:00"))
    #expect(announcement.programme.blows.count == 1)
  }

  @Test("what is quiet is listed with its reason") func quiet() throws {
    let quiet = try QuietHours(text: "22:00-07:00")
    let found = entries(from: "2026-11-21T21:45:00", 3, lasting: .zero) { $0.quiet = quiet }
    #expect(found.map(sounds) == [true, false, false])
    #expect(found[1].fate == .skipped(.quietHours))
    #expect(found.map(\.outlook.refusal) == [nil, .quietHours, .quietHours])
  }
}
