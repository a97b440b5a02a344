import Basics

/// The section `[http]` of relay.conf: where and how apps and browsers are served.
public struct HTTPConfiguration: Hashable, Sendable {
  /// Who may look at the page: nobody without the token, everybody, or paired phones. Those may also act.
  public enum Face: String, CaseIterable, Sendable {
    case no, yes, paired
  }

  public var listen = ListenAddress.usual
  public var face = Face.no
  var tokenFile: String?
  public var certificate: String?
  var key: String?
  /// The origins of the pages that may use the interface in a browser, as the browser writes them.
  var origins: Set<String> = []
  /// Other names of this machine, by which browsers may reach it, in lower case.
  var names: Set<String> = []

  public var usesTLS: Bool { certificate != nil }

  private var scheme: String { usesTLS ? "https" : "http" }
  public var url: String { "\(scheme)://\(listen.usable.text)" }

  func url(of host: String) -> String {
    listen.port == (usesTLS ? 443 : 80)
      ? "\(scheme)://\(host)/" : "\(scheme)://\(host):\(listen.port)/"
  }
}

extension HTTPConfiguration {
  static let section = "http"

  static let keys: [String: INIKey<HTTPConfiguration>] = [
    "listen": RelayKeys.parsed(
      \.listen,
      "ADDRESS:PORT, the port 80 or higher, as in 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080"
    ) { ListenAddress(text: $0) },
    "face": RelayKeys.parsed(
      \.face, Face.allCases.map(\.rawValue).joined(separator: ", ")
    ) { Face(rawValue: $0) },
    "token_file": RelayKeys.fullPath(\.tokenFile),
    "certificate": RelayKeys.fullPath(\.certificate),
    "key": RelayKeys.fullPath(\.key),
    "origins": RelayKeys.parsed(
      \.origins,
      "none, or origins with commas between them, as in http://panel.local:8123; an origin ends "
        + "with the host or the port, and has no *"
    ) { text in
      set(of: text) { url in
        WebAddress.host(of: url).flatMap { url.hasSuffix("://\($0)") ? url : nil }
      }
    },
    "names": RelayKeys.parsed(
      \.names,
      "none, or names of this machine with commas between them, as in clock.example; a name has no "
        + "port"
    ) { set(of: $0) { WebAddress.isPlace($0) && !$0.contains(":") ? $0 : nil } },
  ]

  /// Reads `none`, or words with commas between them. Nil if one of them is wrong.
  private static func set(of text: String, _ parse: (String) -> String?) -> Set<String>? {
    if text == "none" { return [] }
    let words = text.split { $0 == "," || $0 == " " }.map { parse($0.lowercased()) }
    return words.isEmpty || words.contains(nil) ? nil : Set(words.compactMap { $0 })
  }

  /// - Parameter place: file and line of a key, by `section.key`.
  func check(_ place: (String) -> String) throws(Fault) {
    try RelayKeys.checkPair(certificate: certificate, key: key, in: Self.section, place)
  }
}

extension HTTPConfiguration {
  /// - Returns: its digest; nil if there is none: then only browsers are served.
  /// - Throws: `Fault` if it is not valid, or is missing and there is no face.
  func token() throws(Fault) -> String? {
    if face != .no, try Secret.text(file: tokenFile, credential: "http-token") == nil { return nil }
    return try Secret.needed(
      by: "[http]", "token", file: tokenFile, credential: "http-token",
      form: "16 to 512 visible characters are wanted, as of 'openssl rand -hex 32'"
    ) { text -> String? in
      let isToken = text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
      return isToken && (16...512).contains(text.utf8.count) ? digest(of: text) : nil
    }
  }

  func identity() throws(Fault) -> TLSIdentity? {
    guard let certificate, let key else { return nil }
    return try TLSIdentity(certificate: certificate, key: key)
  }

  /// - Throws: `Fault` if apps could not be served.
  public func check() throws(Fault) -> Bool {
    let hasToken = try token() != nil
    if let complaint = try identity()?.complaint { throw complaint }
    return hasToken
  }
}
