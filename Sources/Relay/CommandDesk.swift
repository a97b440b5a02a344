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
  /// - Parameter clockIsUsed: true if the announcer says the time by its clock; nil if that is not
  ///   known.
  /// - Returns: what is to be done.
  /// - Throws: `Rejection` if nothing is.
  public mutating func take(
    _ message: MQTTMessage, at now: UTCTime, clockIsUsed: Bool?
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
    return try take(message.payload, at: now, clockIsUsed: clockIsUsed)
  }

  /// Takes a command in, however it came.
  /// - Parameters:
  ///   - payload: the command as JSON, no larger than `Order.largestPayload`.
  ///   - known: what of the command was told elsewhere, and may not be told again.
  /// - Returns: what is to be done.
  /// - Throws: `Rejection` if nothing is.
  mutating func take(
    _ payload: [UInt8], at now: UTCTime, clockIsUsed: Bool?,
    with known: [(key: String, text: String)] = []
  ) throws(Rejection) -> Order {
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw Rejection(.json, "it is not JSON: it is not UTF-8")
    }
    let order = try Order(payload: text, with: known)
    // Judged by a wrong clock, what is old is new.
    if clockIsUsed != true, let key = order.instantKey {
      let why =
        clockIsUsed == nil ? "whether the clock is right is not known" : "the clock is not trusted"
      throw rejection(of: order, .untrusted, "\(why), so '\(key)' cannot be judged")
    }
    if let expires = order.expires, expires <= now {
      throw rejection(of: order, .expired, "it was to be carried out before \(expires.text)")
    }
    if let expires = order.expires, let instant = order.at, expires <= instant {
      throw rejection(
        of: order, .expired, "it expires before its instant, at \(expires.text)")
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
    guard remember(order) else {
      throw rejection(of: order, .repeated, "a command with this id has come before")
    }
    return order
  }

  /// Takes in that a command has come.
  /// - Returns: false if it has come before.
  @discardableResult
  public mutating func remember(_ order: Order) -> Bool {
    guard let id = order.id else { return true }
    guard ids.insert(id).inserted else { return false }
    queue.append(id)
    if queue.count > Self.mostIDs { ids.remove(queue.removeFirst()) }
    return true
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

extension Order {
  /// What of it says something of the clock; nil if nothing does.
  fileprivate var instantKey: String? {
    at != nil ? "at" : expires != nil ? "expires" : nil
  }
}
