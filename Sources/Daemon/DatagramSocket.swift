@preconcurrency import Glibc

/// Sends to a socket of another process, and never waits. systemd's own library waits, and cannot
/// be told not to.
final class DatagramSocket {
  private let descriptor: Int32
  private var address = sockaddr_un()
  private let size: socklen_t

  /// - Parameter path: the socket's file, or `@` and an abstract name. Nil if it is empty, or longer
  ///   than unix(7) allows.
  init?(path: String) {
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard !path.isEmpty, path.utf8.count < room else { return nil }
    descriptor = socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
    size = socklen_t(start + path.utf8.count)
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8)
      if path.hasPrefix("@") { bytes[0] = 0 }
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// - Returns: false if nobody is there, or the datagram is not taken now.
  func send(_ datagram: [UInt8]) -> Bool {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(descriptor, datagram, datagram.count, Int32(MSG_NOSIGNAL), address, size) >= 0
      }
    }
  }
}
