import Horology
import Testing

@testable import Service

@Suite struct StatusAlarmTests {
  private static let now = Instant(seconds: 1_795_298_400)

  private func alarm(_ number: Int, at hours: Int?, _ refusal: SkipReason? = nil) throws
    -> Status.Alarm
  {
    let times = AlarmTimes(time: try TimeOfDay(text: "07:00"), days: .next)
    return Status.Alarm(
      Alarm(
        number: number, AlarmPlan(times), from: .person,
        state: .waiting(next: hours.map { Self.now + .seconds($0 * 3600) }, from: nil)), refusal)
  }

  private func next(_ alarms: [Status.Alarm]) -> UInt32? {
    alarms.next(at: Self.now)?.number
  }

  @Test("the next that will ring is shown, not one before it that will be silent") func rings()
    throws
  {
    let silent = try alarm(1, at: 1, .quietHours)
    let rings = try alarm(2, at: 9)
    let later = try alarm(3, at: 10)
    #expect(next([silent, later, rings]) == 2)
    #expect(next([silent, try alarm(4, at: nil)]) == 1)
    #expect(next([try alarm(4, at: nil)]) == nil)
  }

  @Test("of silent ones the next to come is shown, before one whose time is over") func silent()
    throws
  {
    let over = try alarm(1, at: -50_000, .untrusted)
    let first = try alarm(2, at: 1, .untrusted)
    let second = try alarm(3, at: 25, .untrusted)
    #expect(next([over, second, first]) == 2)
    #expect(next([over]) == 1)
  }
}
