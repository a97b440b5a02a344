import Basics
import Horology

/// One message for one receiver.
struct Delivery: Hashable {
  let id: Int64
  let message: RegisteredMessage
  /// The number of the device; 0 for an entry.
  let device: Int64
  /// Empty for an entry.
  let token: String
  /// How many times it has been sent, including this time.
  let tries: Int

  /// In the form of a UUID of version 4. A delivery that is sent again has the same id.
  var requestID: String {
    var chance = SplitMix64(seed: message.seed ^ UInt64(bitPattern: id))
    let high = chance.next() & ~0xF000 | 0x4000
    let low = chance.next() & ~(0b11 << 62) | (0b10 << 62)
    let digits = Array((Self.hexadecimal(high) + Self.hexadecimal(low)).utf8)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return parts.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

/// The states of a delivery. A row of `deliveries` has one of the first three.
enum DeliveryState: String, CaseIterable {
  /// To be sent when it is due. While it is on its way, too: a relay that starts sends it again.
  case waiting
  case refused
  /// The message expired before anybody took it.
  case expired
  /// It has no row any more; its message counts it.
  case accepted
}

/// The result of an attempt to deliver.
struct Outcome: Hashable {
  let delivery: Delivery
  let state: DeliveryState
  /// When it is tried again, if it waits.
  var due: Instant?
  var reason: String?
  /// Set if the device has gone; nil if it stays active.
  var departure: Departure?

  struct Departure: Hashable {
    let reason: String
    /// What the provider knows from then: a device that registered after it stays active.
    let since: Instant
  }
}
