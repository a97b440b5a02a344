import Testing

@testable import Horology

@Suite struct VitalsTests {
  private let now = Now("2026-11-21T15:07:00", running: .seconds(1000))

  private func ailment(_ change: (inout Vitals) -> Void) -> Ailment? {
    var vitals = Vitals(
      wakeUp: now.instant + .seconds(475), contactsAnswer: true, lastTaken: nil)
    change(&vitals)
    return vitals.ailment(at: now)
  }

  @Test("a service that waits for its next wake-up is alive") func wakeUp() {
    #expect(ailment { _ in } == nil)
    #expect(ailment { $0.wakeUp = nil } == .noWakeUp)
    // A device that opens slowly may have held it up.
    #expect(ailment { $0.wakeUp = now.instant - .seconds(5) } == nil)
    #expect(ailment { $0.wakeUp = now.instant - .seconds(6) } == .noWakeUp)
  }

  @Test("a switch that neither answers nor is known to be lost is told") func contacts() {
    #expect(ailment { $0.contactsAnswer = false } == .contactSilent)
  }

  @Test("while sound is due the converter must take frames") func speaker() {
    #expect(ailment { $0.lastTaken = now.uptime - .seconds(5) } == nil)
    #expect(ailment { $0.lastTaken = now.uptime - .milliseconds(5001) } == .speakerStalled)
  }
}
