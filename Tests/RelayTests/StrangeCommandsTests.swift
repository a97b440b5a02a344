import Basics
import Horology
import Testing

@testable import Relay

@Suite struct StrangeCommandsTests {
  private static let values = [
    "0", "-1", "1e308", "-1e308", "9223372036854775807", "18446744073709551616", "0.0000001",
    "null", "true", "[]", "{}", "\"\"", "\"07:00\"", "\"next\"", "\"2026-11-22T15:00:01Z\"",
    "\"9999-99-99T99:99:99Z\"", "\"\\u0000\"", "\"\\ud800\"", "1795359601",
  ]

  @Test("whatever a command holds, it is a call or a reason, and the reason is short")
  func anyValues() {
    var chance = SplitMix64(seed: 7)
    func pick<Element>(_ list: [Element]) -> Element {
      list[Int(chance.next() % UInt64(list.count))]
    }
    let names = CommandTable.entries.keys.sorted()
    let keys = Set(CommandTable.entries.values.flatMap(\.keys)).union(["at", "id", "expires"])
      .sorted()
    var reader = CommandReader()
    var accepted = 0
    for _ in 0..<20_000 {
      let name = pick(names)
      let own = CommandTable.entries[name]!.keys.sorted() + ["at", "id", "expires"]
      let fields = (0..<(chance.next() % 4)).map { _ in
        "\"\(chance.next() % 8 == 0 ? pick(keys) : pick(own))\":\(pick(Self.values))"
      }
      var bytes = Array("{\((["\"command\":\"\(name)\""] + fields).joined(separator: ","))}".utf8)
      // In one command of four, a random byte is replaced.
      if chance.next() % 4 == 0 {
        bytes[Int(chance.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: chance.next())
      }
      do throws(Rejection) {
        _ = try reader.take(
          MQTTMessage(topic: "c", payload: bytes, isRetained: false),
          at: Instant(microseconds: 1_795_359_600_000_000), clockIsUsed: true)
        accepted += 1
      } catch {
        #expect(error.words.utf8.count < 500)
      }
    }
    #expect(accepted > 1000)
  }
}
