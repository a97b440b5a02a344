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
}
