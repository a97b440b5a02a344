import Basics
import Horology

/// The receivers of push messages in relay.conf.
public struct PushConfiguration: Hashable, Sendable {
  public struct APNs: Hashable, Sendable {
    public var topic = ""
    /// The id of the key that signs tokens; nil if a certificate is used instead.
    var keyID: String?
    var team: String?
    var keyFile: String?
    /// The provider's certificate, used in place of a token.
    public var certificate: String?
    var key: String?
    /// A host, with a port if it is not 443, in place of Apple's two servers; nil for Apple's.
    public var server: String?
    /// A file or a folder of certificates that vouch for the server.
    var authorities = RelayKeys.systemAuthorities
    /// A sound of the app; nil for silence.
    var sound: String? = "default"
    /// The number on the app's icon; nil to leave it as it is.
    var badge: Int?
    /// Wakes the app as well.
    var wakesApp = false
  }

  /// A topic of an ntfy server, or a program on the web.
  public struct Entry: Hashable, Sendable {
    public var address = ""
    /// Empty for a program.
    public var topic = ""
    /// Of the token, or of the shared secret.
    var secretFile: String?
    var authorities = RelayKeys.systemAuthorities
    public var events = PushEvents.usual

    /// The rest of the address may hold a secret.
    public var host: String { WebAddress.host(of: address) ?? "" }
  }

  /// How long before its instant each occasion is published; nil for never.
  public var ahead: Duration?
  public var apns: APNs?
  public var ntfy: [String: Entry] = [:]
  public var webhooks: [String: Entry] = [:]

  public var isEmpty: Bool { apns == nil && ntfy.isEmpty && webhooks.isEmpty }
}

// MARK: Sections

extension PushConfiguration {
  static let sections = "push, apns, ntfy NAME, webhook NAME"

  /// A section by its name in the file; nil if there is no such section.
  static func section(_ name: String) -> RelaySection? {
    switch name {
    case "push": return RelaySection(keys: pushKeys)
    case "apns": return RelaySection(\.push.apns, APNs(), apnsKeys)
    default: break
    }
    let words = name.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2, Topics.isName(words[1]) else { return nil }
    return switch words[0] {
    case "ntfy": RelaySection(\.push.ntfy[words[1]], Entry(address: "https://ntfy.sh"), ntfyKeys)
    case "webhook": RelaySection(\.push.webhooks[words[1]], Entry(), webhookKeys)
    default: nil
    }
  }

  private static let pushKeys: [String: INIKey<RelayConfiguration>] = [
    "ahead": { configuration, value in
      let seconds = value.hasSuffix("s") ? Int(value.dropLast()) : nil
      guard value == "none" || seconds.map({ (5...120).contains($0) }) == true else {
        return "allowed: none, or 5s to 120s"
      }
      configuration.push.ahead = seconds.map { .seconds($0) }
      return nil
    }
  ]

  private static let apnsKeys: [String: INIKey<APNs>] = [
    "topic": RelayKeys.text(\.topic, "the bundle ID of an app") { !$0.isEmpty },
    "key_id": RelayKeys.text(\.keyID, "the key's name at Apple") { !$0.isEmpty },
    "team": RelayKeys.text(\.team, "the owner's name at Apple") { !$0.isEmpty },
    "key_file": RelayKeys.fullPath(\.keyFile),
    "certificate": RelayKeys.fullPath(\.certificate),
    "key": RelayKeys.fullPath(\.key),
    "server": RelayKeys.text(\.server, "HOST, or HOST:PORT", where: WebAddress.isPlace),
    "authority": RelayKeys.authorities(\.authorities),
    "sound": RelayKeys.text(\.sound, "default, or the name of a sound of the app") { !$0.isEmpty },
    "badge": RelayKeys.number(\.badge, 0...9999),
    "content_available": RelayKeys.yesOrNo(\.wakesApp),
  ]

  private static let ntfyKeys = entryKeys([
    "server": { ntfy, value in
      // ntfy takes messages as JSON only at its root.
      guard WebAddress.host(of: value) != nil,
        value.split(whereSeparator: "/?#".contains).count == 2
      else {
        return "allowed: https://HOST, or http://HOST, without a path; the topic is set by 'topic'"
      }
      ntfy.address = value
      return nil
    },
    "topic": RelayKeys.text(\.topic, Topics.allowedName, where: Topics.isName),
    "token_file": RelayKeys.fullPath(\.secretFile),
  ])

  private static let webhookKeys = entryKeys([
    "url": RelayKeys.text(\.address, "https://HOST/PATH, or http://HOST/PATH") {
      WebAddress.host(of: $0) != nil
    },
    "secret_file": RelayKeys.fullPath(\.secretFile),
  ])

  private static func entryKeys(_ keys: [String: INIKey<Entry>]) -> [String: INIKey<Entry>] {
    var keys = keys
    keys["authority"] = RelayKeys.authorities(\.authorities)
    keys["events"] = { entry, value in
      guard let events = PushEvents(text: value) else { return "allowed: \(PushEvents.allowed)" }
      entry.events = events
      return nil
    }
    return keys
  }
}

// MARK: What belongs together

extension PushConfiguration {
  /// - Parameter place: file and line of a key, by `section.key`.
  /// - Throws: `Fault` for a missing key.
  func check(_ path: String, _ place: (String) -> String) throws(Fault) {
    if let apns {
      guard !apns.topic.isEmpty else {
        throw Fault(path, "[apns] has no topic; write the app's bundle ID, 'topic = ...', under it")
      }
      try RelayKeys.checkPair(certificate: apns.certificate, key: apns.key, in: "apns", place)
      if apns.certificate == nil, apns.keyID == nil || apns.team == nil {
        throw Fault(
          path,
          "[apns] has no credentials; set key_id and team, or certificate and key, under it")
      }
    }
    for (name, ntfy) in ntfy where ntfy.topic.isEmpty {
      throw Fault(path, "[ntfy \(name)] has no topic; write 'topic = NAME' under it")
    }
    for (name, webhook) in webhooks where webhook.address.isEmpty {
      throw Fault(path, "[webhook \(name)] has no address; write 'url = https://...' under it")
    }
  }
}

// MARK: Providers

extension PushConfiguration {
  public var faults: [String: Fault] { providers().faults }

  /// - Returns: the providers, and the faults of the sections that cannot be used, by their names.
  func providers() -> (providers: [any Provider], faults: [String: Fault]) {
    var providers: [any Provider] = []
    var faults: [String: Fault] = [:]
    func make(_ section: String, _ body: () throws(Fault) -> [any Provider]) {
      do throws(Fault) { providers += try body() } catch { faults[section] = error }
    }
    if let apns {
      make("apns") { () throws(Fault) in
        [try APNsProvider(.production, apns), try APNsProvider(.sandbox, apns)]
      }
    }
    for (name, entry) in ntfy {
      make("ntfy \(name)") { () throws(Fault) in [try NtfyProvider(name, entry)] }
    }
    for (name, entry) in webhooks {
      make("webhook \(name)") { () throws(Fault) in [try WebhookProvider(name, entry)] }
    }
    return (providers, faults)
  }
}
