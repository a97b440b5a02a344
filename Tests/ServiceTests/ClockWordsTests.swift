import Horology
import TestSupport
import Testing

@testable import Service

@Suite struct ClockWordsTests {
  private func words(_ basis: ClockState.Basis, _ uncertainty: Duration?) -> String {
    ClockState(basis: basis, uncertainty: uncertainty).words
  }

  @Test("the state of the clock reads like a sentence", .rule("trust-told")) func states() {
    #expect(words(.disciplined, .milliseconds(12)) == "synchronised, within 12 ms")
    #expect(words(.disciplined, .zero) == "synchronised, within 1 ms")
    #expect(
      words(.agreesWithRTC("pl031"), .seconds(2))
        == "holdover, agrees with the RTC pl031, off by perhaps 2.0 s")
    #expect(
      words(.synchronisedEarlier(ago: .seconds(32_520)), .milliseconds(3260))
        == "holdover, synchronised 9 h 2 min ago, off by perhaps 3.3 s")
    #expect(
      ClockState(
        basis: .synchronisedEarlier(ago: .seconds(86_400)), uncertainty: .seconds(2),
        ends: Instant(seconds: 1_797_779_777)
      ).words == "holdover, synchronised 1 d ago, off by perhaps 2.0 s, until 2026-12-20")
    #expect(
      words(.heldTooLong(.milliseconds(30_400)), nil)
        == "untrusted: it was last set right too long ago, and is off by perhaps 30.4 s, more than "
        + "'greatest_error' in [clock] allows")
    #expect(
      words(.differs(name: "ds3231", lead: .seconds(-3600)), nil)
        == "untrusted: it is 1 h behind the RTC ds3231")
    let neverSet = RTCFault.implausible(Instant(seconds: 946_684_800))
    #expect(
      words(.invalidRTC(name: "ds3231", neverSet), nil)
        == "untrusted: it is not synchronised, and the RTC ds3231 shows 2000-01-01, which "
        + "cannot be right: it was never set, or without power")
  }

  @Test("what an RTC does wrong is told with its times in UTC") func faults() {
    let noon = Instant(seconds: 1_796_126_400)
    #expect(RTCFault.stopped(at: noon).words == "has stopped at 2026-12-01T12:00:00Z")
  }
}
