import Testing

@testable import Horology

@Suite struct AlarmTests {
  /// A Saturday.
  private static let evening = "2026-11-21T22:00:00"

  // MARK: Ringing

  @Test("it rings at its time, and is missed after ring_limit") func ringsAndEnds() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    #expect(desk.events == [.set])
    #expect(desk.next == ["2026-11-22T07:00:00"])
    let seen = desk.live(for: .seconds(86_400))
    #expect(seen.map(\.0) == [.rings(.due(late: nil)), .missed(nil)])
    #expect(seen.map(\.1) == [Instant("2026-11-22T07:00:00"), Instant("2026-11-22T07:15:00")])
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

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

  @Test(
    "one for once is gone after it was stopped, or missed",
    arguments: [String?.none, "2026-11-22"] as [String?])
  func once(days: String?) throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", days)
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(desk.reminders.isRinging)
    try desk.take(.stop(nil))
    #expect(desk.events == [.stopped(.byHand)])
    #expect(desk.alarms.isEmpty)
    try desk.set("07:30")
    #expect(desk.live(for: .seconds(86_400)).map(\.0) == [.rings(.due(late: nil)), .missed(nil)])
    #expect(desk.alarms.isEmpty)
    #expect(desk.reminders.nextDue(desk.rules) == nil)
  }

  @Test("skipped in the evening it leaves out the next ring alone; one for once is removed")
  func skipped() throws {
    var desk = AlarmDesk(at: Self.evening)
    // Its next ring is more than a day away: that is no clock which was wrong.
    try desk.set("07:00", "mon-fri", name: "school")
    try desk.take(.skip("school"))
    #expect(desk.events == [.changed(.skipped)])
    #expect(desk.next == ["2026-11-24T07:00:00"])
    desk.restart(after: .seconds(60), isSameBoot: false)
    #expect(desk.next == ["2026-11-24T07:00:00"])
    let seen = desk.live(for: .seconds(3 * 86_400))
    #expect(seen.map(\.1).first == Instant("2026-11-24T07:00:00"))
    try desk.set("08:00")
    try desk.take(.skip("2"))
    #expect(desk.alarms.map(\.number) == [1])
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

  @Test("stopped on its day it rings the next day that it has") func stopped() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-fri")
    for (day, next) in [("23", "24"), ("24", "25"), ("25", "26"), ("26", "27"), ("27", "30")] {
      desk.wait(until: "2026-11-\(day)T07:00:00")
      #expect(desk.events == [.rings(.due(late: nil))])
      desk.wait(for: .seconds(3))
      try desk.take(.stop("1"))
      #expect(desk.next == ["2026-11-\(next)T07:00:00"])
    }
  }

  @Test("a snooze lasts ten minutes, as often as it is wanted") func snooze() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun", name: "school")
    desk.wait(until: "2026-11-22T07:00:00")
    for round in 1...3 {
      try desk.take(.snooze(round == 1 ? nil : "school"))
      #expect(desk.events == [.changed(.snoozed)])
      #expect(desk.alarms[0].isUp)
      #expect(!desk.reminders.isRinging)
      let seen = desk.live(for: .seconds(600))
      #expect(seen.map(\.0) == [.rings(.again)])
      #expect(seen[0].1 == Instant("2026-11-22T07:00:00") + .seconds(600 * Int64(round)))
    }
    #expect(desk.live(for: .seconds(900)).map(\.0) == [.missed(nil)])
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test("a snooze is ended by a stop, and by cancelling it") func endOfSnooze() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun", name: "school")
    try desk.set("07:00", name: "bus")
    desk.wait(until: "2026-11-22T07:00:00")
    #expect(desk.events == [.rings(.due(late: nil)), .rings(.due(late: nil))])
    try desk.take(.snooze(nil))
    try desk.take(.stop("school"))
    #expect(desk.events == [.stopped(.byHand)])
    try desk.take(.cancel(.alarm, "bus"))
    #expect(desk.events == [.cancelled])
    #expect(desk.next == ["2026-11-23T07:00:00"])
    #expect(desk.live(for: .seconds(3600)).isEmpty)
  }

  @Test("the switch ends what rings, and no snooze") func silence() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    try desk.set("07:05", "mon-sun")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze(nil))
    desk.wait(until: "2026-11-22T07:05:00")
    desk.silence(.switchOff)
    #expect(desk.events == [.stopped(.switchOff)])
    #expect(desk.alarms.map(\.isUp) == [true, false])
  }

  @Test(
    "what may not ring is silenced, told, and over", arguments: [SkipReason.switchOff])
  func silenced(reason: SkipReason) throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    try desk.set("07:00")
    desk.refusal = reason
    #expect(
      desk.live(for: .seconds(43_200)).map(\.0) == [.silenced(reason), .silenced(reason)])
    #expect(desk.next == ["2026-11-23T07:00:00"])
  }

  @Test("a snooze that ends where nothing may ring is silenced") func silencedSnooze() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze(nil))
    desk.refusal = .switchOff
    desk.wait(for: Reminder.snooze)
    #expect(desk.events == [.silenced(.switchOff)])
    #expect(desk.alarms.isEmpty)
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

  @Test("a snooze that ends in a sleep rings as soon as anything can") func snoozeInSleep() throws {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00")
    desk.wait(until: "2026-11-22T07:00:00")
    try desk.take(.snooze(nil))
    desk.wait(for: Reminder.snooze + .seconds(300))
    #expect(desk.events == [.rings(.again)])
    guard case .ringing(let since) = desk.alarms[0].state else { return }
    #expect(since.left(at: desk.now) == AlarmDesk.lead)
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

  @Test("what rang does not ring in the future by a clock that came back behind") func behind()
    throws
  {
    var desk = AlarmDesk(at: Self.evening)
    try desk.set("07:00", "mon-sun")
    desk.wait(until: "2026-11-22T07:00:00")
    desk.restart(after: .seconds(-3600), isSameBoot: false)
    #expect(desk.reminders.isRinging)
    #expect(desk.live(for: .seconds(900)).map(\.0) == [.missed(nil)])
  }
}
