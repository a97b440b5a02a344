@preconcurrency import Glibc

/// A client's address, as in the journal and the limits.
enum ClientAddress {
  /// As in `192.168.1.5`; for IPv6 a customer's network of 64 bits, as in `2001:db8::/64`.
  /// - Parameter forwardedFor: the header `X-Forwarded-For`. Its last address is the one that the
  ///   proxy has seen itself. It counts only if the proxy is on this machine.
  static func text(of address: UnsafePointer<sockaddr>?, forwardedFor: String? = nil) -> String {
    guard let bytes = bytes(of: address) else { return "an unknown address" }
    if let forwardedFor, isLoopback(bytes), let client = last(of: forwardedFor) {
      return text(of: client)
    }
    return text(of: bytes)
  }

  /// - Parameter bytes: 4 for IPv4, or 16 for IPv6.
  static func text(of bytes: [UInt8]) -> String {
    if let mapped = mapped(bytes) { return numbers(AF_INET, mapped) }
    if bytes.count == 4 { return numbers(AF_INET, bytes) }
    return numbers(AF_INET6, Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8)) + "/64"
  }

  private static func bytes(of address: UnsafePointer<sockaddr>?) -> [UInt8]? {
    guard let address else { return nil }
    let raw = UnsafeRawPointer(address)
    return switch Int32(address.pointee.sa_family) {
    case AF_INET: withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6: withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: nil
    }
  }

  /// The IPv4 address at a socket for both versions, as in ::ffff:192.168.1.5; else nil.
  private static func mapped(_ bytes: [UInt8]) -> [UInt8]? {
    let isMapped =
      bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 }
      && bytes[10...11].allSatisfy { $0 == 0xFF }
    return isMapped ? Array(bytes[12...]) : nil
  }

  private static func isLoopback(_ bytes: [UInt8]) -> Bool {
    let bytes = mapped(bytes) ?? bytes
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// Nil if the last item is no address.
  private static func last(of list: String) -> [UInt8]? {
    let item = list.split(separator: ",", omittingEmptySubsequences: false).last
    let words = item?.split { $0 == " " || $0 == "\t" } ?? []
    guard words.count == 1 else { return nil }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, String(words[0]), &bytes) == 1 { return bytes }
    }
    return nil
  }

  private static func numbers(_ family: Int32, _ bytes: [UInt8]) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      inet_ntop(family, bytes, buffer.baseAddress, socklen_t(buffer.count))
        .map { String(cString: $0) } ?? ""
    }
  }
}
