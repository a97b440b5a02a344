import Testing

@testable import Horology

@Suite struct IntervalRunTests {
  private static let now = Now("2026-11-21T15:00:00", running: .seconds(100))

  private static func timer(_ plan: IntervalPlan) -> IntervalTimer {
    IntervalTimer(plan, start: TimedMoment(.zero, after: now))
  }

  @Test("it is told once that words of an interval are left out, and again of the next one")
  func wordsLeftOut() {
    var run = IntervalRun(nil)
    for _ in 1...2 {
      run.begin(Self.timer(.plain(every: .seconds(5))))
      var told = [run.leavesWordsOut(), run.leavesWordsOut()]
      let stopped = [run.stop(), run.stop()]
      #expect(stopped.map { $0 == nil } == [false, true])
      // Its last words follow its end.
      told.append(run.leavesWordsOut())
      #expect(told == [true, false, false])
    }
  }

  @Test("an interval is over when its last round is") func isOver() {
    let plan = IntervalPlan.rounds(IntervalRounds(work: .seconds(5), count: 2))
    var run = IntervalRun(Self.timer(plan))
    let early = run.removeOver(at: Self.now.later(by: .milliseconds(9999)))
    #expect(early == nil)
    let over = run.removeOver(at: Self.now.later(by: .seconds(12)))
    #expect(over?.late == .seconds(2))
    #expect(run.timer == nil)
  }

  #if compiler(>=6.2)
    @Test("there are never two intervals") func oneAtATime() async {
      await #expect(processExitsWith: .failure) {
        var run = IntervalRun(IntervalRunTests.timer(.plain(every: .seconds(5))))
        run.begin(IntervalRunTests.timer(.plain(every: .seconds(5))))
      }
    }
  #endif
}
