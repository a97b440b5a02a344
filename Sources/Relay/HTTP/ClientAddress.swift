@preconcurrency import Glibc

/// Who asks, as the journal and the limits name it.
enum ClientAddress {
  /// As in `192.168.1.5`, or of IPv6 the network of 64 bits that a customer has: `2001:db8::/64`.
  static func text(of address: UnsafePointer<sockaddr>?) -> String {
    guard let address else { return "an unknown address" }
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      return text(
        AF_INET, withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) })
    case AF_INET6:
      return text(
        ofIPv6: withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) })
    default: return "an unknown address"
    }
  }

  static func text(ofIPv6 bytes: [UInt8]) -> String {
    // An address of IPv4 at a socket of both: ::ffff:192.168.1.5.
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10...11].allSatisfy({ $0 == 0xFF }) {
      return text(AF_INET, Array(bytes[12...]))
    }
    return text(AF_INET6, Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8)) + "/64"
  }

  private static func text(_ family: Int32, _ bytes: [UInt8]) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      inet_ntop(family, bytes, buffer.baseAddress, socklen_t(buffer.count))
        .map { String(cString: $0) } ?? ""
    }
  }
}
