import Devices
import Horology
import TestSupport
import Testing

@testable import Service

@Suite struct StatusAlarmTests {
  private static let now = Instant(seconds: 1_795_298_400)

  private func alarm(_ number: Int, at hours: Int?, _ refusal: SkipReason? = nil) throws
    -> Status.Alarm
  {
    let times = AlarmTimes(time: try TimeOfDay(text: "07:00"), days: .next)
    return Status.Alarm(
      alarm: Reminder(
        number: number, .alarm(AlarmPlan(times)),
        state: .waiting(
          hours.map {
            TimedMoment(sinceBoot: .zero, shown: Self.now + .seconds($0 * 3600), followsClock: true)
          })),
      reason: refusal?.description)
  }

  @Test("the list and the face tell in the same words whether and when it rings") func words()
    throws
  {
    let lost = "the switch cannot be read (see 'when_lost' in the configuration)"
    let untrusted = "the clock is not trusted (see 'untrusted' in the configuration)"
    let times = AlarmTimes(time: try TimeOfDay(text: "07:00"), days: .next)
    let moment = TimedMoment(sinceBoot: .zero, shown: Self.now)
    let waiting = Reminder.State.waiting(
      TimedMoment(sinceBoot: .zero, shown: Self.now + .seconds(9 * 3600), followsClock: true))
    let ringing = Reminder.State.ringing(since: moment)
    let cases: [(Reminder.State, SkipReason?, String)] = [
      (waiting, nil, "rings sun 2026-11-22 07:00, in 9 h"),
      (waiting, .switchLost, "will be silent sun 2026-11-22 07:00, in 9 h: \(lost)"),
      (.waiting(nil), .untrusted, "silent: \(untrusted)"),
      (ringing, nil, "rings now"),
      (ringing, .switchLost, "is to ring now: \(lost)"),
    ]
    for (state, refusal, words) in cases {
      let alarm = Status.Alarm(
        alarm: Reminder(number: 1, .alarm(AlarmPlan(times)), state: state),
        reason: refusal?.description)
      #expect(alarm.outlook(at: Self.now, UTCZone()) == words)
      #expect(alarm.line(at: Self.now, UTCZone()) == "alarm 1: 07:00, once: \(words)")
      #expect([alarm].shown == [alarm])
    }
  }

  @Test("what rings is shown, all of it, and else one; what never rings again is not") func shown()
    throws
  {
    let times = AlarmTimes(time: try TimeOfDay(text: "07:00"), days: .next)
    let state = Reminder.State.ringing(
      since: TimedMoment(sinceBoot: .zero, shown: Self.now))
    let rings = [1, 2].map {
      Status.Alarm(
        alarm: Reminder(number: $0, .alarm(AlarmPlan(times)), state: state), reason: nil)
    }
    let silent = try alarm(2, at: 1, .quietHours)
    let waits = try alarm(3, at: 9)
    let unknown = try alarm(4, at: nil, .untrusted)
    let never = try alarm(5, at: nil)
    #expect((rings + [waits]).shown == rings)
    #expect([never, unknown, waits].shown == [waits])
    #expect([waits, silent].shown == [silent])
    #expect([never, unknown].shown == [unknown])
    #expect([never].shown.isEmpty)
  }
}
