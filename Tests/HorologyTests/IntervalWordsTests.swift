import TestSupport
import Testing

@testable import Horology

/// The words for the rounds of an interval.
@Suite struct IntervalWordsTests {
  private static let start = "2026-11-21T15:01:00"

  private static func plan(
    work: Int = 20, rest: Int = 10, count: Int? = 3, prepare: Int = 10, words: Bool = true
  ) -> IntervalPlan {
    .rounds(
      IntervalRounds(
        work: .seconds(work), rest: .seconds(rest), count: count, prepare: .seconds(prepare),
        saysWords: words))
  }

  private func desk(
    _ plan: IntervalPlan, _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) -> Desk {
    var desk = Desk(at: Self.start) {
      $0.saysTimers = true
      change(&$0)
    }
    desk.start(plan)
    return desk
  }

  /// The phrases said, and their anchors in milliseconds after the start of the interval.
  private func said(_ desk: inout Desk, for seconds: Int) -> [(best: TimerPhrase, at: Int64)] {
    let start = desk.announcer.interval!.start.shown
    return desk.live(for: .seconds(seconds)).announcements.compactMap { announcement in
      guard case .timer(let words) = announcement.cause else { return nil }
      return (words.phrases[0], (announcement.anchor - start).nanoseconds / 1_000_000)
    }
  }

  private func unsaid(_ desk: Desk) -> [String] {
    desk.reports.compactMap { if case .unsaid(let words, _) = $0 { words.subject } else { nil } }
  }

  @Test("each phase is said once its signal is over", .rule("interval-words")) func phases() {
    var desk = desk(Self.plan())
    let said = said(&desk, for: 120)
    let work = { TimerPhrase.both(.work, .round($0)) }
    #expect(
      said.map(\.best) == [
        .go, .half, .rest, work(2), .half, .rest, work(3), .half, .done,
      ])
    #expect(
      said.map(\.at) == [
        11_200, 20_700, 31_800, 41_200, 50_700, 61_800, 71_550, 80_700, 92_700,
      ])
  }

  @Test(
    "without rest the round alone is said, and signals are alone unless words are wanted",
    .rule("interval-words"))
  func others() {
    var endless = desk(Self.plan(rest: 0, count: nil, prepare: 0))
    #expect(
      said(&endless, for: 60).map(\.best) == [
        .go, .half, .round(2), .half, .round(3), .half,
      ])
    var silent = desk(Self.plan(words: false))
    #expect(said(&silent, for: 120).isEmpty)
    var configured = desk(Self.plan(words: false)) { $0.saysPhases = true }
    #expect(said(&configured, for: 120).count == 9)
    var plain = desk(.plain(every: .seconds(30))) { $0.saysPhases = true }
    #expect(said(&plain, for: 120).isEmpty)
  }

  @Test(
    "words must be over before the next signal, even if they begin late", .rule("interval-unsaid"))
  func room() {
    var desk = desk(Self.plan(work: 8, rest: 5, prepare: 0))
    let rooms = desk.live(for: .seconds(12)).announcements.map { $0.room! }
    // The room for "go" until the half at 4 s, and for "half" until the count at 5 s. "Rest", after
    // its signal at 8 s, has no room before the count at 10 s.
    #expect(rooms == [.milliseconds(2550), .milliseconds(50)])
    let rest = desk.live(for: .seconds(60)).announcements
    #expect(rest.last?.room == nil)
  }

  @Test(
    "a voice without words leaves the signals alone, and it is told once", .rule("interval-unsaid"))
  func noWords() {
    var desk = desk(Self.plan(count: 5, prepare: 0)) { $0.saysTimers = false }
    var told = unsaid(desk)
    for _ in 0..<300 {
      desk.wait(for: .milliseconds(500))
      told += unsaid(desk)
    }
    #expect(told.count == 1)
    #expect(desk.announcer.playing == nil)
  }

  @Test(
    "while something else is said they are left out, and not said later", .rule("interval-unsaid"))
  func busy() {
    var desk = desk(Self.plan(prepare: 0))
    desk.wait(for: .milliseconds(300))
    desk.tell(.asked(speakerIsAwake: true))
    let asked = desk.announcer.playing
    desk.wait(for: .seconds(1))
    #expect(desk.announcer.playing == asked)
    desk.wait(for: .milliseconds(300))
    #expect(
      unsaid(desk) == ["\"go\" for interval of 3 rounds, 20 s work and 10 s rest, with words"])
    desk.end(.finished(.exact))
    desk.wait(for: .milliseconds(100))
    #expect(desk.announcer.playing == nil)
  }

  @Test("whoever ends the interval ends what is said of it, and what was to be said")
  func stopped() {
    let ways: [Event] = [
      .interval(.stop), .pressed(speakerIsAwake: true), .stop(.byHand), .mute(.on),
      .switched(.off, at: Uptime(seconds: 1000)),
      .interval(.start(.plain(every: .seconds(30)), replaces: true)),
    ]
    for event in ways {
      var desk = desk(Self.plan(prepare: 0))
      desk.wait(for: .milliseconds(1300))
      desk.wait(for: .milliseconds(600))
      let words = desk.announcer.playing!
      desk.tell(event)
      #expect(desk.stopped.contains(words.id), "\(event)")
      #expect(desk.intervalEvents.contains { if case .stopped = $0 { true } else { false } })
      desk.end(.stopped(.byHand, silentAt: desk.now.uptime))
      desk.wait(for: .seconds(15))
      #expect(desk.announcer.playing == nil, "\(event)")
    }
  }
}
