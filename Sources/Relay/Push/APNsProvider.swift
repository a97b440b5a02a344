import Basics
import Horology

final class APNsProvider: Provider {
  let lane: Lane
  let events = PushEvents.all
  let settings: TransferSettings

  /// As in `https://api.push.apple.com/3/device/`; a token follows.
  private let address: String
  private let topic: String
  private let look: APNsPayload.Look
  private let token: ProviderToken?
  /// APNs has accepted messages for this topic.
  private var isOurTopic = false

  /// Limit of requests in flight. Apple allows 1000; an owner would not notice more.
  static let mostRequests = 16

  init(
    _ environment: Device.Environment, _ configured: PushConfiguration.APNs, _ token: ProviderToken?
  ) {
    lane = .apns(environment)
    address = "https://\(configured.server ?? environment.server)/3/device/"
    topic = configured.topic
    look = configured.look
    self.token = token
    settings = TransferSettings(
      authorities: configured.authorities, certificate: configured.certificate,
      key: configured.key, needsHTTP2: true, most: Self.mostRequests)
  }

  func request(
    _ delivery: Delivery, to device: String, at now: Instant
  ) throws(Fault) -> PushRequest {
    let payload = APNsPayload(message: delivery.message, look: look)
    return PushRequest(
      tag: delivery.id, url: address + device,
      headers: headers(payload, try token?.text(at: now) ?? "") + ["apns-id: \(delivery.id)"],
      body: payload.text)
  }

  private func headers(_ payload: APNsPayload, _ token: String) -> [String] {
    let expires = payload.message.expires.microseconds / 1_000_000
    return [
      "content-type: application/json", "apns-topic: \(topic)", "apns-push-type: \(payload.type)",
      "apns-priority: \(payload.priority)", "apns-expiration: \(expires)",
      "apns-collapse-id: \(payload.collapse)",
    ] + (token.isEmpty ? [] : ["authorization: bearer \(token)"])
  }

  func judge(_ answer: PushResponse, sent: Instant) -> Verdict {
    let verdict = Verdict(apns: answer, sent: sent, isOurTopic: isOurTopic)
    if verdict == .accepted { isOurTopic = true }
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
