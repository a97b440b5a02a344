import Basics
import Horology

extension Provider {
  /// A topic of an ntfy server, which hands messages on to telephones and browsers.
  static func ntfy(
    _ name: String, _ entry: PushConfiguration.Entry
  ) throws(Fault) -> Provider {
    if entry.topic.isEmpty {
      throw Fault("[ntfy \(name)] has no topic", "write 'topic = NAME' under it")
    }
    let token = try Secret.line(file: entry.secretFile, credential: "ntfy-token")
    let headers = token.map { ["authorization: Bearer \($0)"] } ?? []
    return Provider(
      name: "ntfy \(name)", events: entry.events,
      authorities: entry.authorities,
      request: { delivery, _ in
        let body = delivery.message.fitted { message in
          Record([
            "topic": .text(entry.topic), "title": .text(message.title),
            "message": .text(message.body), "priority": .integer(priority(of: message.event)),
            "tags": .list([.text(message.event.text)]),
          ]).json
        }
        return PushRequest(url: entry.address, headers: headers, body: body)
      },
      // The message itself is wrong; anything else may be put right.
      verdict: { [400, 413].contains($0.status) ? .refused("status \($0.status)") : nil })
  }

  /// From 1 to 5, of which 3 is the usual.
  private static func priority(of event: PushEvents) -> Int64 {
    switch event {
    case .timer, .alarm: 5
    case .hour: 2
    case .occasion: 1
    default: 3
    }
  }
}
