@preconcurrency import Glibc

/// Sends entries to journald, and never waits for it.
///
/// `sd_journal_sendv(3)` waits for as long as journald takes nothing, and cannot be told not to. So
/// this speaks the protocol itself (systemd.io/JOURNAL_NATIVE_PROTOCOL): a datagram an entry.
final class JournalSocket {
  private static let path = "/run/systemd/journal/socket"

  private let descriptor = socket(
    AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// - Parameter fields: `NAME=value` each.
  /// - Returns: false if the journal is not there, or takes nothing.
  func send(_ fields: [String]) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Self.path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let datagram = fields.flatMap(Self.encoded)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        while true {
          let count = sendto(
            descriptor, datagram, datagram.count, Int32(MSG_NOSIGNAL), address, size)
          if count >= 0 || errno != EINTR { return count >= 0 }
        }
      }
    }
  }

  /// A value of several lines has its length before it, as 64 bits, the lowest first.
  static func encoded(_ field: String) -> [UInt8] {
    guard field.utf8.contains(10), let equals = field.firstIndex(of: "=") else {
      return Array(field.utf8) + [10]
    }
    let value = Array(field[field.index(after: equals)...].utf8)
    let length = withUnsafeBytes(of: UInt64(value.count).littleEndian, Array.init)
    return Array(field[..<equals].utf8) + [10] + length + value + [10]
  }
}
