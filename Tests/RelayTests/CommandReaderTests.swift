import Basics
import Horology
import Testing

@testable import Relay

@Suite struct CommandReaderTests {
  private var reader = CommandReader()
  /// 2026-11-22T15:00:00Z.
  private let now = Instant(microseconds: 1_795_359_600_000_000)

  private var clockIsUsed = true

  private mutating func take(_ payload: String) throws(Rejection) -> Order.Action {
    try reader.read(Array(payload.utf8), at: now, clockIsUsed: clockIsUsed).action
  }

  private mutating func refusal(_ payload: String) -> Rejection? {
    do throws(Rejection) {
      _ = try take(payload)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "every command is the call that it stands for",
    arguments: [
      (#"{"command":"announce"}"#, "Announce", "{}"),
      (#"{"command":"announce","time":"15:30"}"#, "Announce", #"{"time":"15:30"}"#),
      (
        #"{"command":"announce","at":"2026-11-22T16:05:00.5+01:00","id":"bell"}"#, "Announce",
        #"{"at":"2026-11-22T15:05:00.5Z"}"#
      ),
      (
        #"{"command":"announce","at":1795360200,"expires":1795360200.5}"#, "Announce",
        #"{"at":"2026-11-22T15:10:00Z"}"#
      ),
      (#"{"command":"stop"}"#, "Stop", nil),
      (#"{"command":"volume","volume_db":-12}"#, "SetVolume", #"{"volume_db":-12.0}"#),
      (#"{"command":"timer_cancel","timer":"tea"}"#, "CancelTimer", #"{"timer":"tea"}"#),
      // As Home Assistant's templates fill it in.
      (
        #"{"command":"rounds","id":null,"work":20.0,"rest":10.0,"rounds":8.0,"words":null}"#,
        "StartInterval",
        #"{"work":20,"rest":10,"prepare":0,"rounds":8,"countdown":3,"words":false,"replace":false}"#
      ),
      (#"{"command":"mute","until":null}"#, "Mute", "{}"),
    ]) func calls(_ payload: String, _ method: String, _ request: String?) throws
  {
    var test = self
    guard case .request(let taken) = try test.take(payload) else {
      Issue.record("it is no request")
      return
    }
    #expect(taken.call.method == method && taken.call.record?.json == request)
  }

  @Test("what the relay carries out itself is no call of the clock") func ownCommands() throws {
    var test = self
    let token = TestRegister.token(0xAB)
    #expect(
      try test.take(#"{"command":"device_remove","token":"\#(token.uppercased())"}"#)
        == .remove(token: token))
    let device = try TestRegister.device(
      0xAB, Record(["platform": .text("watchos"), "events": .text("alarm")]))
    let add = #"{"command":"device_add","token":"\#(token)","platform":"watchos","events":"alarm"}"#
    #expect(try test.take(add) == .register(device))
  }

  @Test(
    "what is wrong in a command is told by its kind",
    arguments: [
      ("", Rejection.Kind.json), ("null", .json), ("{}", .command), (#"{"command":1}"#, .command),
      (#"{"command":"explode"}"#, .command), (#"{"command":"stop","x":1}"#, .key),
      (#"{"command":"mute","for":1e300}"#, .value),
      (#"{"command":"announce","time":"+7:00"}"#, .value),
      (#"{"command":"timer","seconds":null}"#, .value), (#"{"command":null}"#, .command),
      (#"{"command":"timer","seconds":0.9999994}"#, .value),
      (#"{"command":"interval","seconds":86400.000001}"#, .value),
      (#"{"command":"stop","expires":1e30}"#, .value),
      (#"{"command":"stop","expires":"2026-02-30T00:00:00Z"}"#, .value),
    ]) func kinds(_ payload: String, _ kind: Rejection.Kind)
  {
    var test = self
    #expect(test.refusal(payload)?.kind == kind)
  }

  @Test(
    "the tune of an alarm is a name, never a path",
    arguments: ["/etc/shadow", "./bell", "../bell", "/", "bells/"])
  func tunes(_ tune: String) {
    var test = self
    let payload = #"{"command":"alarm","time":"07:00","tune":"\#(tune)"}"#
    let words = "tune \"\(tune)\" is not allowed; write the name of a tune, not a path"
    #expect(test.refusal(payload) == Rejection(.value, words))
  }

  @Test("a command is carried out before its end and not from it on") func expiry() throws {
    var test = self
    #expect(test.refusal(#"{"command":"stop","expires":1795359600}"#)?.kind == .expired)
    #expect(test.refusal(#"{"command":"stop","expires":"2026-11-22T15:00:00Z"}"#)?.kind == .expired)
    let before = #"{"command":"announce","at":1795359660,"expires":1795359660}"#
    #expect(test.refusal(before)?.kind == .expired)
    #expect(test.refusal(#"{"command":"announce","time":"-0:30"}"#)?.kind == .value)
    #expect(test.refusal(#"{"command":"stop","expires":"2026-11-22T15:00:00.001Z"}"#) == nil)
  }

  @Test("an instant is neither past nor more than ten minutes ahead") func instants() {
    var test = self
    #expect(test.refusal(#"{"command":"announce","at":1795359600}"#)?.kind == .past)
    #expect(test.refusal(#"{"command":"announce","at":1795360201}"#)?.kind == .future)
    #expect(test.refusal(#"{"command":"announce","at":"2126-11-22T15:00:00Z"}"#)?.kind == .future)
    #expect(test.refusal(#"{"command":"announce","at":1795360200}"#) == nil)
    #expect(test.refusal(#"{"command":"stop","at":1795359601}"#)?.kind == .key)
  }

  @Test("ids are remembered without filling the memory") func manyIDs() {
    var test = self
    for number in 0...1024 {
      #expect(test.refusal(#"{"command":"stop","id":"\#(number)"}"#) == nil)
    }
    #expect(test.refusal(#"{"command":"stop","id":"1"}"#)?.kind == .repeated)
    #expect(test.refusal(#"{"command":"stop","id":"0"}"#) == nil)
  }

  @Test("by a clock that may be wrong no instant is judged") func untrusted() {
    var test = self
    test.clockIsUsed = false
    for key in ["expires", "at"] {
      let found = test.refusal("{\"command\":\"announce\",\"\(key)\":\"2026-11-22T15:10:00Z\"}")
      #expect(found?.kind == .untrusted)
    }
    #expect(test.refusal(#"{"command":"announce"}"#) == nil)
  }
}
