import CSystemd
@preconcurrency import Glibc
import Sound

/// How much an entry matters, as syslog counts it.
public enum Priority: Int, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
}

/// An event of the service, as the journal keeps it.
public struct JournalEntry: Hashable, Sendable {
  public let event: JournalEvent
  public let priority: Priority
  /// A sentence for a person.
  public let message: String
  /// What programs look for: a field's name without its `CLOCKSMITH_`, and its value.
  public let fields: [String: String]

  /// - Parameter fields: those that are nil are left out.
  public init(
    _ event: JournalEvent, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    self.event = event
    self.priority = priority
    self.message = message
    self.fields = fields.compactMapValues { $0 }
  }

  /// As `sd_journal_sendv(3)` takes it, `NAME=value` each.
  var lines: [String] {
    [
      "MESSAGE=\(message)", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=clocksmith",
      "MESSAGE_ID=\(event.messageID)", "CLOCKSMITH_EVENT=\(event.rawValue)",
    ] + fields.sorted { $0.key < $1.key }.map { "CLOCKSMITH_\($0.key)=\($0.value)" }
  }
}

/// The story of the service: an entry for each event, with its fields to the journal of systemd,
/// or as a line to whatever else standard error is.
public struct Journal {
  private static let socket = "/run/systemd/journal/socket"

  private let isUnderSystemd = Self.isStandardErrorTheJournal

  public init() {}

  public func log(
    _ event: JournalEvent, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    log(JournalEntry(event, priority, message, fields))
  }

  public func log(_ entry: JournalEntry) {
    if isUnderSystemd && Self.send(entry.lines) { return }
    // Under systemd the priority stands before a line, as sd-daemon(3) has it; for a person it
    // does not.
    let mark = isUnderSystemd ? "<\(entry.priority.rawValue)>" : ""
    // One write, so that lines do not mix. A reader that has gone is no reason to stop.
    let line = "\(mark)\(entry.message)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// As systemd.exec(5) tells to find out: `JOURNAL_STREAM` is inherited by what has its standard
  /// error elsewhere, too.
  private static var isStandardErrorTheJournal: Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// - Returns: false if the journal has not got it.
  private static func send(_ lines: [String]) -> Bool {
    // Where there is no socket, sd_journal_sendv(3) drops the entry and calls that a success.
    guard access(socket, F_OK) == 0 else { return false }
    var bytes = lines.flatMap { Array($0.utf8) }
    return bytes.withUnsafeMutableBytes { buffer in
      var start = 0
      let parts = lines.map { line in
        defer { start += line.utf8.count }
        return iovec(iov_base: buffer.baseAddress! + start, iov_len: line.utf8.count)
      }
      while true {
        let code = sd_journal_sendv(parts, Int32(parts.count))
        if code != -EINTR { return code >= 0 }
      }
    }
  }
}
