import Basics
import Horology

/// A message in words. Each provider has its own form of it.
struct PushMessage: Hashable {
  let event: PushEvents
  /// The event of its notice, as in `alarm_rings`; `message` for a person's words, or `occasion`.
  let kind: String
  let title: String
  let body: String
  var fields: [String: String] = [:]
  /// On a screen, a later message with the same value replaces this one.
  let collapse: String
  let created: Instant
  let expires: Instant

  var fieldsRecord: Record {
    var record = Record()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { record[name] = .text(value) }
    return record
  }
}

/// As the register keeps it.
extension PushMessage {
  private static let event = Key<Int>.integer("event", 1...127)
  private static let created = Key<Instant>.instant("created")
  private static let expires = Key<Instant>.instant("expires")

  var record: Record {
    var record = Record([
      "kind": .text(kind), "title": .text(title), "body": .text(body),
      "fields": .record(fieldsRecord), "collapse": .text(collapse),
    ])
    record[Self.event] = Int(event.rawValue)
    record[Self.created] = created
    record[Self.expires] = expires
    return record
  }

  init(_ record: Record) throws(BadValue) {
    event = PushEvents(rawValue: Int64(try record.value(Self.event)))
    kind = try record.value(.text("kind"))
    title = try record.value(.text("title"))
    body = try record.value(.text("body"))
    collapse = try record.value(.text("collapse"))
    created = try record.value(Self.created)
    expires = try record.value(Self.expires)
    guard case .record(let named)? = record["fields"] else { return }
    for case (let name, .text(let text)) in named.fields { fields[name] = text }
  }
}
