import Horology
import Testing

/// What whoever gives an order is answered.
@Suite struct AnswerTests {
  private var desk: Desk { Desk(at: "2026-11-21T15:07:00") { $0.saysTimers = true } }
  private let gone = Outcome.failed("gone", heard: .nothing)

  @Test("who asks for the time is answered with the announcement that is played") func asked() {
    var desk = desk
    desk.tell(.asked(speakerIsAwake: true))
    #expect(desk.effects.contains { played($0) == desk.answer })
  }

  @Test("who asks for the time of the quarter that is about to sound is answered with it")
  func askedForTheQuarter() {
    var desk = desk
    desk.wait(until: "2026-11-21T15:14:55", plus: .milliseconds(250))
    let quarter = desk.announcer.playing
    desk.tell(.asked(at: Instant("2026-11-21T15:15:00"), speakerIsAwake: true))
    #expect(desk.answer == quarter.map { .announcement($0) } && quarter != nil)
  }

  @Test("what was asked for and is not heard takes its answer back", arguments: [true, false])
  func notHeard(isTime: Bool) {
    var desk = desk
    desk.start(.seconds(300), "tea")
    desk.tell(isTime ? .asked(speakerIsAwake: true) : .reminder(.tell("tea")))
    desk.end(gone)
    let why = SkipReason.failed("gone")
    #expect(desk.answer == .refused(isTime ? .request(why) : .reminder(.speech(why))))
  }

  @Test("a timer that is started is answered with its number") func timer() {
    var desk = desk
    desk.start(.seconds(300))
    desk.start(.seconds(300), "tea")
    #expect(desk.answer == .number(2))
    desk.start(.seconds(300), "tea")
    #expect(desk.answer == .refused(.reminder(.nameIsTaken(.timer, "tea"))))
  }

  @Test("what is only done is answered with that") func done() {
    var desk = desk
    desk.start(.seconds(300))
    for order in [.add(.seconds(60), to: "1"), .pause("1"), .resume("1"), .cancel(.timer, "1")]
      as [ReminderOrder]
    {
      desk.tell(.reminder(order))
      #expect(desk.answer == .done, "\(order)")
    }
  }

  @Test("who asks what is left is answered with the announcement that says it") func left() {
    var desk = desk
    desk.start(.seconds(300), "tea")
    desk.tell(.reminder(.tell("tea")))
    #expect(desk.effects.contains { played($0) == desk.answer })
  }

  @Test("an interval is new, or runs already") func interval() {
    var desk = desk
    let plan = IntervalPlan.plain(every: .seconds(30))
    desk.start(plan)
    #expect(desk.answer == .interval(isNew: true))
    desk.start(plan)
    #expect(desk.answer == .interval(isNew: false))
    desk.tell(.interval(.start(plan, replaces: true)))
    #expect(desk.answer == .interval(isNew: true))
    desk.tell(.interval(.stop))
    #expect(desk.answer == .done)
  }

  @Test("an alarm that is set or skipped is answered with its number") func alarm() throws {
    var desk = desk
    let weekly = AlarmTimes(time: try TimeOfDay(text: "07:00"), days: try AlarmDays(text: "mon"))
    let once = AlarmTimes(time: try TimeOfDay(text: "08:00"), days: .next)
    desk.tell(.reminder(.set(AlarmPlan(weekly))))
    #expect(desk.answer == .number(1))
    desk.tell(.reminder(.set(AlarmPlan(name: "bus", once))))
    #expect(desk.answer == .number(2))
    desk.tell(.reminder(.skip("1")))
    #expect(desk.answer == .number(1))
    desk.tell(.reminder(.skip("bus")))
    #expect(desk.answer == .number(2))
    desk.tell(.reminder(.cancel(.alarm, "1")))
    #expect(desk.answer == .done)
    desk.tell(.reminder(.stop(nil)))
    #expect(desk.answer == .refused(.reminder(.noneRings)))
  }

  @Test("what is no order has no answer") func noOrder() {
    var desk = desk
    desk.tell(.mute(.on))
    #expect(desk.answer == nil)
  }

  private func played(_ effect: Effect) -> Answer? {
    if case .play(.announcement(let announcement)) = effect {
      .announcement(announcement)
    } else {
      nil
    }
  }
}
