import Basics
import Horology

/// Reads the messages of the command topics. Rejects those that must not be carried out: retained
/// by the broker, expired, or received before.
struct CommandReader {
  /// Number of ids remembered. A command that may be delivered again later needs `expires`.
  private static let mostIDs = 1024

  /// How far ahead an instant may be: they wait in the memory of the relay alone.
  private static let furthest = Duration.seconds(600)

  /// The oldest first.
  private var ids: [String] = []

  init() {}

  /// - Parameter clockIsUsed: true if the announcer says the time by its clock; nil if that is not
  ///   known.
  mutating func read(
    _ message: MQTTMessage, at now: Instant, clockIsUsed: Bool?
  ) throws(Rejection) -> Order {
    guard !message.isRetained else {
      throw Rejection(
        .retained,
        "the broker has kept it and hands it over at every connection; send commands without retain"
      )
    }
    guard message.size <= Order.largestPayload else {
      throw Rejection(
        .large, "it has \(message.size) bytes; at most \(Order.largestPayload) are read")
    }
    return try read(message.payload, at: now, clockIsUsed: clockIsUsed)
  }

  /// Reads a command, whether it came over MQTT or HTTP.
  /// - Parameters:
  ///   - payload: the command as JSON, no larger than `Order.largestPayload`.
  ///   - known: keys of the command that count instead of those in the payload.
  mutating func read(
    _ payload: [UInt8], at now: Instant, clockIsUsed: Bool?, with known: Record = Record()
  ) throws(Rejection) -> Order {
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw Rejection(.json, "it is not JSON: it is not UTF-8")
    }
    let order = try Order(payload: text, with: known)
    if let flaw = flaw(of: order, at: now, clockIsUsed) { throw order.rejection(flaw) }
    return order
  }

  /// Why a command must not be carried out; nil if it may. Then its id is remembered.
  private mutating func flaw(
    of order: Order, at now: Instant, _ clockIsUsed: Bool?
  ) -> Rejection? {
    // By a wrong clock, an old command may look new.
    if clockIsUsed != true, order.at != nil || order.expires != nil {
      let why =
        clockIsUsed == nil ? "whether the clock is right is not known" : "the clock is not trusted"
      let key = order.at != nil ? "at" : "expires"
      return Rejection(.untrusted, "\(why), so '\(key)' cannot be judged")
    }
    if let expires = order.expires, expires <= now {
      return Rejection(.expired, "it was to be carried out before \(expires.rfc3339)")
    }
    if let instant = order.at {
      if let expires = order.expires, expires <= instant {
        return Rejection(.expired, "it expires before its instant, at \(expires.rfc3339)")
      }
      if instant <= now {
        return Rejection(.past, "its instant \(instant.rfc3339) has passed")
      }
      if instant - now > Self.furthest {
        return Rejection(
          .future, "its instant \(instant.rfc3339) is too far ahead: ten minutes are allowed")
      }
    }
    guard let id = order.id else { return nil }
    if ids.contains(id) { return Rejection(.repeated, "a command with this id has come before") }
    ids = ids.suffix(Self.mostIDs - 1) + [id]
    return nil
  }

  /// Forgets the id of a command that was not carried out, so that it may be sent again.
  mutating func forget(_ order: Order) {
    ids.removeAll { $0 == order.id }
  }
}
