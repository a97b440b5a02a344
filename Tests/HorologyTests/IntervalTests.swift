import TestSupport
import Testing

@testable import Horology

@Suite struct IntervalTests {
  private static let start = "2026-11-21T15:01:00"
  private static let workout = IntervalPlan.rounds(
    IntervalRounds(
      work: .seconds(20), rest: .seconds(10), count: 8, prepare: .seconds(10), countdown: 3))

  @Test(
    "started once more it goes on undisturbed; another is refused, or takes its place",
    .rule("one-interval"))
  func startedAgain() {
    var desk = Desk(at: Self.start)
    desk.start(.plain(every: .seconds(30)))
    let first = desk.announcer.interval
    _ = desk.live(for: .seconds(50))
    desk.start(.plain(every: .seconds(30)))
    #expect(desk.intervalEvents == [.wentOn])
    #expect(desk.announcer.interval == first)
    #expect(desk.stopped.isEmpty)
    desk.start(Self.workout)
    #expect(desk.orderRefusal == .runs(first!))
    #expect(desk.announcer.interval == first)
    desk.tell(.interval(.start(Self.workout, replaces: true)))
    #expect(desk.intervalEvents == [.stopped(.replaced), .started])
    #expect(desk.announcer.interval?.plan == Self.workout)
    #expect(desk.cues.first?.signal == .prepare)
  }

  @Test(
    "what the player holds of it is stopped at once, by whoever stops it",
    .rule("mute-stops", "switch-stops"))
  func stopped() {
    let ways: [(Event, StopReason)] = [
      (.interval(.stop), .byHand), (.pressed(speakerIsAwake: true), .byHand),
      (.stop(.byHand), .byHand), (.mute(.on), .muted),
      (.switched(.off, at: Uptime(seconds: 1000)), .switchOff),
    ]
    for (event, reason) in ways {
      var desk = Desk(at: Self.start)
      desk.start(.plain(every: .seconds(1)))
      let begun = desk.cues
      let cues = desk.live(for: .seconds(3)).cues
      desk.tell(event)
      #expect(desk.intervalEvents == [.stopped(reason)])
      // Cues that began at once never end in this test. The others end after 2 s.
      let held = begun + cues.filter { $0.anchor + .seconds(2) > desk.now.sinceBoot }
      #expect(Set(desk.stopped) == Set(held.map(\.id)))
      guard case .stop = desk.effects.first else {
        Issue.record("silence is not first")
        continue
      }
      #expect(desk.live(for: .seconds(60)).cues.isEmpty)
    }
  }

  @Test("what rings is stopped first, and the interval by the next stop or press")
  func oneAfterTheOther() {
    for event in [Event.stop(.byHand), .pressed(speakerIsAwake: true)] {
      var desk = Desk(at: Self.start)
      desk.start(.seconds(5))
      desk.start(.plain(every: .seconds(2)))
      _ = desk.live(for: .seconds(6))
      desk.tell(event)
      #expect(desk.timerEvents == [.stopped(.byHand)])
      #expect(desk.intervalEvents.isEmpty)
      desk.tell(event)
      #expect(desk.intervalEvents == [.stopped(.byHand)])
    }
  }

  @Test(
    "nobody would hear it: it is not started; timers and intervals are let through if wanted",
    .rule("switch-refuses", "switch-reminders"))
  func switchOff() {
    var desk = Desk(at: Self.start)
    desk.tell(.switched(.off, at: desk.now.uptime))
    desk.start(.plain(every: .seconds(2)))
    #expect(desk.orderRefusal == .silenced(.switchOff))
    var gym = Desk(at: Self.start) { $0.silences = .announcements }
    gym.start(.plain(every: .seconds(2)))
    gym.tell(.switched(.off, at: gym.now.uptime))
    #expect(gym.intervalEvents.isEmpty)
    #expect(gym.live(for: .seconds(10)).cues.count >= 4)
  }

  @Test("what cannot be heard is told once, until it is heard again") func unheard() {
    var desk = Desk(at: Self.start)
    desk.start(.plain(every: .seconds(10)))
    let first = desk.cues[0]
    desk.tell(.ended(first.id, .failed("no card", heard: .nothing)))
    #expect(desk.intervalEvents == [.unheard("no card")])
    desk.wait(for: .seconds(6))
    #expect(desk.cues.count == 1)
    desk.tell(.ended(desk.cues[0].id, .tooLate(by: .seconds(2))))
    #expect(desk.intervalEvents.isEmpty)
    // Once a cue was heard, the next failure is reported again.
    desk.wait(for: .seconds(10))
    let timing = Timing(onsetError: .zero, worstError: .zero, underruns: 0)
    desk.tell(.ended(desk.cues[0].id, .finished(timing)))
    desk.wait(for: .seconds(10))
    desk.tell(.ended(desk.cues[0].id, .tooLate(by: .seconds(2))))
    #expect(desk.intervalEvents == [.unheard(Announcer.tooLate(.seconds(2)))])
  }

  @Test("the last signal is silenced, too", .rule("mute-stops", "switch-stops")) func lastSignal() {
    let ways: [Event] = [
      .interval(.stop), .pressed(speakerIsAwake: true), .stop(.byHand), .mute(.on),
      .switched(.off, at: Uptime(seconds: 1000)),
    ]
    for event in ways {
      var desk = Desk(at: Self.start)
      desk.start(.rounds(IntervalRounds(work: .seconds(4), count: 1)))
      let cues = desk.cues + desk.live(for: .seconds(5)).cues
      #expect(desk.announcer.interval == nil)
      desk.tell(event)
      #expect(desk.stopped.contains(cues.first { $0.signal == .end }!.id))
    }
  }

  @Test("a stop while the time is said leaves the interval") func stopOfWords() {
    var desk = Desk(at: Self.start)
    desk.start(.plain(every: .seconds(20)))
    _ = desk.live(for: .seconds(10))
    desk.tell(.asked(speakerIsAwake: true))
    let words = desk.announcer.playing!.id
    desk.wait(for: .seconds(1))
    desk.tell(.stop(.byHand))
    #expect(desk.stopped == [words])
    #expect(desk.announcer.interval != nil)
  }
}
