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

  /// As the journal takes it, `NAME=value` each.
  var lines: [String] {
    [
      "MESSAGE=\(message)", "PRIORITY=\(priority.rawValue)", "SYSLOG_IDENTIFIER=clocksmith",
      "MESSAGE_ID=\(event.messageID)", "CLOCKSMITH_EVENT=\(event.rawValue)",
    ] + fields.sorted { $0.key < $1.key }.map { "CLOCKSMITH_\($0.key)=\($0.value)" }
  }
}

/// The story of the service: an entry for each event, with its fields to the journal of systemd,
/// or as a line to whatever else standard error is.
///
/// Nothing waits for it: what nobody takes is counted, and the count told as soon as it is taken.
public final class Journal {
  private let isUnderSystemd = Journal.isStandardErrorTheJournal
  private let socket = JournalSocket()
  private let standardError = StandardError()
  /// Entries that nobody took.
  private var lost = 0

  public init() {}

  public func log(
    _ event: JournalEvent, _ priority: Priority, _ message: String,
    _ fields: [String: String?] = [:]
  ) {
    log(JournalEntry(event, priority, message, fields))
  }

  public func log(_ entry: JournalEntry) {
    tellLosses()
    if lost > 0 || !put(entry) { lost += 1 }
  }

  /// Tells how much was lost, if something was and words are taken again.
  func tellLosses() {
    guard lost > 0 else { return }
    let entries = lost == 1 ? "1 entry" : "\(lost) entries"
    let reader = isUnderSystemd ? "the journal" : "standard error"
    let entry = JournalEntry(
      .wordsLost, .warning, "lost \(entries): \(reader) took nothing for a while",
      ["LOST": String(lost)])
    if put(entry) { lost = 0 }
  }

  /// - Returns: false if nobody took it.
  private func put(_ entry: JournalEntry) -> Bool {
    if isUnderSystemd && socket.send(entry.lines) { return true }
    // Under systemd the priority stands before a line, as sd-daemon(3) has it; for a person it
    // does not.
    let mark = isUnderSystemd ? "<\(entry.priority.rawValue)>" : ""
    // One write, so that lines do not mix.
    return standardError.write("\(mark)\(entry.message)\n")
  }

  /// As systemd.exec(5) tells to find out: `JOURNAL_STREAM` is inherited by what has its standard
  /// error elsewhere, too.
  private static var isStandardErrorTheJournal: Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
