import Testing

@testable import Horology

@Suite struct AlarmTests {
  /// A Saturday.
  private static let evening = "2026-11-21T22:00:00"

  // MARK: Ringing

  @Test("a turn that comes a moment late rings from its time on") func momentLate() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00", plus: .seconds(1))
    #expect(desk.events == [.rings(.due(late: nil))])
    guard case .ringing(let since) = desk.alarms[0].state else {
      Issue.record("\(desk.alarms)")
      return
    }
    #expect(since.left(at: desk.now) == .seconds(-1))
  }

  @Test("skip is refused while it rings, and while nobody knows when it rings next")
  func skipRefused() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(throws: ReminderRefusal.isUp("alarm 1")) { try desk.take(.skip("1")) }
    try desk.take(.stop(nil))
    desk.isTrusted = false
    #expect(throws: ReminderRefusal.nextIsUnknown("alarm 1")) { try desk.take(.skip("1")) }
  }

  @Test("it rises in a line, and is then as loud as ever") func rise() throws {
    let rise = try #require(AlarmRise(from: -30, over: .seconds(300)))
    #expect(
      [-5, 0, 30, 150, 300, 900].map { rise.decibels(after: .seconds($0)) } == [
        -30, -30, -27, -15, 0, 0,
      ])
    var desk = AlarmDesk(at: Self.evening)
    var plan = try AlarmDesk.plan("07:00")
    plan.rise = rise
    try desk.take(.set(plan))
    func decibels() -> Double? {
      guard case .ringing(let since) = desk.alarms[0].state else { return nil }
      return rise.decibels(after: .zero - since.left(at: desk.now))
    }
    desk.wait(until: "2026-11-22T07:00:00")
    desk.wait(for: .seconds(150))
    #expect(decibels() == -15)
    // After a snooze it rises again.
    try desk.take(.snooze(nil))
    desk.wait(for: Reminder.snooze)
    #expect(decibels() == -30)
  }

  @Test("a rise is read as it is written") func riseText() throws {
    #expect(try AlarmRise.rise(text: "none") == nil)
    #expect(try AlarmRise.rise(text: "5min") == AlarmRise(over: .seconds(300)))
    #expect(try AlarmRise.rise(text: "5m") == AlarmRise(from: -24, over: .seconds(300)))
    #expect(try AlarmRise.rise(text: "-30dB 90s") == AlarmRise(from: -30, over: .seconds(90)))
    for text in ["5min", "-30dB 1min30s", "-12.5dB 1h", "-60dB 30s500ms"] {
      #expect(try AlarmRise.rise(text: text)?.description == text)
    }
    for text in [
      "", "0s", "5", "2h", "-30dB", "0dB 5min", "5min -30dB", "5min 5min 5min", "-61dB 1s",
    ] {
      #expect(throws: AlarmTextFlaw.rise(text)) { try AlarmRise.rise(text: text) }
    }
  }

  @Test("what is no rise is none") func noRise() {
    let wrong: [(Double, Duration)] = [
      (0, .seconds(60)), (3, .seconds(60)), (-61, .seconds(60)), (.nan, .seconds(60)),
      (-24, .zero), (-24, .seconds(-1)), (-24, .seconds(3601)),
    ]
    for (decibels, length) in wrong { #expect(AlarmRise(from: decibels, over: length) == nil) }
  }

  // MARK: Late

  @Test(
    "the machine slept or was off: within ring_limit it rings, later it has expired",
    arguments: [true, false])
  func late(isSameBoot: Bool) throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    try desk.set("06:50")
    desk.restart(after: .seconds(9 * 3600 + 600), isSameBoot: isSameBoot)
    #expect(desk.events == [.rings(.due(late: .seconds(600))), .expired(late: .seconds(1200))])
    guard case .ringing(let since) = desk.alarms[0].state, let ring = desk.alarms[0].occasion else {
      Issue.record("\(desk.alarms)")
      return
    }
    // A late ring begins as soon as the lead allows.
    #expect(since.left(at: desk.now) == AlarmDesk.lead)
    #expect(ring == Instant("2026-11-22T07:00:00"))
    #expect(desk.alarms.count == 1)
  }

  @Test("off for days it is told once, and rings if the last time is not too late")
  func offForDays()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.restart(after: .seconds(4 * 86_400 + 9 * 3600 + 300), isSameBoot: false)
    let late = Duration.seconds(4 * 86_400 + 300)
    #expect(desk.events == [.expired(late: late), .rings(.due(late: .seconds(300)))])
    desk.restart(after: .seconds(4 * 86_400), isSameBoot: false)
    #expect(desk.events == [.missed(nil)])
    desk.settle()
    let meanwhile = Duration.seconds(3 * 86_400 + 300)
    #expect(desk.events == [.expired(late: meanwhile), .rings(.due(late: .seconds(300)))])
    desk.restart(after: .seconds(5 * 86_400 + 7200), isSameBoot: false)
    desk.settle()
    #expect(desk.events == [.expired(late: .seconds(4 * 86_400 + 7500))])
    #expect(desk.next == ["2026-12-06T07:00:00"])
  }

  @Test("what rang when the power went rings on, or was missed") func ringingOverPowerCut() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-22T07:00:00")
    desk.restart(after: .seconds(300), isSameBoot: false)
    #expect(desk.events == [.rings(.on)])
    #expect(desk.reminders.isRinging)
    desk.restart(after: .seconds(700), isSameBoot: false)
    #expect(desk.events == [.missed(nil)])
  }

  @Test("a snooze goes on over a power cut, and expires in a long one") func snoozeOverPowerCut()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze(nil))
    desk.restart(after: .seconds(300), isSameBoot: false)
    #expect(desk.live(for: .seconds(300)).map(\.0) == [.rings(.again)])
    try desk.take(.snooze(nil))
    desk.restart(after: .seconds(7200), isSameBoot: false)
    #expect(desk.events == [.expired(late: .seconds(6600))])
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }
}
