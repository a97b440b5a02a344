import Basics
import CJWT
import Daemon
@preconcurrency import Glibc
import Horology

extension Provider {
  /// Apple's two servers.
  static func apns(_ apns: PushConfiguration.APNs) throws(Fault) -> [Provider] {
    if apns.topic.isEmpty {
      throw Fault("[apns] has no topic", "write the app's bundle ID, 'topic = ...', under it")
    }
    let token = try ProviderToken(apns)
    return Device.Environment.allCases.map { environment in
      // A token follows.
      let apple = environment == .production ? "api.push.apple.com" : "api.sandbox.push.apple.com"
      let address = "https://\(apns.server ?? apple)/3/device/"
      return Provider(
        name: "apns \(environment.rawValue)", environment: environment, events: .all,
        authorities: apns.authorities, certificate: apns.certificate, key: apns.key,
        // Apple allows 1000; an owner would not notice more.
        most: 16,
        request: { (delivery, now) throws(Fault) in
          let message = delivery.message
          var headers =
            message.apnsHeaders + [
              "apns-topic: \(apns.topic)", "apns-id: \(delivery.id)",
            ]
          if let token { headers.append("authorization: bearer \(try token.text(at: now))") }
          return PushRequest(
            url: address + delivery.token, headers: headers, body: message.apnsPayload(apns))
        },
        verdict: { apnsVerdict(on: $0, token) })
    }
  }

  /// By Apple's `Handling notification responses from APNs`.
  static func apnsVerdict(on answer: PushResponse, _ token: ProviderToken? = nil) -> Verdict? {
    let body = try? Record(json: answer.body, path: "the answer")
    let reason = body?[.text("reason")].map { $0.excerpt.printable } ?? "status \(answer.status)"
    switch (answer.status, reason) {
    case (410, _):
      // In milliseconds since 1970.
      let latest = Int(Instant.allowed.upperBound.microseconds / 1000)
      let since = body?[.integer("timestamp", 0...latest)]
      return .deviceRefused(
        reason, since: since.map { Instant(microseconds: Int64($0) * 1000) } ?? .now)
    case (400, "BadDeviceToken"):
      return .deviceRefused("\(reason): the token is wrong, or is of the other environment")
    case (400, "DeviceTokenNotForTopic"):
      return .deviceRefused("\(reason): the topic under [apns] is not the ID of its app")
    case (429, "TooManyRequests"): return .later(reason)
    case (403, "ExpiredProviderToken") where token?.replaced(in: answer.sent, at: uptime) == true:
      return .again(nil)
    case (400, "BadTopic"), (400, "TopicDisallowed"), (403, _):
      return .again("APNs refuses this clock: \(reason)")
    case (400, "IdleTimeout"), (429, _): return .again(reason)
    case (400..<500, _): return .refused(reason)
    default: return nil
    }
  }
}

/// The token that identifies a provider to APNs for an hour: a JSON Web Token signed with ES256, by
/// libjwt.
final class ProviderToken {
  private static let renewal = Duration.seconds(50 * 60)
  /// Apple refuses a provider that makes tokens more often.
  private static let shortestLife = Duration.seconds(20 * 60)

  private let key: [UInt8]
  private let (keyID, team): (String, String)
  private var made: (text: String, at: Instant)?
  /// An uptime.
  private var replaced: Duration?

  /// Nil if a certificate is used instead.
  init?(_ apns: PushConfiguration.APNs, at now: Instant = .now) throws(Fault) {
    if apns.certificate != nil { return nil }
    guard let keyID = apns.keyID, let team = apns.team else {
      throw Fault(
        "[apns] has no credentials", "set key_id and team, or certificate and key, under it")
    }
    guard let key = try Secret.text(file: apns.keyFile, credential: "apns-key") else {
      throw Fault(
        "[apns] has no key",
        "set key_file, or put it into /etc/credstore/clocksmith-relay.apns-key")
    }
    (self.key, self.keyID, self.team) = (Array(key.utf8), keyID, team)
    _ = try text(at: now)
  }

  /// Makes a new one if the old one is due, or the clock was set back.
  func text(at now: Instant) throws(Fault) -> String {
    if let made, made.at <= now, now - made.at < Self.renewal { return made.text }
    let text = try sign(at: now)
    made = (text, now)
    return text
  }

  /// - Parameter headers: of a request with a token that has expired for APNs.
  /// - Returns: true if the next request has another token.
  func replaced(in headers: [String], at uptime: Duration) -> Bool {
    guard let made, headers.contains("authorization: bearer \(made.text)") else { return true }
    if let replaced, uptime - replaced < Self.shortestLife { return false }
    (self.made, replaced) = (nil, uptime)
    return true
  }

  private func sign(at now: Instant) throws(Fault) -> String {
    var jwt: OpaquePointer?
    guard jwt_new(&jwt) == 0, let jwt else { throw Fault("libjwt", errno: ENOMEM) }
    defer { jwt_free(jwt) }
    jwt_add_header(jwt, "kid", keyID)
    jwt_add_grant(jwt, "iss", team)
    jwt_add_grant_int(jwt, "iat", Int(now.microseconds / 1_000_000))
    guard jwt_set_alg(jwt, JWT_ALG_ES256, key, Int32(key.count)) == 0,
      let text = jwt_encode_str(jwt)
    else {
      throw Fault(
        "cannot sign with the key \(keyID)",
        "it is no private key of P-256 in PEM form, as the .p8 that Apple hands out")
    }
    defer { free(text) }
    return String(cString: text)
  }
}

extension PushMessage {
  fileprivate var apnsHeaders: [String] {
    [
      "apns-push-type: \(isBackground ? "background" : "alert")",
      // 10 is at once, 5 is when it suits the battery.
      "apns-priority: \(isQuiet ? 5 : 10)",
      "apns-expiration: \(expires.microseconds / 1_000_000)",
      // APNs refuses more.
      "apns-collapse-id: \(collapse.prefix(64))",
    ]
  }

  /// It only wakes the app and shows nothing. APNs wants another push type for that.
  private var isBackground: Bool { event == .occasion }

  /// The hour need only be seen.
  private var isQuiet: Bool { event == .hour || event == .occasion }

  func apnsPayload(_ configured: PushConfiguration.APNs) -> String {
    fitted { message in
      let aps =
        // A background push may hold nothing else.
        isBackground ? Record(["content-available": .integer(1)]) : message.shown(configured)
      return Record([
        "aps": .record(aps), "event": .text(kind), "at": .text(created.rfc3339),
      ]).merging(message.details).json
    }
  }

  private func shown(_ configured: PushConfiguration.APNs) -> Record {
    // The values of UNNotificationInterruptionLevel. Timers and alarms must be heard.
    let level =
      switch event {
      case .timer, .alarm: "time-sensitive"
      case .hour: "passive"
      default: "active"
      }
    return Record([
      "alert": .record(Record(["title": .text(title), "body": .text(body)])),
      "sound": isQuiet ? nil : configured.sound.map { .text($0) },
      "badge": configured.badge.map { .integer(Int64($0)) },
      "content-available": configured.wakesApp ? .integer(1) : nil,
      "interruption-level": .text(level), "thread-id": .text(title),
    ])
  }
}
