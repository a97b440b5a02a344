import Testing

@testable import Horology

@Suite struct IntervalPlanTests {
  /// Every cue of a plan, in seconds, up to its end or `most` of them.
  private func cues(_ plan: IntervalPlan, most: Int = 1000) -> [(at: Double, signal: Signal)] {
    var cues: [(Double, Signal)] = []
    var next = plan.cue(atOrAfter: .zero)
    while let cue = next, cues.count < most {
      cues.append((cue.offset.inSeconds, cue.signal))
      next = plan.cue(atOrAfter: cue.offset + .nanoseconds(1))
    }
    return cues
  }

  private func text(_ plan: IntervalPlan) -> String {
    cues(plan).map { "\($0.at) \($0.signal.rawValue)" }.joined(separator: ", ")
  }

  private func rounds(
    _ work: Int, _ rest: Int, _ count: Int?, prepare: Int = 0, countdown: Int = 3
  ) -> IntervalPlan {
    .rounds(
      IntervalRounds(
        work: .seconds(work), rest: .seconds(rest), count: count, prepare: .seconds(prepare),
        countdown: countdown))
  }

  @Test("a plain interval sounds at once, and then by arithmetic") func plain() {
    let plan = IntervalPlan.plain(every: .milliseconds(1500))
    #expect(cues(plan, most: 3).map(\.at) == [0, 1.5, 3])
    #expect(cues(plan, most: 100).allSatisfy { $0.signal == .cue })
    // The ten millionth cue is as exact as the first.
    let far = Duration.milliseconds(1500) * 10_000_000
    #expect(plan.cue(atOrAfter: far)?.offset == far)
    #expect(plan.cue(atOrAfter: far - .nanoseconds(1))?.offset == far)
    #expect(plan.cue(atOrAfter: far + .nanoseconds(1))?.offset == far + .milliseconds(1500))
    #expect(plan.length == nil)
  }

  @Test("rounds: prepare, work, half, rest, the last, the end, and three, two, one before each")
  func wholeWorkout() {
    #expect(
      text(rounds(20, 10, 2, prepare: 5)) == """
        0.0 prepare, 2.0 count, 3.0 count, 4.0 count, \
        5.0 work, 15.0 half, 22.0 count, 23.0 count, 24.0 count, \
        25.0 rest, 32.0 count, 33.0 count, 34.0 count, \
        35.0 last, 45.0 half, 52.0 count, 53.0 count, 54.0 count, 55.0 end
        """)
    #expect(rounds(20, 10, 2, prepare: 5).length == .seconds(55))
  }

  @Test("without rest a round follows the other, and the end still comes") func withoutRest() {
    #expect(text(rounds(3, 0, 2, countdown: 0)) == "0.0 work, 3.0 last, 6.0 end")
    #expect(text(rounds(2, 1, 1, countdown: 0)) == "0.0 work, 2.0 end")
  }

  @Test("the countdown hides neither the half nor the signal that a phase begins with")
  func countdownGivesWay() {
    // The half is at 3 s, where the first count would be.
    #expect(text(rounds(6, 0, 1)) == "0.0 work, 3.0 half, 4.0 count, 5.0 count, 6.0 end")
    #expect(
      text(rounds(5, 2, 1)) == "0.0 work, 2.0 count, 2.5 half, 3.0 count, 4.0 count, 5.0 end")
    #expect(text(rounds(2, 0, 1)) == "0.0 work, 1.0 count, 2.0 end")
    #expect(text(rounds(1, 0, 1)) == "0.0 work, 1.0 end")
  }

  @Test("in words") func words() {
    #expect("\(IntervalPlan.plain(every: .seconds(90)))" == "1 min 30 s")
    #expect("\(rounds(20, 10, 8))" == "8 rounds, 20 s work and 10 s rest")
    #expect("\(rounds(60, 0, 1))" == "1 round, 1 min work")
    #expect("\(rounds(60, 0, nil))" == "rounds without end, 1 min work")
    for (countdown, words) in [(0, ", without a countdown"), (1, ", counting down 1 s"), (3, "")] {
      let plan = IntervalPlan.rounds(
        IntervalRounds(work: .seconds(20), count: 2, countdown: countdown))
      #expect("\(plan)" == "2 rounds, 20 s work\(words)")
    }
  }
}
