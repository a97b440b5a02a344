import Basics
@preconcurrency import Glibc

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
  /// Told of every notice as well.
  public var heard: (Notice) -> Void = { _ in }

  private let identifier: String
  /// What is told of entries that were lost, as an event of the program's own.
  private let wordsLost: (_ message: String, _ fields: [String: String?]) -> Notice

  /// - Parameters:
  ///   - identifier: the program's name, as `journalctl -t` takes it.
  ///   - wordsLost: makes the notice of entries that nobody took.
  public init(
    identifier: String, wordsLost: @escaping (String, [String: String?]) -> Notice
  ) {
    self.identifier = identifier
    self.wordsLost = wordsLost
  }

  public func log(_ notice: Notice) {
    tellLosses()
    if lost > 0 || !put(notice) { lost += 1 }
    heard(notice)
  }

  /// Tells how much was lost, if something was and words are taken again.
  public func tellLosses() {
    guard lost > 0 else { return }
    let entries = lost == 1 ? "1 entry" : "\(lost) entries"
    let reader = isUnderSystemd ? "the journal" : "standard error"
    let notice = wordsLost(
      "lost \(entries): \(reader) took nothing for a while", ["LOST": String(lost)])
    guard put(notice) else { return }
    lost = 0
    heard(notice)
  }

  /// - Returns: false if nobody took it.
  private func put(_ notice: Notice) -> Bool {
    if isUnderSystemd && socket.send(notice.lines(identifier: identifier)) { return true }
    // Under systemd the priority stands before a line, as sd-daemon(3) has it; for a person it
    // does not.
    let mark = isUnderSystemd ? "<\(notice.priority.rawValue)>" : ""
    // One write, so that lines do not mix.
    return standardError.write("\(mark)\(notice.message.printable)\n")
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
