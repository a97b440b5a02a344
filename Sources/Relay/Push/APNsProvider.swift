import Basics
import CJWT
@preconcurrency import Glibc
import Horology

final class APNsProvider: Provider {
  let name: String
  let environment: Device.Environment?
  let events = PushEvents.all
  let settings: TransferSettings

  /// As in `https://api.push.apple.com/3/device/`; a token follows.
  private let address: String
  private let configured: PushConfiguration.APNs
  /// Nil if a certificate is used instead.
  private let token: ProviderToken?
  /// APNs has accepted messages for this topic.
  private var isOurTopic = false

  /// Limit of requests in flight. Apple allows 1000; an owner would not notice more.
  private static let mostRequests = 16

  /// - Throws: `Fault` if a key or a certificate cannot be read or used.
  init(_ environment: Device.Environment, _ configured: PushConfiguration.APNs) throws(Fault) {
    name = "apns \(environment.rawValue)"
    self.environment = environment
    self.configured = configured
    address = "https://\(configured.server ?? environment.server)/3/device/"
    settings = try TransferSettings(
      authorities: configured.authorities, certificate: configured.certificate,
      key: configured.key, most: Self.mostRequests)
    guard let keyID = configured.keyID, let team = configured.team, configured.certificate == nil
    else {
      token = nil
      return
    }
    guard let key = try Secret.text(file: configured.keyFile, credential: "apns-key") else {
      throw Fault(
        "[apns] has no key",
        "set key_file, or put it into /etc/credstore/clocksmith-relay.apns-key")
    }
    token = try ProviderToken(key: key, keyID: keyID, team: team, at: .now)
  }

  func request(
    _ delivery: Delivery, to device: String, at now: Instant
  ) throws(Fault) -> PushRequest {
    let message = delivery.message
    var headers = [
      "content-type: application/json", "apns-topic: \(configured.topic)",
      "apns-push-type: \(message.isBackground ? "background" : "alert")",
      // 10 is at once, 5 is when it suits the battery.
      "apns-priority: \(message.isQuiet ? 5 : 10)",
      "apns-expiration: \(message.expires.microseconds / 1_000_000)",
      "apns-collapse-id: \(message.apnsCollapse)", "apns-id: \(delivery.id)",
    ]
    if let token = try token?.text(at: now) { headers.append("authorization: bearer \(token)") }
    return PushRequest(
      url: address + device, headers: headers, body: message.apnsPayload(configured))
  }

  /// By Apple's `Handling notification responses from APNs`.
  func verdict(on answer: PushResponse) -> Verdict {
    if let verdict = Verdict(common: answer) {
      if verdict == .accepted { isOurTopic = true }
      return verdict
    }
    let body = try? Record(json: answer.body, path: "the answer")
    let told = body?[.text("reason")].map { $0.excerpt.printable }
    let reason = told ?? "status \(answer.status)"
    switch (answer.status, reason) {
    case (410, _):
      // In milliseconds since 1970, until 2200.
      let since = body?[.integer("timestamp", 0...7_258_118_400_000)]
      return .gone(reason, since: since.map { Instant(microseconds: Int64($0) * 1000) } ?? .now)
    // Perhaps only the environment is wrong, which is ours to mend: the phone stays registered.
    case (400, "BadDeviceToken"):
      return .refused("\(reason): the token is wrong, or is of the other environment")
    // The token is valid for another app: either this phone or our topic is wrong.
    case (400, "DeviceTokenNotForTopic") where isOurTopic: return .refused(reason)
    case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"),
      (400, "DeviceTokenNotForTopic"), (403, _):
      return .again("APNs refuses this clock: \(reason)")
    case (400, "IdleTimeout"), (429, _): return .again(reason)
    case (400..<500, _): return .refused(reason)
    default: return .again("the server answers \(reason)")
    }
  }
}

extension Device.Environment {
  fileprivate var server: String {
    switch self {
    case .production: "api.push.apple.com"
    case .sandbox: "api.sandbox.push.apple.com"
    }
  }
}

/// The token that identifies a provider to APNs: a JSON Web Token signed with ES256, by libjwt.
///
/// Apple takes one for an hour.
final class ProviderToken {
  private static let renewal = Duration.seconds(50 * 60)

  private let key: [UInt8]
  private let keyID: String
  private let team: String
  private var made = (text: "", at: Instant(microseconds: 0))

  /// - Parameters:
  ///   - key: of P-256, in PEM form as Apple hands it out (a `.p8`).
  ///   - keyID: ten characters, as Apple names the key.
  ///   - team: ten characters, as Apple names the owner.
  /// - Throws: `Fault` if the key cannot sign.
  init(key: String, keyID: String, team: String, at now: Instant) throws(Fault) {
    self.key = Array(key.utf8)
    self.keyID = keyID
    self.team = team
    made = (try sign(at: now), now)
  }

  /// The token for a request. Makes a new one if the old one is due, or the clock was set back.
  func text(at now: Instant) throws(Fault) -> String {
    if made.at > now || now - made.at >= Self.renewal { made = (try sign(at: now), now) }
    return made.text
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
  /// It only wakes the app and shows nothing. APNs wants another push type for that.
  fileprivate var isBackground: Bool { event == .occasion }

  /// The hour need only be seen.
  fileprivate var isQuiet: Bool { event == .hour || event == .occasion }

  /// At most 64 bytes of whole characters: APNs refuses more.
  var apnsCollapse: String {
    var text = collapse
    while text.utf8.count > 64 { text.removeLast() }
    return text
  }

  func apnsPayload(_ configured: PushConfiguration.APNs) -> String {
    Record([
      // A background push may hold nothing else.
      "aps": .record(isBackground ? Record(["content-available": .integer(1)]) : shown(configured)),
      "event": .text(kind), "at": .text(created.rfc3339),
    ]).merging(details).json
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
