import Basics

/// One of the two servers of the Apple Push Notification service.
final class APNsProvider: Provider {
  let lane: Lane
  let events = PushEvents.all
  let settings: Transfers.Settings
  let origin: ProviderOrigin

  private let server: String
  private let topic: String
  private let look: APNsPayload.Look
  /// Nil if a certificate identifies the provider.
  private let token: ProviderToken?
  /// The headers and the body of the last message, because many deliveries of it follow each other.
  private var form: (message: Int64, token: String, headers: HeaderList, body: RequestBody)?

  /// Limit of requests in flight. Apple allows 1000. Each takes 20 kB, and those in flight are in
  /// doubt after a power cut.
  static let mostRequests = 200

  init(
    _ environment: Device.Environment, _ configured: PushConfiguration.APNs, _ token: ProviderToken?
  ) {
    lane = .apns(environment)
    server = configured.server ?? environment.server
    topic = configured.topic
    look = configured.look
    self.token = token
    origin = ProviderOrigin(
      .apns(configured), secret: token?.key ?? [],
      files: [configured.authorities, configured.certificate, configured.key].compactMap { $0 })
    settings = Transfers.Settings(
      isHTTP2: true, authorities: configured.authorities, certificate: configured.certificate,
      key: configured.key, most: Self.mostRequests)
  }

  func request(
    _ delivery: Delivery, _ registered: RegisteredMessage, at now: UTCTime
  ) throws(Fault) -> Request {
    let token = try token?.text(at: now) ?? ""
    if form == nil || form?.message != registered.id || form?.token != token {
      form = try makeForm(registered, token)
    }
    return Request(
      tag: delivery.id, url: "https://\(server)/3/device/\(delivery.token)",
      ownHeader: "apns-id: \(registered.requestID(of: delivery.id))", headers: form!.headers,
      body: form!.body)
  }

  private func makeForm(
    _ registered: RegisteredMessage, _ token: String
  ) throws(Fault) -> (Int64, String, HeaderList, RequestBody) {
    let payload = APNsPayload(message: registered.message, look: look)
    let body = RequestBody(try payload.text())
    var lines = [
      "apns-topic: \(topic)", "apns-push-type: \(payload.type)",
      "apns-priority: \(payload.priority)",
      "apns-expiration: \(registered.message.expires.microseconds / 1_000_000)",
      "apns-collapse-id: \(payload.collapse)", "content-type: application/json", "accept:",
    ]
    if !token.isEmpty { lines.append("authorization: bearer \(token)") }
    return (registered.id, token, HeaderList(lines), body)
  }

  func judge(_ answer: Answer, sent: UTCTime, at now: UTCTime) -> Verdict {
    let verdict = Verdict(apns: answer, sent: sent)
    if case .tokenExpired(let reason) = verdict {
      // A token made a moment ago is not too old: a clock is wrong.
      guard token?.expire(sent: sent, at: now) == true else {
        return .down("APNs refuses this clock: \(reason)")
      }
    }
    return verdict
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
