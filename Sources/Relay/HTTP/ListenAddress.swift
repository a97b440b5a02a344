@preconcurrency import Glibc

/// The address of this machine, and the port, at which the server listens for apps.
public struct ListenAddress: Hashable, Sendable {
  /// As in `[::1]:8080`.
  public let text: String
  let port: UInt16
  /// A `sockaddr`.
  let bytes: [UInt8]

  static let usual = ListenAddress(text: "127.0.0.1:8080")!

  /// Nil for anything but `ADDRESS:PORT` or `[ADDRESS]:PORT`, and for a port below 80. Only for an
  /// address in numbers: looking a name up would block.
  init?(text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...]), port >= 80
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      // An IPv6 address without brackets would hide the port.
      return nil
    }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard !host.isEmpty, getaddrinfo(String(host), String(port), &hints, &found) == 0, let found
    else { return nil }
    defer { freeaddrinfo(found) }
    (self.text, self.port) = (text, port)
    bytes = Array(
      UnsafeRawBufferPointer(
        start: found.pointee.ai_addr, count: Int(found.pointee.ai_addrlen)))
  }

  /// IPv4 in place of `[::]` on a machine that has no IPv6.
  public var usable: ListenAddress {
    text.hasPrefix("[::]:") && !Self.hasIPv6 ? ListenAddress(text: "0.0.0.0:\(port)")! : self
  }

  private static var hasIPv6: Bool {
    let socket = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return errno != EAFNOSUPPORT }
    close(socket)
    return true
  }

  public var isLoopback: Bool { text.hasPrefix("127.") || text.hasPrefix("[::1]:") }
}
