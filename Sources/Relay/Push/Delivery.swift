import Basics
import CSystemd
import Horology

/// A message that was published, and how its deliveries have ended so far.
final class Publication {
  let message: PushMessage
  fileprivate(set) var waiting = 0
  private(set) var counts: [DeliveryEnd: Int] = [:]
  /// The deliveries that nobody accepted, as in `webhook school: refused, status 410`.
  private var failures: [String: Int] = [:]

  init(_ message: PushMessage) { self.message = message }

  func ended(_ delivery: Delivery, _ end: DeliveryEnd, _ reason: String?) {
    waiting -= 1
    counts[end, default: 0] += 1
    guard end != .accepted else { return }
    failures["\(delivery.lane): \(end.rawValue), \(reason ?? "")", default: 0] += 1
  }

  /// The most frequent failures first, so many at most.
  func failures(most: Int) -> [String] {
    failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(most).map(\.key)
  }
}

/// One message for one receiver.
final class Delivery {
  /// A UUID, by which the receiver knows a delivery that is sent again.
  let id: String
  let publication: Publication
  let lane: String
  /// The number of the device; 0 for an entry.
  let device: Int64
  var tries = 0
  /// When it is sent next, on the clock that is never set.
  var due = Duration.zero

  var message: PushMessage { publication.message }

  init(
    id: String = Delivery.makeID(), _ publication: Publication, lane: String, device: Int64 = 0
  ) {
    self.id = id
    self.publication = publication
    self.lane = lane
    self.device = device
    publication.waiting += 1
  }

  static func makeID() -> String {
    var id = sd_id128_t()
    sd_id128_randomize(&id)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 37) {
      String(cString: sd_id128_to_uuid_string(id, $0.baseAddress!))
    }
  }
}

enum DeliveryEnd: String {
  case accepted, refused
  /// The message expired before anybody took it.
  case expired
}
