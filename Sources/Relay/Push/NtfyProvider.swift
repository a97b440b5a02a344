import Basics
import Horology

/// A topic of an ntfy server, which hands messages on to telephones and browsers.
struct NtfyProvider: Provider {
  let name: String
  let environment: Device.Environment? = nil
  let events: PushEvents
  let settings: TransferSettings

  private let configured: PushConfiguration.Entry
  private let headers: [String]

  init(_ name: String, _ configured: PushConfiguration.Entry) throws(Fault) {
    self.name = "ntfy \(name)"
    self.configured = configured
    events = configured.events
    settings = try TransferSettings(authorities: configured.authorities)
    let token = try Secret.line(file: configured.secretFile, credential: "ntfy-token")
    headers =
      ["content-type: application/json"] + (token.map { ["authorization: Bearer \($0)"] } ?? [])
  }

  func request(_ delivery: Delivery, to _: String, at now: Instant) -> PushRequest {
    let message = delivery.message
    let record = Record([
      "topic": .text(configured.topic), "title": .text(message.title),
      "message": .text(message.body), "priority": .integer(priority(of: message.event)),
      "tags": .list([.text(message.event.text)]),
    ])
    return PushRequest(url: configured.address, headers: headers, body: record.json)
  }

  /// From 1 to 5, of which 3 is the usual.
  private func priority(of event: PushEvents) -> Int64 {
    switch event {
    case .timer, .alarm: 5
    case .hour: 2
    case .occasion: 1
    default: 3
    }
  }

  func verdict(on answer: PushResponse) -> Verdict {
    if let verdict = Verdict(common: answer) { return verdict }
    // The message itself is wrong; anything else may be put right.
    if [400, 413].contains(answer.status) { return .refused("status \(answer.status)") }
    return .again("the server answers status \(answer.status)")
  }
}
