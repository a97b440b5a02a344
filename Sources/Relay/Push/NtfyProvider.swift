import Basics
import Horology

/// A topic of an ntfy server, which hands messages on to telephones and browsers.
final class NtfyProvider: Provider {
  let lane: Lane
  let events: PushEvents
  let settings: TransferSettings

  private let configured: PushConfiguration.Ntfy
  private let headers: [String]

  init(_ name: String, _ configured: PushConfiguration.Ntfy) throws(Fault) {
    try TLSContext.check(authorities: configured.authorities)
    lane = .ntfy(name)
    events = configured.events
    settings = TransferSettings(authorities: configured.authorities)
    self.configured = configured
    let token = try configured.token()
    headers =
      ["content-type: application/json"] + (token.map { ["authorization: Bearer \($0)"] } ?? [])
  }

  func request(_ delivery: Delivery, to _: String, at now: Instant) -> PushRequest {
    PushRequest(
      tag: delivery.id, url: configured.server, headers: headers,
      body: text(of: delivery.message))
  }

  func text(of message: PushMessage) -> String {
    let record = Record([
      "topic": .text(configured.topic), "title": .text(message.title),
      "message": .text(message.body), "priority": .integer(message.event.ntfyPriority),
      "tags": .list([.text(message.event.text)]),
    ])
    return record.json
  }

  func judge(_ answer: PushResponse, sent: Instant) -> Verdict {
    if answer.isSuccess { return .accepted }
    if let failure = answer.failure { return Verdict(failure) }
    switch answer.status {
    case 429, 500...: return .again("status \(answer.status)", after: answer.retryAfter)
    case 400, 413: return .refused("status \(answer.status)")
    default: return .down("the server answers status \(answer.status)")
    }
  }
}

extension PushEvents {
  /// From 1 to 5, of which 3 is the usual.
  fileprivate var ntfyPriority: Int64 {
    switch self {
    case .timer, .alarm: 5
    case .hour: 2
    case .occasion: 1
    default: 3
    }
  }
}

extension PushConfiguration.Ntfy {
  public func token() throws(Fault) -> String? {
    try Secret.line(file: tokenFile, credential: "ntfy-token")
  }
}
