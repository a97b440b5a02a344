import Horology

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
  var due: Instant?
  var reason: String?
  /// Set if the device has gone; nil if it stays active.
  var departure: Departure?

  struct Departure: Hashable {
    let reason: String
    /// A device that registered after this stays active; nil to ignore when it registered.
    let since: Instant?
  }
}
