import Horology
import TestSupport
import Testing

/// What the clock says of itself: that it lives, and that it does not know the time.
@Suite struct AloudTests {
  private static let time = "2026-11-21T15:07:00"

  private func desk(
    trust: ClockTrust = .synchronised, mute: SoftwareMute = .off, switchState: SwitchState = .on,
    _ change: (inout AnnouncerSettings) -> Void = { _ in }
  ) -> Desk {
    var desk = Desk(at: Self.time, trust: trust, mute: mute, change)
    desk.tell(.switched(switchState, at: desk.now.uptime))
    return desk
  }

  private func cause(_ desk: Desk) -> Announcement.Cause? { desk.announcer.playing?.cause }

  private static let quiet = try! QuietHours(text: "15:00-16:00")

  // MARK: The start

  @Test(
    "the start is silent in quiet hours, while muted, and while the switch silences",
    .rule("quiet-announcements", "muted-announcements", "switch-silences"))
  func silentStart() {
    for atStart in [AtStart.signal, .time] {
      let silent: [(Desk, SkipReason)] = [
        (
          desk {
            $0.atStart = atStart
            $0.quiet = Self.quiet
          }, .quietHours
        ),
        (desk(mute: .on) { $0.atStart = atStart }, .muted),
        (desk(switchState: .off) { $0.atStart = atStart }, .switchOff),
        (desk(switchState: .lost("gone")) { $0.atStart = atStart }, .switchLost),
      ]
      for (desk, reason) in silent {
        var desk = desk
        desk.tell(.machineStarted)
        #expect(cause(desk) == nil)
        #expect(desk.reports == [.startUnheard(reason)])
      }
    }
  }

  @Test("the signal of the start needs no trusted clock", .rule("untrusted-rings", "start-signal"))
  func untrustedStart() {
    var desk = desk(trust: .untrusted)
    desk.tell(.machineStarted)
    #expect(cause(desk) == .start)
  }

  @Test("the signal of the start gives way to an occasion that is near")
  func nearOccasion() {
    var desk = Desk(at: "2026-11-21T15:14:54")
    desk.wait(until: "2026-11-21T15:14:54", plus: .milliseconds(500))
    desk.tell(.machineStarted)
    #expect(cause(desk) == nil)
    #expect(desk.reports == [.startUnheard(.occasionIsNear)])
    desk.wait(until: "2026-11-21T15:14:57")
    #expect(desk.played == "15:15:00")
  }

  // MARK: The button

  @Test(
    "it is answered in quiet hours, and during a mute of the next announcement",
    .rule("untrusted-press"))
  func buttonInQuietHours() {
    for mute in [SoftwareMute.off, .next] {
      var desk = desk(trust: .untrusted, mute: mute) { $0.quiet = Self.quiet }
      desk.tell(.pressed(speakerIsAwake: true))
      #expect(cause(desk) == .untrusted)
    }
  }

  @Test("the switch and a mute keep it silent", .rule("untrusted-press", "switch-refuses"))
  func silentButton() {
    for desk in [
      desk(trust: .untrusted, mute: .on), desk(trust: .untrusted, switchState: .off),
      desk(trust: .untrusted, switchState: .lost("gone")),
    ] {
      var desk = desk
      desk.tell(.pressed(speakerIsAwake: true))
      #expect(cause(desk) == nil)
      #expect(desk.refusal != nil)
    }
  }

  @Test(
    "a clock without a zone says no time, whatever 'untrusted' says, but one that is given",
    .rule("no-zone", "given-time"))
  func noZone() {
    for policy in UntrustedPolicy.allCases {
      var desk = Desk(at: "2026-11-21T15:14:00") {
        $0.hasZone = false
        $0.untrusted = policy
        $0.alarms = [
          AlarmPlan(
            name: "tea",
            AlarmTimes(
              time: try! TimeOfDay(text: "15:16"), days: .weekly(Set(Weekday.allCases))))
        ]
      }
      #expect(desk.announcer.lamp == .blinking)
      desk.tell(.asked(speakerIsAwake: true))
      #expect(desk.answer == .refused(.request(.noZone)))
      desk.tell(.pressed(speakerIsAwake: true))
      #expect(cause(desk) == .untrusted)
      desk.end(.finished(.exact))
      desk.wait(until: "2026-11-21T15:15:00")
      #expect(desk.skipReason == .noZone)
      desk.wait(until: "2026-11-21T15:16:00")
      #expect(
        desk.reports.contains { report in
          if case .reminder(_, .silenced(.noZone)) = report { true } else { false }
        })
      desk.tell(.asked(CivilTime(hour: 3, minute: 0), speakerIsAwake: true))
      #expect(cause(desk) == .request)
    }
  }
}
