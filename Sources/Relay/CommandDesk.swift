import Basics

/// Reads what is received on the topics of commands, and recognises what is not to be carried out:
/// what the broker had kept, what has expired, what has come before.
public struct CommandDesk {
  /// How many ids are remembered. A command that may be delivered again later needs an end.
  private static let mostIDs = 1024

  /// How far ahead an instant may be: further, and it is a mistake, or meant for nobody any more.
  private static let furthest = Duration.seconds(86_400)

  private var ids: Set<String> = []
  /// The ids in the order in which they came.
  private var queue: [String] = []

  public init() {}

  /// Takes a message in.
  /// - Returns: what is to be done.
  /// - Throws: `Rejection` if nothing is.
  public mutating func take(_ message: MQTTMessage, at now: UTCTime) throws(Rejection) -> Order {
    guard !message.isRetained else {
      throw Rejection(
        .retained,
        "the broker has kept it and hands it over at every connection; send commands without retain"
      )
    }
    guard message.payload.count <= Order.largestPayload else {
      throw Rejection(
        .large,
        "it has \(message.payload.count) bytes; at most \(Order.largestPayload) are read")
    }
    guard let text = String(validating: message.payload, as: UTF8.self) else {
      throw Rejection(.json, "it is not JSON: it is not UTF-8")
    }
    let order = try Order(payload: text)
    if let expires = order.expires, expires <= now {
      throw rejection(of: order, .expired, "it was to be carried out before \(expires.text)")
    }
    if let instant = order.at {
      guard instant > now else {
        throw rejection(of: order, .past, "its instant \(instant.text) has passed")
      }
      guard instant - now <= Self.furthest else {
        throw rejection(
          of: order, .future, "its instant \(instant.text) is too far ahead: a day is allowed")
      }
    }
    guard let id = order.id else { return order }
    guard ids.insert(id).inserted else {
      throw rejection(of: order, .repeated, "a command with this id has come before")
    }
    queue.append(id)
    if queue.count > Self.mostIDs { ids.remove(queue.removeFirst()) }
    return order
  }

  /// It was not carried out: if it comes again, it is no repetition.
  public mutating func forget(_ order: Order) {
    guard let id = order.id, ids.remove(id) != nil else { return }
    queue.removeAll { $0 == id }
  }

  private func rejection(
    of order: Order, _ kind: Rejection.Kind, _ words: String
  ) -> Rejection {
    var rejection = Rejection(kind, "'\(order.name)': \(words)")
    rejection.id = order.id
    return rejection
  }
}
