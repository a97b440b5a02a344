import Basics
import Daemon

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
  let created: UTCTime
  /// From this instant on the message is useless.
  let expires: UTCTime
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

/// A queue of deliveries: for one of Apple's servers, or for an entry of the configuration.
enum Lane: Hashable {
  case apns(Device.Environment)
  case ntfy(String)
  case webhook(String)

  /// As the register and the journal name it.
  var name: String {
    switch self {
    case .apns(let environment): "apns \(environment.rawValue)"
    case .ntfy(let name): "ntfy \(name)"
    case .webhook(let name): "webhook \(name)"
    }
  }

  /// Nil for an entry, which is itself one receiver.
  var environment: Device.Environment? {
    if case .apns(let environment) = self { environment } else { nil }
  }
}

/// One message for one receiver.
struct Delivery: Hashable {
  let id: Int64
  let message: Int64
  /// The number of the device; 0 for an entry.
  let device: Int64
  /// Empty for an entry.
  let token: String
  /// How many times it has been sent, including this time.
  let tries: Int
}

/// The states of a row of `deliveries`.
enum DeliveryState: String, CaseIterable {
  /// On its way.
  case sent
  /// To be sent again when it is due.
  case waiting
  case accepted
  case refused
  /// The message expired before anybody took it.
  case expired
  /// The relay ended before the answer: it may have been accepted, so it is not sent again.
  case unanswered
}

/// The result of a delivery.
struct Outcome: Hashable {
  let delivery: Delivery
  let state: DeliveryState
  /// When it is tried again, if it waits.
  var due: UTCTime?
  var reason: String?
  /// Set if the device has gone; nil if it stays active.
  var departure: Departure?

  struct Departure: Hashable {
    let reason: String
    /// A device that registered after this stays active; nil to ignore when it registered.
    let since: UTCTime?
  }
}
