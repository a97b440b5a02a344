import Basics
import Horology

/// Reads commands. Rejects those that must not be carried out: expired, or received before.
struct CommandReader {
  /// Number of ids remembered. A command that may be delivered again later needs `expires`.
  private static let mostIDs = 1024

  /// How far ahead an instant may be: they wait in the memory of the relay alone.
  private static let furthest = Duration.seconds(600)

  /// The oldest first.
  private var ids: [String] = []

  init() {}

  /// - Parameters:
  ///   - payload: the command as JSON, no larger than `Order.largestPayload`.
  ///   - clockIsUsed: whether the announcer is known to say the time by its clock.
  ///   - known: keys of the command that count instead of those in the payload.
  mutating func read(
    _ payload: [UInt8], at now: Instant, clockIsUsed: Bool, with known: Record = Record()
  ) throws(Rejection) -> Order {
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw Rejection(.json, "it is not JSON: it is not UTF-8")
    }
    let order = try Order(payload: text, with: known)
    if let flaw = flaw(of: order, at: now, clockIsUsed) { throw order.rejection(flaw) }
    if let id = order.id { ids = ids.suffix(Self.mostIDs - 1) + [id] }
    return order
  }

  /// Why a command must not be carried out; nil if it may.
  private func flaw(of order: Order, at now: Instant, _ clockIsUsed: Bool) -> Rejection? {
    // By a wrong clock, an old command may look new.
    if !clockIsUsed, order.at != nil || order.expires != nil {
      let key = order.at != nil ? "at" : "expires"
      return Rejection(
        .untrusted, "the clock is not known to be right, so '\(key)' cannot be judged")
    }
    if let expires = order.expires, expires <= max(now, order.at ?? now) {
      return Rejection(.expired, "it was to be carried out before \(expires.rfc3339)")
    }
    if let instant = order.at {
      if instant <= now {
        return Rejection(.past, "its instant \(instant.rfc3339) has passed")
      }
      if instant - now > Self.furthest {
        return Rejection(
          .future, "its instant \(instant.rfc3339) is too far ahead: ten minutes are allowed")
      }
    }
    guard let id = order.id, ids.contains(id) else { return nil }
    return Rejection(.repeated, "a command with this id has come before")
  }

  /// Forgets the id of a command that was not carried out, so that it may be sent again.
  mutating func forget(_ order: Order) {
    ids.removeAll { $0 == order.id }
  }
}
