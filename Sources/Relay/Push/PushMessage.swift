import Basics
import Horology

/// A message in words. Each provider has its own form of it.
struct PushMessage: Hashable {
  let event: PushEvents
  /// The event of its notice, as in `alarm_rings`; `message` for a person's words, or `occasion`.
  let kind: String
  let title: String
  let body: String
  /// The fields of the notice.
  var fields: [String: String] = [:]
  /// On a screen, a later message with the same value replaces this one.
  let collapse: String
  let created: Instant
  /// From this instant on the message is useless.
  let expires: Instant

  /// The fields, in the order of their names.
  var fieldsRecord: Record {
    var record = Record()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { record[name] = .text(value) }
    return record
  }
}

/// A message in the register.
struct RegisteredMessage: Hashable {
  let id: Int64
  let message: PushMessage
  /// The seed of its request ids, so that a retry has the same id.
  let seed: UInt64

  /// A delivery's id, in the form of a UUID of version 4.
  func requestID(of delivery: Int64) -> String {
    var chance = SplitMix64(seed: seed ^ UInt64(bitPattern: delivery))
    let high = chance.next() & ~0xF000 | 0x4000
    let low = chance.next() & ~(0b11 << 62) | (0b10 << 62)
    // Made byte by byte: a message for ten thousand devices has ten thousand of them.
    return String(unsafeUninitializedCapacity: 36) { text in
      var index = 0
      for (number, hyphens) in [(high, [32, 16, 0]), (low, [48])] {
        for shift in stride(from: 60, through: 0, by: -4) {
          let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
          text[index] = digit + UInt8(ascii: digit < 10 ? "0" : "W")
          index += 1
          if hyphens.contains(shift) {
            text[index] = UInt8(ascii: "-")
            index += 1
          }
        }
      }
      return index
    }
  }
}
