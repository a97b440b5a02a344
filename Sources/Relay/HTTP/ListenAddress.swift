import Basics
@preconcurrency import Glibc

/// The address of this machine, and the port, at which the server listens for apps.
public struct ListenAddress: Hashable, Sendable {
  /// Numeric: looking a name up would block.
  let host: String
  let port: UInt16

  private static let backlog: Int32 = 64

  static let usual = ListenAddress(host: "127.0.0.1", port: 8080)

  private init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  private static let leastPort: UInt16 = 80

  /// Reads `127.0.0.1:8080` or `[::1]:8080`. Nil for anything else, and for a port below 80.
  init?(text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...]), port >= Self.leastPort
    else { return nil }
    let host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    // An IPv6 address without brackets would hide the port.
    guard isBracketed || !host.utf8.contains(UInt8(ascii: ":")) else { return nil }
    self.init(host: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
    guard let found = found else { return nil }
    freeaddrinfo(found)
  }

  /// As in `[::1]:8080`.
  public var text: String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  public var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

  /// The caller frees the result. Nil if the host is not an address.
  private var found: UnsafeMutablePointer<addrinfo>? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    return !host.isEmpty && getaddrinfo(host, String(port), &hints, &found) == 0 ? found : nil
  }

  /// - Throws: `Fault` if another program listens there, or the address is not there yet.
  func listen() throws(Fault) -> Int32 {
    let operation = "cannot listen at \(text)"
    guard let found else { throw Fault(operation, "it is no address") }
    defer { freeaddrinfo(found) }
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(found.pointee.ai_family, Int32(kind), 0)
    guard descriptor >= 0 else { throw Fault(operation, errno: errno) }
    var yes: Int32 = 1
    // Ended connections that are still known to the kernel must not hold the port.
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
    guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
      Glibc.listen(descriptor, Self.backlog) == 0
    else {
      let code = errno
      close(descriptor)
      let advice =
        code == EADDRINUSE ? "; end the other program, or set another 'listen' under [http]" : ""
      throw Fault(operation, code: code, String(cString: strerror(code)) + advice)
    }
    return descriptor
  }
}
