import Basics
import Daemon
import Horology
import Testing

@testable import Relay

/// The relay refuses what no state of the clock would allow, and nothing else.
@Suite struct CommandLimitsTests {
  private static let timer = [Countdown.shortest, Countdown.longest]
  private static let interval = [IntervalPlan.shortest, IntervalPlan.longest]
  private static let microsecond = Duration.microseconds(1)

  /// The values of the call that a command makes; nil if the relay refuses it as a wrong value.
  private func values(_ rest: String) throws -> [BusValue]? {
    var desk = CommandDesk()
    let message = MQTTMessage(
      topic: "c", payload: Array(#"{"command":\#(rest)}"#.utf8), isRetained: false)
    let now = UTCTime(microseconds: 1_795_359_600_000_000)
    do throws(Rejection) {
      let order = try desk.take(message, at: now, clockIsUsed: true)
      guard case .call(.method(_, let values)) = order.action else { return [] }
      return values
    } catch {
      try #require(error.kind == .value)
      return nil
    }
  }

  /// Seconds with six digits behind the point, as JSON has them.
  private func json(_ span: Duration) -> String {
    let (seconds, attoseconds) = span.components
    let micros = String(attoseconds / 1_000_000_000_000)
    return "\(seconds).\(String(repeating: "0", count: 6 - micros.count))\(micros)"
  }

  private func expect(_ ends: [Duration], _ command: (String) -> String) throws {
    for end in ends {
      let values = try values(command(json(end)))
      #expect(values?.contains(.unsigned(UInt64(end.microseconds))) == true, "\(end)")
    }
    for outside in [ends[0] - Self.microsecond, ends[1] + Self.microsecond] {
      #expect(try values(command(json(outside))) == nil, "\(outside)")
    }
  }

  @Test("a timer is as long as the clock allows") func timers() throws {
    try expect(Self.timer) { #""timer","seconds":\#($0)"# }
    try expect(Self.timer) { #""timer_add","timer":1,"seconds":\#($0)"# }
  }

  @Test("an interval is as long as the clock allows") func intervals() throws {
    try expect(Self.interval) { #""interval","seconds":\#($0)"# }
    try expect(Self.interval) { #""rounds","work":\#($0),"rest":0"# }
    try expect(Self.interval) { #""rounds","work":5,"rest":\#($0)"# }
    try expect(Self.interval) { #""rounds","work":5,"rest":0,"prepare":\#($0)"# }
  }

  @Test("rounds may do without a rest and a time to prepare") func pauses() throws {
    #expect(try values(#""rounds","work":5,"rest":0,"prepare":0"#) != nil)
    #expect(IntervalPlan.rounds(IntervalRounds(work: .seconds(5))).flaw == nil)
  }

  @Test("there are as many rounds, and as much is counted down, as the clock allows")
  func counts() throws {
    for (key, least, most) in [
      ("rounds", 1, IntervalPlan.mostRounds), ("countdown", 0, IntervalPlan.longestCountdown),
    ] {
      for count in [least, most] {
        let values = try values(#""rounds","work":5,"rest":0,"\#(key)":\#(count)"#)
        #expect(values?.contains(.small(UInt32(count))) == true)
      }
      for count in [least - 1, most + 1] {
        #expect(try values(#""rounds","work":5,"rest":0,"\#(key)":\#(count)"#) == nil)
      }
    }
  }

  @Test("a mute lasts as long as the clock allows") func mutes() throws {
    // A call with 0 would mean no end.
    try expect([Self.microsecond, SoftwareMute.longest]) { #""mute","for":\#($0)"# }
  }
}
