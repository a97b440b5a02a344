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
    var authority: String?
    public var certificate: String?
    public var key: String?

    /// The IANA ports, without and with TLS, unless another is set.
    public var port: Int { givenPort ?? (usesTLS ? 8883 : 1883) }

    /// As in `homeassistant.local:1883`.
    var name: String { "\(host):\(port)" }

    public var authorities: String { authority ?? RelayKeys.systemAuthorities }
  }

  public var broker = Broker()
  var prefix = "clocksmith"
  var name: String?
  var group: String?
  var discoveryPrefix: String? = "homeassistant"
  public var push = PushConfiguration()
  public var http: HTTPConfiguration?
  /// What to do about keys of earlier versions: a sentence each.
  public private(set) var outdated: [String] = []

  public static let defaultPath = "/etc/clocksmith/relay.conf"

  /// - Throws: `Fault` with file and line for anything that is unknown or not allowed.
  public static func load(path: String?) throws(Fault) -> RelayConfiguration {
    let path = path ?? defaultPath
    var file: INIFile
    do throws(Fault) {
      file = try INIFile(path: path)
    } catch {
      guard error.code == ENOENT else { throw error }
      throw Fault(path, code: ENOENT, "there is no such file; write [mqtt] and a broker into it")
    }
    var configuration = RelayConfiguration()
    configuration.outdated = file.renew(["http.rate": nil])
    let sections = "mqtt, \(PushConfiguration.sections), \(HTTPConfiguration.section)"
    let places = try file.fill(&configuration, sections: sections) { section($0)?.keys }
    func place(_ key: String) -> String { places[key] ?? path }
    // A section without keys counts, too.
    for each in file.sections { section(each.name)?.begin(&configuration) }
    try configuration.push.check(path, place)
    try configuration.http?.check(place)
    let broker = configuration.broker
    guard !broker.host.isEmpty || !configuration.push.isEmpty || configuration.http != nil else {
      throw Fault(path, "no broker is set; write 'broker = HOST' under [mqtt]")
    }
    if !broker.usesTLS {
      let files = [
        ("authority", broker.authority), ("certificate", broker.certificate), ("key", broker.key),
      ]
      for (key, file) in files where file != nil {
        throw Fault(place("mqtt.\(key)"), "\(key) means nothing without TLS; set 'tls = yes'")
      }
    }
    try RelayKeys.checkPair(certificate: broker.certificate, key: broker.key, in: "mqtt", place)
    if broker.passwordFile != nil && broker.user == nil {
      throw Fault(place("mqtt.password_file"), "there is a password and no user; set user as well")
    }
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

  public var topics: Topics {
    Topics(
      prefix: prefix, name: name ?? Topics.name(ofHost: Self.hostName), group: group,
      discoveryPrefix: discoveryPrefix)
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
  /// The password from the configured file, or else from systemd's credential `mqtt-password`.
  /// - Returns: nil if there is neither, or no user is set.
  /// - Throws: `Fault` if it is there and cannot be read.
  public func password() throws(Fault) -> String? {
    guard user != nil else { return nil }
    return try Secret.line(file: passwordFile, credential: "mqtt-password")
  }

  /// - Throws: `Fault` if a TLS file cannot be read or used, or the key is that of another
  ///   certificate.
  public func checkCertificates() throws(Fault) {
    try TLSContext.check(authorities: authorities, certificate: certificate, key: key)
  }
}

// MARK: Keys

extension RelayConfiguration {
  private static let keys: [String: INIKey<RelayConfiguration>] = [
    "broker": { configuration, value in
      let isHost =
        (1...253).contains(value.utf8.count)
        && value.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }
      let allowed =
        "allowed: the name or the address of a machine alone, as in homeassistant.local"
      guard isHost else { return allowed }
      // An IPv6 address has at least two colons, and no brackets here.
      let colons = value.utf8.count { $0 == UInt8(ascii: ":") }
      guard colons != 1, !value.utf8.contains(UInt8(ascii: "[")) else {
        return "\(allowed) or fe80::1, without brackets; its port is set by 'port'"
      }
      configuration.broker.host = value == "none" ? "" : value
      return nil
    },
    "port": { configuration, value in
      guard let port = Int(value), (1...65_535).contains(port) else {
        return "allowed: 1 to 65535"
      }
      configuration.broker.givenPort = port
      return nil
    },
    "user": RelayKeys.text(\.broker.user, "a name that the broker knows") { !$0.isEmpty },
    "password_file": RelayKeys.fullPath(\.broker.passwordFile),
    "tls": RelayKeys.yesOrNo(\.broker.usesTLS),
    "authority": RelayKeys.fullPath(\.broker.authority),
    "certificate": RelayKeys.fullPath(\.broker.certificate),
    "key": RelayKeys.fullPath(\.broker.key),
    "prefix": { configuration, value in
      guard Topics.isPrefix(value) else {
        return "allowed: \(Topics.allowedName), and more of them behind slashes"
      }
      configuration.prefix = value
      return nil
    },
    "name": RelayKeys.text(\.name, Topics.allowedName, where: Topics.isName),
    "group": RelayKeys.text(\.group, Topics.allowedName, where: Topics.isName),
    "discovery": RelayKeys.text(
      \.discoveryPrefix, "the topic under which Home Assistant discovers", where: Topics.isPrefix),
  ]
}
