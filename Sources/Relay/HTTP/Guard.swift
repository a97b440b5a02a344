import Basics
@preconcurrency import Glibc

/// What a request is about, for those who come without the token.
enum Access {
  /// Open to everybody.
  case all
  /// To look at the clock: for everybody, or for paired phones, as `face` says.
  case look
  /// To act: for paired phones.
  case act
}

/// What a browser may make of every answer: it runs no script of a stranger, loads nothing from
/// elsewhere, and does not show the page inside another.
let browserRules: [HTTPHeader] = [
  (
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
      + "media-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'"
  ),
  ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
  ("X-Frame-Options", "DENY"),
]

extension Phones {
  /// Judges a request without a token: nil if it may be served.
  func refusal(of head: HTTPHead, for access: Access) -> HTTPAnswer? {
    // A page from elsewhere may have its own name lead to this address (DNS rebinding).
    guard let host = head.host, isOurs(host) else {
      return HTTPAnswer(
        421, "host",
        "this clock is not called '\((head.host ?? "").excerpt)'; use its address or the name of "
          + "its machine, or add the name to 'names' under [http]")
    }
    guard ["GET", "HEAD"].contains(head.method) || isOwnPage(head, host) else {
      return HTTPAnswer(403, "origin", "only the page of this clock may do that without the token")
    }
    if access == .all { return nil }
    let mayLook = access == .look && http.face == .yes
    do throws(Fault) {
      if try phone(of: head) != nil || mayLook { return nil }
    } catch {
      return mayLook ? nil : HTTPAnswer(.refused(Rejection(.register, error.description)))
    }
    return HTTPAnswer(
      401, "unpaired", "this phone is not paired with the clock; pair it, or send the token",
      ("WWW-Authenticate", "Bearer"))
  }

  /// - Parameter host: as a browser sends it: a name or an address, perhaps with a port.
  private func isOurs(_ host: String) -> Bool {
    guard WebAddress.isPlace(host) else { return false }
    if host.hasPrefix("[") { return true }
    var name = host.prefix { $0 != ":" }.lowercased()
    if name.hasSuffix(".") { name.removeLast() }
    var address = in_addr()
    if name == "localhost" || http.names.contains(name) || inet_pton(AF_INET, name, &address) == 1 {
      return true
    }
    let machine = RelayConfiguration.hostName.lowercased()
    let short = machine.prefix { $0 != "." }
    guard !short.isEmpty else { return false }
    if name == machine || name == short { return true }
    guard let dot = name.firstIndex(of: ".") else { return false }
    let (first, domain) = (name[..<dot], String(name[name.index(after: dot)...]))
    if domain != "local" { return first == short && searchDomains.contains(domain) }
    // Avahi gives the second machine of a name another one, as clocksmith-2.
    return first == short
      || first.hasPrefix("\(short)-") && UInt(first.dropFirst(short.count + 1)) != nil
  }

  /// Whether the request comes from a page of this very server. Over plain HTTP, another program may
  /// add TLS in front of it.
  private func isOwnPage(_ head: HTTPHead, _ host: String) -> Bool {
    if head.fetchSite == "same-origin" { return true }
    let host = host.lowercased()
    return head.origin == "https://\(host)" || !http.usesTLS && head.origin == "http://\(host)"
  }
}

/// The domains of this network, as resolv.conf(5) has them.
private var searchDomains: Set<String> {
  guard let bytes = try? readRegularFile("/etc/resolv.conf", largest: 65_536) else { return [] }
  var domains: Set<String> = []
  for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
    let words = line.split { $0 == " " || $0 == "\t" }
    guard ["search", "domain"].contains(words.first) else { continue }
    domains.formUnion(words.dropFirst().map { $0.lowercased() })
  }
  return domains
}
