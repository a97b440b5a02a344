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

  @Test("each phase is said once its signal is over") func phases() {
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

  @Test("without rest the round alone is said, and signals are alone unless words are wanted")
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

  @Test("words must be over before the next signal, even if they begin late") func room() {
    var desk = desk(Self.plan(work: 8, rest: 5, prepare: 0))
    let rooms = desk.live(for: .seconds(12)).announcements.map { $0.room! }
    // The room for "go" until the half at 4 s, and for "half" until the count at 5 s. "Rest", after
    // its signal at 8 s, has no room before the count at 10 s.
    #expect(rooms == [.milliseconds(2550), .milliseconds(50)])
    let rest = desk.live(for: .seconds(60)).announcements
    #expect(rest.last?.room == nil)
  }
}
