import Basics
@preconcurrency import Glibc

/// The log of the service: entries with their fields for the journal of systemd, otherwise lines for
/// standard error. It never waits. Entries that nobody takes are counted, and the count is logged
/// as soon as entries are taken again.
public final class Journal {
  private let isUnderSystemd = Journal.isStandardErrorTheJournal
  /// To journald, by its own protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): a datagram for each
  /// entry.
  private let socket = DatagramSocket(path: "/run/systemd/journal/socket")!
  private let standardError = StandardError()
  private var lost = 0
  /// Called with every notice as well.
  public var heard: (Notice) -> Void = { _ in }

  private let identifier: String
  private let wordsLost: (_ message: String, _ fields: [String: String?]) -> Notice

  /// - Parameters:
  ///   - identifier: the program's name, as `journalctl -t` takes it.
  ///   - wordsLost: makes the notice of entries that nobody took, as an event of the program's own.
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

  /// Logs how many entries were lost, if any were and entries are taken again.
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
    let fields = notice.lines(identifier: identifier)
    if isUnderSystemd && socket.send(fields.flatMap(Self.encoded)) { return true }
    // Under systemd a line begins with its priority, as in sd-daemon(3). For a person it does not.
    let mark = isUnderSystemd ? "<\(notice.priority.rawValue)>" : ""
    // One write, so that lines do not mix.
    return standardError.write("\(mark)\(notice.message.printable)\n")
  }

  /// Compares the file, as systemd.exec(5) says: a process inherits `JOURNAL_STREAM` even if its
  /// standard error goes elsewhere.
  private static var isStandardErrorTheJournal: Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// A value may have several lines: its length is before it, as 64 bits in little-endian order.
  static func encoded(_ field: String) -> [UInt8] {
    let equals = field.utf8.firstIndex(of: UInt8(ascii: "="))!
    let value = field.utf8[equals...].dropFirst()
    let length = withUnsafeBytes(of: UInt64(value.count).littleEndian, Array.init)
    return field.utf8[..<equals] + [10] + length + value + [10]
  }
}
