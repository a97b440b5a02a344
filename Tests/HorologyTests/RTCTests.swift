import Testing

@testable import Horology

@Suite struct RTCTests {
  private let start = Now("2026-12-01T10:00:00", running: .seconds(60))

  private func reading(
    _ answer: RTCReading.Answer, after span: Duration = .zero, flags: RTCFlags? = nil,
    keepsLocalTime: Bool = false
  ) -> RTCReading {
    RTCReading(
      name: "ds3231", moment: start.later(by: span), answer: answer, flags: flags,
      keepsLocalTime: keepsLocalTime)
  }

  private func reading(_ shown: String, after span: Duration = .zero) -> RTCReading {
    reading(.time(Instant(shown)), after: span)
  }

  private func fault(_ reading: RTCReading, after earlier: RTCReading? = nil) -> RTCFault? {
    RTCJudgement(reading, after: earlier).fault
  }

  @Test("a time since the release and within the known years is valid")
  func plausibleTime() {
    for shown in ["2026-11-01T00:00:00", "2026-12-01T10:00:00", "2200-12-31T23:59:59"] {
      #expect(fault(reading(shown)) == nil)
    }
    for shown in ["1970-01-01T00:00:00", "2000-01-01T00:03:00", "2026-10-31T23:59:59"] {
      #expect(fault(reading(shown)) == .implausible(Instant(shown)))
    }
  }

  @Test("one that was never set, does not answer or keeps local time is not valid") func noTime() {
    #expect(fault(reading(.notValid)) == .notValid)
    #expect(fault(reading(.failed("Remote I/O error"))) == .unreadable("Remote I/O error"))
    #expect(fault(reading(.time(start.instant), keepsLocalTime: true)) == .localTime)
  }

  @Test("the chip's own word that its data are invalid counts, and a low battery only warns")
  func flags() {
    for (bits, isBatteryLow) in [(0b0, false), (0b10, true), (0b100, true), (0b1000, false)] {
      let flags = RTCFlags(rawValue: UInt32(bits))
      let judgement = RTCJudgement(reading(.time(start.instant), flags: flags), after: nil)
      #expect((judgement.fault, judgement.isBatteryLow) == (nil, isBatteryLow))
    }
    #expect(fault(reading(.time(start.instant), flags: [.dataInvalid, .backupLow])) == .notValid)
  }

  @Test("one that shows the same second some seconds later has stopped") func stopped() {
    let first = reading("2026-12-01T10:00:00")
    #expect(
      fault(reading("2026-12-01T10:00:00", after: .seconds(5)), after: first)
        == .stopped(at: Instant("2026-12-01T10:00:00")))
    #expect(fault(reading("2026-12-01T10:00:04", after: .seconds(5)), after: first) == nil)
    // A second or two is too short to tell.
    #expect(fault(reading("2026-12-01T10:00:00", after: .milliseconds(900)), after: first) == nil)
  }

  @Test("a clock that was set from it is level with it, and its lead moves with a step")
  func lead() {
    let exact = reading("2026-12-01T10:00:00", after: .milliseconds(500))
    #expect(exact.lead(at: start.later(by: .milliseconds(500))) == .zero)
    let later = start.later(by: .seconds(7200))
    #expect(exact.lead(at: later) == .zero)
    #expect(exact.lead(at: later.set(by: .seconds(-90))) == .seconds(-90))
    #expect(reading(.notValid).lead(at: start) == nil)
  }
}
