import Basics
import Horology

/// The receivers of push messages in relay.conf.
public struct PushConfiguration: Hashable, Sendable {
  public struct APNs: Hashable, Sendable {
    public var topic = ""
    /// Of the key that signs tokens; nil if a certificate is used instead.
    var keyID: String?
    var team: String?
    var keyFile: String?
    public var certificate: String?
    var key: String?
    /// Nil for Apple's two servers.
    public var server: String?
    var authorities = RelayKeys.systemAuthorities
    /// Nil for silence.
    var sound: String? = "default"
    var badge: Int?
    var wakesApp = false
  }

  /// A topic of an ntfy server, or a program on the web.
  public struct Entry: Hashable, Sendable {
    public var address = ""
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

extension PushConfiguration {
  static let sections = "push, apns, ntfy NAME, webhook NAME"

  /// A section by its name in the file; nil if there is no such section.
  static func section(_ name: String) -> RelaySection? {
    let words = name.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 1 || words.count == 2 && Topics.isName(words[1]) else { return nil }
    return switch (words[0], words.dropFirst().first) {
    case ("push", nil): RelaySection(keys: pushKeys)
    case ("apns", nil): RelaySection(\.push.apns, APNs(), apnsKeys)
    case ("ntfy", let entry?):
      RelaySection(\.push.ntfy[entry], Entry(address: "https://ntfy.sh"), ntfyKeys)
    case ("webhook", let entry?): RelaySection(\.push.webhooks[entry], Entry(), webhookKeys)
    default: nil
    }
  }

  private static let pushKeys: [String: INIKey<RelayConfiguration>] = [
    "ahead": RelayKeys.parsed(\.push.ahead, "none, or 5s to 120s") { text in
      if text == "none" { return .some(nil) }
      return (5...120).first { text == "\($0)s" }.map { .seconds($0) }
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

  private static let ntfyKeys = entryKeys.merging([
    "server": RelayKeys.parsed(
      \.address, "https://HOST, or http://HOST, without a path; the topic is set by 'topic'"
    ) { url in
      // ntfy takes messages as JSON only at its root.
      let parts = url.split(whereSeparator: "/?#".contains)
      return WebAddress.host(of: url) != nil && parts.count == 2 ? url : nil
    },
    "topic": RelayKeys.text(\.topic, Topics.allowedName, where: Topics.isName),
    "token_file": RelayKeys.fullPath(\.secretFile),
  ]) { $1 }

  private static let webhookKeys = entryKeys.merging([
    "url": RelayKeys.text(\.address, "https://HOST/PATH, or http://HOST/PATH") {
      WebAddress.host(of: $0) != nil
    },
    "secret_file": RelayKeys.fullPath(\.secretFile),
  ]) { $1 }

  private static let entryKeys: [String: INIKey<Entry>] = [
    "authority": RelayKeys.authorities(\.authorities),
    "events": RelayKeys.parsed(\.events, PushEvents.allowed) { PushEvents(text: $0) },
  ]
}

extension PushConfiguration {
  /// - Parameter place: file and line of a key, by `section.key`.
  func check(_ place: (String) -> String) throws(Fault) {
    try RelayKeys.checkPair(certificate: apns?.certificate, key: apns?.key, in: "apns", place)
  }

  public var faults: [String: Fault] { providers().faults }

  /// - Returns: the providers, and the faults of the sections that cannot be used, by their names.
  func providers() -> (providers: [Provider], faults: [String: Fault]) {
    var providers: [Provider] = []
    var faults: [String: Fault] = [:]
    func make(
      _ section: String, _ authorities: String, certificate: String? = nil, key: String? = nil,
      _ made: @autoclosure () throws(Fault) -> [Provider]
    ) {
      do throws(Fault) {
        try TLSContext.check(authorities: authorities, certificate: certificate, key: key)
        providers += try made()
      } catch {
        faults[section] = error
      }
    }
    if let apns {
      make(
        "apns", apns.authorities, certificate: apns.certificate, key: apns.key,
        try Provider.apns(apns))
    }
    for (name, entry) in ntfy {
      make("ntfy \(name)", entry.authorities, [try Provider.ntfy(name, entry)])
    }
    for (name, entry) in webhooks {
      make("webhook \(name)", entry.authorities, [try Provider.webhook(name, entry)])
    }
    return (providers, faults)
  }
}
