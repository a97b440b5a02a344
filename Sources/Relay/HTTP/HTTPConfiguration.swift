import Basics

/// The section `[http]` of relay.conf: where and how apps and browsers are served.
public struct HTTPConfiguration: Hashable, Sendable {
  /// Whether there is a page for browsers, and who may look at it.
  public enum Face: String, CaseIterable, Sendable {
    case no, yes, paired
  }

  public var listen = ListenAddress.usual
  /// Who may look: nobody without the token, everybody, or paired phones. Those may also act.
  public var face = Face.no
  var tokenFile: String?
  public var certificate: String?
  var key: String?
  /// The origins of the pages that may use the interface in a browser, as the browser writes them.
  var origins: Set<String> = []
  /// Other names of this machine, by which browsers may reach it, in lower case.
  var names: Set<String> = []

  public var usesTLS: Bool { certificate != nil }

  /// As in `http://127.0.0.1:8080`.
  public var url: String { "\(usesTLS ? "https" : "http")://\(listen.text)" }
}

extension HTTPConfiguration {
  static let section = "http"

  static let keys: [String: INIKey<HTTPConfiguration>] = [
    "listen": { http, value in
      guard let address = ListenAddress(text: value) else {
        return "allowed: ADDRESS:PORT, the port 80 or higher, as in 127.0.0.1:8080, "
          + "0.0.0.0:8080 or [::1]:8080"
      }
      http.listen = address
      return nil
    },
    "face": { http, value in
      guard let face = Face(rawValue: value) else {
        return "allowed: \(Face.allCases.map(\.rawValue).joined(separator: ", "))"
      }
      http.face = face
      return nil
    },
    "token_file": RelayKeys.fullPath(\.tokenFile),
    "certificate": RelayKeys.fullPath(\.certificate),
    "key": RelayKeys.fullPath(\.key),
    "origins": { http, value in
      if value == "none" { return nil }
      for text in value.split(separator: ",", omittingEmptySubsequences: false) {
        let words = text.split(separator: " ")
        guard words.count == 1, let origin = origin(String(words[0])) else {
          return "allowed: none, or origins with commas between them, as in "
            + "http://panel.local:8123; an origin ends with the host or the port, and has no *"
        }
        http.origins.insert(origin)
      }
      return nil
    },
    "names": { http, value in
      if value == "none" { return nil }
      for text in value.split(separator: ",", omittingEmptySubsequences: false) {
        let words = text.split(separator: " ")
        guard words.count == 1, WebAddress.isPlace(String(words[0])), !words[0].contains(":") else {
          return "allowed: none, or names of this machine with commas between them, as in "
            + "clock.example; a name has no port"
        }
        http.names.insert(words[0].lowercased())
      }
      return nil
    },
  ]

  /// As a browser writes it: in lower case, and without the usual port. Nil if it is no origin.
  private static func origin(_ text: String) -> String? {
    let text = text.lowercased()
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where text.hasPrefix(scheme) {
      guard WebAddress.isPlace(String(text.dropFirst(scheme.count))) else { return nil }
      return text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
    }
    return nil
  }

  /// - Parameter place: file and line of a key, by `section.key`.
  /// - Throws: `Fault` if only one of `certificate` and `key` is set.
  func check(_ place: (String) -> String) throws(Fault) {
    try RelayKeys.checkPair(certificate: certificate, key: key, in: Self.section, place)
  }
}

extension HTTPConfiguration {
  /// - Returns: nil if there is none: then only browsers are served.
  /// - Throws: `Fault` if it is not valid, or is missing and there is no face.
  func token() throws(Fault) -> AccessToken? {
    let credential = "http-token"
    if face != .no, try Secret.text(file: tokenFile, credential: credential) == nil { return nil }
    return try Secret.needed(
      by: "[http]", "token", file: tokenFile, credential: credential,
      form: "16 to 512 visible characters are wanted, as of 'openssl rand -hex 32'"
    ) { AccessToken(text: $0) }
  }

  /// - Throws: `Fault` if the files cannot be read, or do not belong together.
  func identity() throws(Fault) -> TLSIdentity? {
    guard let certificate, let key else { return nil }
    return try TLSIdentity(certificate: certificate, key: key)
  }

  /// - Returns: whether there is a token.
  /// - Throws: `Fault` if apps could not be served.
  public func check() throws(Fault) -> Bool {
    let hasToken = try token() != nil
    if let complaint = try identity()?.complaint { throw complaint }
    return hasToken
  }
}
