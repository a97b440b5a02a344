import Testing

@testable import Horology

/// Faults found by reading the code and by misusing the program.
@Suite struct ReviewFindingsTests {
  /// A melody of 20 s that leads to the hour. Words follow the strikes.
  private static let chime = Tune(
    name: "test", description: "",
    movements: [
      0: Tune.Movement(
        melody: (0..<20).map { Blow(bell: "E4", offset: .seconds($0)) }, lead: .seconds(20),
        strikes: Tune.Strikes(bell: "E3", count: .hour, gaps: [.seconds(4)]), rest: .seconds(3))
    ])

  /// Noon is prepared, and its melody begins at 11:59:40.
  private func noon(at time: String = "11:59:36") -> Desk {
    var desk = Desk(at: "2026-11-21T11:50:00") { $0.chime = Self.chime }
    desk.wait(until: "2026-11-21T11:59:36")
    if time != "11:59:36" { desk.wait(until: "2026-11-21T\(time)") }
    return desk
  }

  @Test("a chime does not begin in a mute that ends before the hour; the hour is said after it")
  func muteEndsInTheMelody() {
    var desk = Desk(at: "2026-11-21T11:58:00") { $0.chime = Self.chime }
    desk.tell(.mute(.until(Instant("2026-11-21T11:59:50"))))
    desk.wait(until: "2026-11-21T11:59:36")
    #expect(desk.announcer.playing == nil)
    desk.wait(until: "2026-11-21T11:59:50")
    #expect(desk.announcer.playing?.programme.blows.isEmpty == true)
    #expect(desk.announcer.playing?.isShortened == true)
  }

  @Test("a chime that is prepared does not ring by a clock that is not trusted any more")
  func distrusted() {
    var desk = noon()
    desk.tell(.trust(.untrusted))
    #expect(desk.stopReason == .rulesChanged)
    desk.end(.stopped(.rulesChanged, silentAt: nil))
    #expect(desk.announcer.playing == nil)
    var sounding = noon(at: "11:59:50")
    sounding.tell(.trust(.untrusted))
    #expect(sounding.stopReason == nil)
  }

  @Test("a speaker that is lost in the melody, and back before the hour, says the hour")
  func lostInTheMelody() {
    var desk = noon(at: "11:59:45")
    desk.end(.failed("gone", heard: .begun))
    #expect(desk.skipReason == nil)
    desk.wait(until: "2026-11-21T11:59:46", plus: .milliseconds(100))
    #expect(desk.announcer.playing?.programme.blows.isEmpty == true)
    #expect(desk.announcer.playing?.anchor == Instant("2026-11-21T12:00:00"))
  }

  @Test("an hour that was heard is not told as skipped when its words cannot be read")
  func wordsUnread() {
    var desk = noon(at: "12:00:05")
    desk.end(.failed("torn", heard: .anchor))
    guard case .brokeOff(_, "torn")? = desk.reports.first else {
      Issue.record("\(desk.reports)")
      return
    }
    #expect(desk.skipReason == nil && desk.announcer.playing == nil)
    #expect(desk.announcer.next.civil.minute == 15)
  }

  @Test("the list of what will sound knows of a mute in the middle of a melody")
  func agendaInTheMelody() {
    var settings = AnnouncerSettings()
    settings.chime = Self.chime
    for second in [33, 38, 44] {
      let now = Instant("2026-11-21T11:59:\(second)")
      var agenda = Agenda(
        settings, zone: TestZone.utc, from: now,
        mute: (.until(Instant("2026-11-21T11:59:50")), at: now)
      ) { _ in .seconds(30) }
      guard case .sounds(let announcement)? = agenda.next()?.fate else {
        Issue.record("silent")
        continue
      }
      #expect(announcement.isShortened)
    }
  }
}
