import Basics
@preconcurrency import Glibc

/// The owner's settings for the relay.
public struct RelayConfiguration: Hashable, Sendable {
  public struct Broker: Hashable, Sendable {
    /// A name or an address; empty until it is set.
    public var host = ""
    /// Nil for the IANA port.
    var givenPort: Int?
    public var user: String?
    var passwordFile: String?
    public var usesTLS = false
    /// A file or a folder of certificates that vouch for the broker.
    public var authorities = RelayKeys.systemAuthorities
    public var certificate: String?
    public var key: String?

    public var port: Int { givenPort ?? (usesTLS ? 8883 : 1883) }

    /// As in `homeassistant.local:1883`.
    public var name: String { "\(host):\(port)" }

    var words: String { host.isEmpty ? "no broker" : "\(name)\(usesTLS ? ", TLS" : "")" }

    var place: Register.Place { (host, port) }
  }

  public var broker = Broker()
  public var topics = Topics(
    prefix: "clocksmith", name: Topics.name(ofHost: hostName), group: nil,
    discoveryPrefix: "homeassistant")
  public var push = PushConfiguration()
  public var http: HTTPConfiguration?

  public static let defaultPath = "/etc/clocksmith/relay.conf"

  /// - Throws: `Fault` with file and line for anything that is unknown or not allowed.
  public static func load(path: String?) throws(Fault) -> RelayConfiguration {
    let path = path ?? defaultPath
    let file: INIFile
    do throws(Fault) {
      file = try INIFile(path: path)
    } catch {
      guard error.code == ENOENT else { throw error }
      throw Fault(path, code: ENOENT, "there is no such file; write [mqtt] and a broker into it")
    }
    var configuration = RelayConfiguration()
    let sections = "mqtt, \(PushConfiguration.sections), \(HTTPConfiguration.section)"
    let places = try file.fill(&configuration, sections: sections) { section($0)?.keys }
    func place(_ key: String) -> String { places[key] ?? path }
    // A section without keys counts, too.
    for each in file.sections { section(each.name)?.begin(&configuration) }
    try configuration.push.check(place)
    try configuration.http?.check(place)
    let broker = configuration.broker
    guard !broker.host.isEmpty || !configuration.push.isEmpty || configuration.http != nil else {
      throw Fault(path, "no broker is set; write 'broker = HOST' under [mqtt]")
    }
    guard broker.usesTLS || broker.certificate == nil && places["mqtt.authority"] == nil else {
      throw Fault(path, "[mqtt] has certificates and no TLS; write 'tls = yes' under it")
    }
    try RelayKeys.checkPair(certificate: broker.certificate, key: broker.key, in: "mqtt", place)
    return configuration
  }

  private static func section(_ name: String) -> RelaySection? {
    switch name {
    case "mqtt": RelaySection(keys: keys)
    case HTTPConfiguration.section:
      RelaySection(\.http, HTTPConfiguration(), HTTPConfiguration.keys)
    default: PushConfiguration.section(name)
    }
  }

  static var hostName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      buffer.initialize(repeating: 0)
      guard gethostname(buffer.baseAddress!, buffer.count - 1) == 0 else { return "" }
      return String(cString: buffer.baseAddress!)
    }
  }
}

extension RelayConfiguration.Broker {
  /// Nil if there is none, or no user is set.
  public func password() throws(Fault) -> String? {
    user == nil ? nil : try Secret.line(file: passwordFile, credential: "mqtt-password")
  }

  /// - Throws: `Fault` if a file of TLS cannot be used, or the key is that of another certificate.
  public func checkCertificates() throws(Fault) {
    try TLSContext.check(authorities: authorities, certificate: certificate, key: key)
  }
}

extension RelayConfiguration {
  private static let keys: [String: INIKey<RelayConfiguration>] = [
    "broker": RelayKeys.text(
      \.broker.host,
      "the name or the address of a machine alone, as in homeassistant.local or fe80::1, without "
        + "brackets; its port is set by 'port'", where: isHost),
    "port": RelayKeys.number(\.broker.givenPort, 1...65_535),
    "user": RelayKeys.text(\.broker.user, "a name that the broker knows") { !$0.isEmpty },
    "password_file": RelayKeys.fullPath(\.broker.passwordFile),
    "tls": RelayKeys.yesOrNo(\.broker.usesTLS),
    "authority": RelayKeys.authorities(\.broker.authorities),
    "certificate": RelayKeys.fullPath(\.broker.certificate),
    "key": RelayKeys.fullPath(\.broker.key),
    "prefix": RelayKeys.text(
      \.topics.prefix, none: "clocksmith", "\(Topics.allowedName), and more of them behind slashes",
      where: Topics.isPrefix),
    "name": RelayKeys.text(
      \.topics.name, none: Topics.name(ofHost: hostName), Topics.allowedName,
      where: Topics.isName),
    "group": RelayKeys.text(\.topics.group, Topics.allowedName, where: Topics.isName),
    "discovery": RelayKeys.text(
      \.topics.discoveryPrefix, "the topic under which Home Assistant discovers",
      where: Topics.isPrefix),
  ]

  /// An IPv6 address has at least two colons.
  @Sendable private static func isHost(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count) && text.utf8.count { $0 == UInt8(ascii: ":") } != 1
      && text.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"/[".utf8.contains($0) }
  }
}
