import TestSupport
import Testing

@testable import Horology

@Suite struct TimerTests {
  private static let start = "2026-11-21T15:01:00"

  @Test("a timer rings at its zero to the nanosecond, and by arithmetic from there")
  func rings() {
    var desk = Desk(at: Self.start)
    let began = desk.now.sinceBoot
    desk.start(.seconds(600), "tea")
    #expect(desk.timerEvents == [.set])
    let seen = desk.live(for: .seconds(613))
    let offsets = seen.cues.map { $0.anchor - began - .seconds(600) }
    // The second ring is left out to make room for the words.
    #expect(offsets.prefix(4) == [.zero, .seconds(6), .seconds(9), .seconds(12)])
    #expect(seen.cues.allSatisfy { $0.signal == .ring })
    #expect(seen.events == [.rings(.due(late: nil))])
  }

  @Test("the button stops what rings, and else asks for the time") func button() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(10))
    _ = desk.live(for: .seconds(11))
    desk.tell(.pressed(speakerIsAwake: true))
    #expect(desk.timerEvents == [.stopped(.byHand)])
    #expect(desk.played == nil)
    desk.tell(.pressed(speakerIsAwake: true))
    #expect(desk.played != nil)
  }

  @Test("paused it keeps what is left; resumed it goes on from there") func pause() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(600))
    desk.wait(for: .seconds(597))
    let cue = desk.cues.first?.id ?? SoundingID(0)
    desk.tell(.reminder(.pause("1")))
    #expect(desk.stopped == [cue])
    #expect(desk.live(for: .seconds(3600)).events.isEmpty)
    desk.tell(.reminder(.pause("1")))
    #expect(desk.orderRefusal == .isPaused(desk.timers[0]))
    desk.tell(.reminder(.resume("1")))
    #expect(desk.cues.map(\.anchor) == [desk.now.sinceBoot + .seconds(3)])
    desk.tell(.reminder(.resume("1")))
    #expect(desk.orderRefusal == .isNotPaused(desk.timers[0]))
  }

  @Test("a stop ends the ring of one timer or of all, and no timer that counts down")
  func stop() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(4), "egg")
    desk.start(.seconds(5), "tea")
    desk.start(.seconds(6))
    desk.start(.seconds(600), "roast")
    desk.tell(.reminder(.stop(.timer, "egg")))
    #expect(desk.orderRefusal == .isNotRinging(desk.timers[0]))
    desk.tell(.reminder(.stop(.timer, nil)))
    #expect(desk.orderRefusal == .noneRings(.timer))
    _ = desk.live(for: .seconds(12))
    desk.tell(.reminder(.stop(.timer, "Egg")))
    #expect(desk.timers.map(\.number) == [2, 3, 4])
    desk.tell(.reminder(.stop(.timer, nil)))
    #expect(desk.timers.map(\.number) == [4])
  }

  @Test("what is added counts from zero, or from now if it rings") func add() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(4), "egg")
    desk.tell(.reminder(.add(.seconds(60), to: "egg")))
    #expect(desk.timers.first?.left(at: desk.now) == .seconds(64))
    #expect(desk.timers.first?.length == .seconds(64))
    // The player already had the cue.
    #expect(desk.stopped.count == 1)
    _ = desk.live(for: .seconds(72))
    #expect(desk.timers.first?.isRinging == true)
    desk.tell(.reminder(.add(.seconds(60), to: "egg")))
    #expect(desk.timers.first?.left(at: desk.now) == .seconds(60))
    #expect(!desk.stopped.isEmpty)
  }

  @Test("the longest timer that gets back what has passed can still be read")
  func addedToTheLongest()
    throws
  {
    var desk = Desk(at: Self.start)
    desk.start(Reminder.longest)
    desk.wait(for: .seconds(2))
    desk.tell(.reminder(.add(.seconds(1), to: "1")))
    #expect(desk.orderRefusal == nil)
    let timer = try #require(desk.timers.first)
    #expect(timer.left(at: desk.now) == Reminder.longest - .seconds(1))
    #expect(try Reminder.timer(timer.record) == timer)
  }

  @Test("a cue that fails before its moment is tried again, and told once") func failure() {
    var desk = Desk(at: Self.start)
    desk.start(.seconds(4))
    let zero = desk.now.sinceBoot + .seconds(4)
    for round in 0..<2 {
      desk.tell(.ended(desk.cues[0].id, .failed("no speaker", heard: .nothing)))
      #expect(desk.timerEvents == (round == 0 ? [.unheard("no speaker")] : []))
      desk.wait(for: Announcer.retryDelay)
      #expect(desk.cues.map(\.anchor) == [zero])
    }
  }

  @Test(
    "it is as loud as the rules have it when it rings, not when it is prepared",
    .rule("quieter-times")) func loudness()
    throws
  {
    let quieter = try VolumeRules(text: "15:02-16:00 -20dB")
    var desk = Desk(at: Self.start) { $0.quieter = quieter }
    desk.start(.seconds(60))
    desk.wait(for: .seconds(55))
    #expect(desk.cues.map(\.decibels) == [-20])
  }

  // MARK: Names, numbers and bounds

  @Test(
    "lengths have bounds",
    arguments: [Duration.zero, .seconds(-5), .milliseconds(999), .seconds(31 * 86_400 + 1)])
  func badLength(length: Duration) {
    var desk = Desk(at: Self.start)
    desk.start(length)
    #expect(desk.orderRefusal == .length)
  }

  @Test(
    "what is left and cannot be said now can be read",
    arguments: [SkipReason.busy, .failed("the speaker is away")])
  func unsaid(reason: SkipReason) {
    #expect(
      OrderRefusal.speech(reason).description
        == "\(reason); 'clocksmith timer list' shows how much is left")
  }
}
