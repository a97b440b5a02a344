import Testing

@testable import Horology

@Suite struct RTCTests {
  private let start = Now("2026-12-01T10:00:00", running: .seconds(60))

  /// The machine `span` after `start`, with its clock set by `step` in between.
  private func later(_ span: Duration, step: Duration = .zero) -> Now {
    start.later(by: span).set(by: step)
  }

  private func reading(
    _ shown: String, at moment: Now? = nil, health: RTCReading.Health = .unsupported
  ) -> RTCReading {
    RTCReading(
      name: "ds3231", moment: moment ?? start, answer: .time(Instant(shown)), health: health)
  }

  private func reading(_ answer: RTCReading.Answer) -> RTCReading {
    RTCReading(
      name: "ds3231", moment: start, answer: answer, health: .unsupported)
  }

  private func fault(_ reading: RTCReading, after earlier: RTCReading? = nil) -> RTCFault? {
    RTCJudgement(reading, after: earlier).fault
  }

  @Test("a plausible time is valid, whatever the system's clock shows") func plausibleTime() {
    #expect(fault(reading("2026-12-01T10:00:00")) == nil)
    #expect(fault(reading("2026-11-01T00:00:00")) == nil)
    #expect(fault(reading("2200-12-31T23:59:59")) == nil)
  }

  @Test("a date before the release, or past the known years, is nonsense") func implausibleTime() {
    for shown in ["1970-01-01T00:00:00", "2000-01-01T00:03:00", "2026-10-31T23:59:59"] {
      #expect(fault(reading(shown)) == .implausible(Instant(shown)))
    }
    let past = RTCJudgement.latestPlausible
    #expect(fault(reading(.time(past))) == .implausible(past))
  }

  @Test("a chip that was never set, or does not answer, is not valid") func noTime() {
    #expect(fault(reading(.notValid)) == .notValid)
    #expect(fault(reading(.failed("Remote I/O error"))) == .unreadable("Remote I/O error"))
  }

  @Test("one that keeps local time is not valid") func localTime() {
    let local = RTCReading(
      name: "ds3231", moment: start, answer: .time(start.instant), health: .unsupported,
      keepsLocalTime: true)
    #expect(fault(local) == .localTime)
  }

  @Test("the chip's own word that its data are invalid counts, and a low battery only warns")
  func flags() {
    func judge(_ flags: RTCFlags) -> RTCJudgement {
      RTCJudgement(reading("2026-12-01T10:00:00", health: .told(flags)), after: nil)
    }
    #expect(judge([.dataInvalid, .backupLow]).fault == .dataInvalid)
    #expect(judge(.backupLow).isValid)
    #expect(judge(.backupLow).warnings == [.batteryLow])
    #expect(judge([.backupLow, .backupEmpty]).warnings == [.batteryEmpty])
    #expect(judge(.accuracyLow).warnings == [.accuracyLow])
  }

  @Test("one that shows the same second some seconds later has stopped") func stopped() {
    let first = reading("2026-12-01T10:00:00")
    let again = reading("2026-12-01T10:00:00", at: later(.seconds(5)))
    #expect(fault(again, after: first) == .stopped(at: Instant("2026-12-01T10:00:00")))
    // A second or two is too short to tell.
    let soon = reading("2026-12-01T10:00:00", at: later(.milliseconds(900)))
    #expect(fault(soon, after: first) == nil)
  }

  @Test("one that runs on is valid, to its whole seconds and its crystal") func running() {
    let first = reading("2026-12-01T12:00:00")
    for shown in ["2026-12-01T12:59:58", "2026-12-01T13:00:00", "2026-12-01T13:00:04"] {
      #expect(fault(reading(shown, at: later(.seconds(3600))), after: first) == nil)
    }
  }

  @Test("one that goes elsewhere is not valid, unless it was set") func jumped() {
    let first = reading("2026-12-01T12:00:00")
    for shown in ["2026-12-01T10:30:00", "2026-12-01T14:00:00", "2026-12-01T12:20:00"] {
      let now = reading(shown, at: later(.seconds(3600)))
      #expect(
        fault(now, after: first)
          == .jumped(
            from: Instant("2026-12-01T12:00:00"), to: Instant(shown), in: .seconds(3600)))
    }
    let set = reading("2026-12-01T11:00:00", at: later(.seconds(3600)))
    let before = reading("2026-12-01T15:00:00")
    #expect(fault(set, after: before) == nil)
  }

  @Test("a clock that was set from it is level with it, and its lead moves with a step")
  func lead() {
    let exact = reading("2026-12-01T10:00:00", at: later(.milliseconds(500)))
    #expect(exact.lead(at: later(.milliseconds(500))) == .zero)
    #expect(exact.lead(at: later(.seconds(7200))) == .zero)
    #expect(exact.lead(at: later(.seconds(7200), step: .seconds(-90))) == .seconds(-90))
    #expect(reading(.notValid).lead(at: start) == nil)
  }
}
