/// How much a notice matters, as syslog counts it.
public enum Priority: Int, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
}

/// Something that has happened: made once, and handed to the journal and to the listeners on the
/// bus.
public struct Notice: Hashable, Sendable {
  /// A word for programs, which the entry has as `CLOCKSMITH_EVENT`.
  public let event: String
  /// As `systemd-id128 new` makes one: what to do about it stands under it in the catalog.
  public let messageID: String
  public let priority: Priority
  /// A sentence for a person.
  public let message: String
  /// What programs look for: a field's name without its `CLOCKSMITH_`, and its value.
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

  /// As the journal takes it, `NAME=value` each.
  public func lines(identifier: String) -> [String] {
    [
      "MESSAGE=\(message)", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=\(identifier)",
      "MESSAGE_ID=\(messageID)", "CLOCKSMITH_EVENT=\(event)",
    ] + fields.sorted { $0.key < $1.key }.map { "CLOCKSMITH_\($0.key)=\($0.value)" }
  }
}
