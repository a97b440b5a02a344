/// Sends entries to journald without waiting for it, by its own protocol
/// (systemd.io/JOURNAL_NATIVE_PROTOCOL): one datagram for each entry.
struct JournalSocket {
  private let socket = DatagramSocket(path: "/run/systemd/journal/socket")!

  /// - Parameter fields: `NAME=value` each.
  /// - Returns: false if the journal is not there, or takes nothing.
  func send(_ fields: [String]) -> Bool {
    socket.send(fields.flatMap(Self.encoded))
  }

  /// A value of several lines has its length before it, as 64 bits in little-endian order.
  static func encoded(_ field: String) -> [UInt8] {
    guard field.utf8.contains(10), let equals = field.firstIndex(of: "=") else {
      return Array(field.utf8) + [10]
    }
    let value = Array(field[field.index(after: equals)...].utf8)
    let length = withUnsafeBytes(of: UInt64(value.count).littleEndian, Array.init)
    return Array(field[..<equals].utf8) + [10] + length + value + [10]
  }
}
