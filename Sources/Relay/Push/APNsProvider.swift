import Basics
import Horology

/// One of the two servers of the Apple Push Notification service.
final class APNsProvider: Provider {
  let lane: Lane
  let events = PushEvents.all
  let settings: CarrierSettings
  let origin: ProviderOrigin

  private let topic: String
  private let look: APNsPayload.Look
  /// Nil if a certificate identifies the provider.
  private let token: ProviderToken?
  /// APNs has accepted messages for the topic.
  private var isOurTopic = false
  /// The headers and the body of the last message, because many deliveries of it follow each other.
  private var form: (message: Int64, token: String, headers: HeaderList, body: RequestBody)?

  /// Limit of requests in flight; Apple allows 1000. They are in doubt after a power cut.
  static let mostRequests = 200

  init(
    _ environment: Device.Environment, _ configured: PushConfiguration.APNs, _ token: ProviderToken?
  ) {
    lane = .apns(environment)
    topic = configured.topic
    look = configured.look
    self.token = token
    origin = ProviderOrigin(
      .apns(configured), secret: token?.key ?? [],
      files: [configured.authorities, configured.certificate, configured.key].compactMap { $0 })
    settings = CarrierSettings(
      server: configured.server ?? environment.server, authorities: configured.authorities,
      certificate: configured.certificate, key: configured.key, most: Self.mostRequests)
  }

  func request(
    _ delivery: Delivery, _ registered: RegisteredMessage, at now: Instant
  ) throws(Fault) -> Request {
    let token = try token?.text(at: now) ?? ""
    if form == nil || form?.message != registered.id || form?.token != token {
      form = try makeForm(registered, token)
    }
    return Request(
      tag: delivery.id, address: "/3/device/\(delivery.token)",
      ownHeader: Header(name: "apns-id", value: registered.requestID(of: delivery.id)),
      headers: form!.headers, body: form!.body)
  }

  private func makeForm(
    _ registered: RegisteredMessage, _ token: String
  ) throws(Fault) -> (Int64, String, HeaderList, RequestBody) {
    let payload = APNsPayload(message: registered.message, look: look)
    let body = RequestBody(try payload.text())
    var headers = [
      Header(name: "apns-topic", value: topic), Header(name: "apns-push-type", value: payload.type),
      Header(name: "apns-priority", value: String(payload.priority)),
      Header(
        name: "apns-expiration",
        value: String(registered.message.expires.microseconds / 1_000_000)),
      Header(name: "apns-collapse-id", value: payload.collapse),
      Header(name: "content-type", value: "application/json"),
      Header(name: "content-length", value: String(body.count)),
    ]
    if !token.isEmpty { headers.append(Header(name: "authorization", value: "bearer \(token)")) }
    return (registered.id, token, HeaderList(headers), body)
  }

  func judge(_ answer: PushResponse, sent: Instant, at now: Instant) -> Verdict {
    let verdict = Verdict(apns: answer, sent: sent, isOurTopic: isOurTopic)
    if verdict == .accepted { isOurTopic = true }
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
