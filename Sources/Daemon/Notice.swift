import Basics

/// The importance of a notice, by syslog's numbers.
public enum Priority: Int, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
}

/// Something that happened, for the journal and for the listeners on the bus.
public struct Notice: Hashable, Sendable {
  /// A word for programs.
  public let event: String
  /// An ID made by `systemd-id128 new`. The catalog says under it what to do.
  public let messageID: String
  public let priority: Priority
  public let message: String
  /// Values for programs, by the field's name without its `CLOCKSMITH_`.
  public let fields: [String: String]

  /// - Parameter fields: those that are nil are left out.
  public init(
    event: String, messageID: String, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    self.event = event
    self.messageID = messageID
    self.priority = priority
    self.message = message
    self.fields = fields.compactMapValues { $0 }
  }

  public var record: Record {
    var names = Record()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { names[name] = .text(value) }
    return Record([
      "event": .text(event), "priority": .integer(Int64(priority.rawValue)), "text": .text(message),
      "fields": .record(names),
    ])
  }

  /// What another program reads of it on the bus; nil for a record that is no notice.
  public static func parts(
    of record: Record
  ) -> (event: String, words: String, fields: [String: String])? {
    guard case .text(let event)? = record["event"], case .text(let words)? = record["text"],
      case .record(let names)? = record["fields"]
    else { return nil }
    var fields: [String: String] = [:]
    for case (let name, .text(let value)) in names.fields { fields[name] = value }
    return (event, words, fields)
  }

  public func lines(identifier: String) -> [String] {
    [
      "MESSAGE=\(message)", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=\(identifier)",
      "MESSAGE_ID=\(messageID)", "CLOCKSMITH_EVENT=\(event)",
    ] + fields.sorted { $0.key < $1.key }.map { "CLOCKSMITH_\($0.key)=\($0.value)" }
  }
}
