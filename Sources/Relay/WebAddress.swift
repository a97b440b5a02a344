import CCurl

/// The addresses of servers, read by libcurl.
enum WebAddress {
  /// The host of `https://HOST/PATH` or `http://HOST/PATH`, with its port if there is one. The rest
  /// may hold a secret. Nil for anything else.
  static func host(of url: String) -> String? {
    guard url.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), let address = curl_url() else {
      return nil
    }
    defer { curl_url_cleanup(address) }
    guard curl_url_set(address, CURLUPART_URL, url, 0) == CURLUE_OK,
      ["http", "https"].contains(part(CURLUPART_SCHEME, of: address)),
      let host = part(CURLUPART_HOST, of: address)
    else { return nil }
    return part(CURLUPART_PORT, of: address).map { "\(host):\($0)" } ?? host
  }

  /// True for `HOST` or `HOST:PORT`; an address of IPv6 is in brackets.
  @Sendable static func isPlace(_ text: String) -> Bool { host(of: "https://\(text)") == text }

  private static func part(_ part: CURLUPart, of address: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(address, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
