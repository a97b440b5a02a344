@preconcurrency import Glibc

/// What is checked of the address of a server before it is used.
enum WebAddress {
  /// True for `https://HOST/PATH` or `http://HOST/PATH`, also with a port, or with user and
  /// password before the host.
  static func isURL(_ text: String) -> Bool {
    guard text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
      return false
    }
    return place(in: text).map(isPlace) == true
  }

  /// The host of a URL, with its port. The rest may hold a secret. Empty if it is no URL.
  static func host(of url: String) -> String { place(in: url) ?? "" }

  /// True for `HOST` or `HOST:PORT`; an address of IPv6 is in brackets.
  static func isPlace(_ text: String) -> Bool {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return false }
      let rest = text[text.index(after: end)...]
      return isIPv6(String(text[text.index(after: text.startIndex)..<end]))
        && (rest.isEmpty || rest.hasPrefix(":") && isPort(rest.dropFirst()))
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return (1...253).contains(parts[0].utf8.count) && parts[0].utf8.allSatisfy(isHostByte)
      && parts[0].utf8.contains { isalnum(Int32($0)) != 0 }
      && (parts.count == 1 || isPort(parts[1]))
  }

  /// What is between `://`, or the `@` behind it, and the path; nil if it is no URL of the web.
  private static func place(in url: String) -> String? {
    guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else {
      return nil
    }
    let place = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return place.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init)
  }

  private static func isIPv6(_ text: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET6, text, &address) == 1
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { isdigit(Int32($0)) != 0 } && UInt16(text).map { $0 > 0 } == true
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isalnum(Int32(byte)) != 0 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_")
  }
}

extension PushConfiguration.Ntfy {
  /// The host of its server. The rest of the address may hold a password.
  public var host: String { WebAddress.host(of: server) }
}

extension PushConfiguration.Webhook {
  /// The host of its address. The rest of the address may hold a secret.
  public var host: String { WebAddress.host(of: url) }
}
