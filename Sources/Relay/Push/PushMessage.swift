import Basics
import Daemon

/// What is published, in words; each provider has its own form of it.
struct PushMessage: Hashable {
  let event: PushEvents
  /// The event of the notice that it came of, as in `alarm_rings`; `message` of a person's words.
  let kind: String
  let title: String
  let body: String
  /// Of the notice.
  var fields: [String: String] = [:]
  /// A later message of the same takes the place of this one on a screen.
  let collapse: String
  let created: UTCTime
  /// From when on it is worth nothing.
  let expires: UTCTime
}

/// A message of the register.
struct RegisteredMessage: Hashable {
  let id: Int64
  let message: PushMessage
  /// From which the ids of its requests are made: the same again when one is tried again.
  let seed: UInt64

  /// An id for a delivery, of the form of a UUID of version 4.
  func requestID(of delivery: Int64) -> String {
    var chance = SplitMix64(seed: seed ^ UInt64(bitPattern: delivery))
    let high = chance.next() & ~0xF000 | 0x4000
    let low = chance.next() & ~(0b11 << 62) | (0b10 << 62)
    let digits = [high, low].map { number in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    let (first, second) = (digits[0], digits[1])
    return [
      first.prefix(8), first.dropFirst(8).prefix(4), first.dropFirst(12), second.prefix(4),
      second.dropFirst(4),
    ].joined(separator: "-")
  }
}

/// Where deliveries go, one after the other: a server of Apple's, or an entry of the configuration.
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

  /// Nil of an entry, which is one receiver itself.
  var environment: Device.Environment? {
    if case .apns(let environment) = self { environment } else { nil }
  }
}

/// One message for one receiver.
struct Delivery: Hashable {
  let id: Int64
  let message: Int64
  /// The number of the device; 0 of an entry.
  let device: Int64
  /// Empty of an entry.
  let token: String
  /// How many times it has been sent, this one too.
  let tries: Int
}

/// What a row of `deliveries` may be.
enum DeliveryState: String, CaseIterable {
  /// On its way.
  case sent
  /// To be sent again when it is due.
  case waiting
  case accepted
  case refused
  /// The message had no worth any more before anybody took it.
  case expired
  /// The relay ended before the answer: it may have been accepted, so it is not sent again.
  case unanswered
}

/// What has become of a delivery that was sent.
struct Outcome: Hashable {
  let delivery: Delivery
  let state: DeliveryState
  /// When it is tried again, if it waits.
  var due: UTCTime?
  var reason: String?
  /// The device is told no more; nil if it is told on.
  var departure: Departure?

  struct Departure: Hashable {
    let reason: String
    /// A device that was registered after this is told on; nil if that makes no difference.
    let since: UTCTime?
  }
}
