import Basics
import CSystemd
import Daemon
import Horology

/// A message that was published, and how its deliveries have ended so far.
final class Publication {
  let message: PushMessage
  private(set) lazy var json = message.json
  fileprivate var waiting = 0
  fileprivate var counts: [DeliveryEnd: Int] = [:]
  /// Who did not accept it and why, as in `webhook school: refused, status 410`.
  fileprivate var failures: Set<String> = []

  init(_ message: PushMessage) { self.message = message }
}

enum DeliveryEnd: CaseIterable {
  case accepted, refused, expired
}

/// One message for one receiver.
final class Delivery {
  /// A UUID, by which the receiver knows a delivery that is sent again.
  let id: String
  let publication: Publication
  let lane: String
  /// Of the device; empty for an entry.
  let token: String

  var message: PushMessage { publication.message }

  init(
    id: String = Delivery.makeID(), _ publication: Publication, lane: String, token: String = ""
  ) {
    (self.id, self.publication, self.lane, self.token) = (id, publication, lane, token)
    publication.waiting += 1
  }

  private static func makeID() -> String {
    var id = sd_id128_t()
    sd_id128_randomize(&id)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 37) {
      String(cString: sd_id128_to_uuid_string(id, $0.baseAddress!))
    }
  }
}

/// Sends messages to every provider. What has not ended is in the register, too, and so outlasts the
/// relay.
final class Publisher {
  private let loop: EventLoop
  private let journal: Journal
  private let register: OpenRegister
  private var outage = Outage()
  private var lanes: [PushLane] = []

  init(_ loop: EventLoop, _ journal: Journal, _ register: OpenRegister) {
    (self.loop, self.journal, self.register) = (loop, journal, register)
  }

  /// Sends messages to these providers from now on. What is on its way is sent again.
  func use(_ providers: [Provider]) {
    let left = lanes.flatMap(\.unfinished)
    lanes = providers.compactMap { provider in
      do throws(Fault) {
        return try PushLane(provider, loop, self)
      } catch {
        logTrouble(of: provider, error.description)
        return nil
      }
    }
    send(left)
    read()
  }

  /// - Parameter words: the id of the words in the register, which are published once.
  func publish(_ message: PushMessage, inPlaceOf words: String? = nil) {
    let publication = Publication(message)
    let deliveries = lanes.flatMap { lane in
      receivers(lane.provider, of: message.event).map {
        Delivery(publication, lane: lane.provider.name, token: $0)
      }
    }
    guard !deliveries.isEmpty || words != nil else { return }
    let isKept = using { try $0.save(deliveries, inPlaceOf: words) } != nil
    guard isKept || words == nil else { return }
    if isKept, outage.ends() {
      journal.log(.register, .notice, "the register can be used again")
    }
    if deliveries.isEmpty { logEnd(of: publication) }
    send(deliveries)
  }

  private func receivers(_ provider: Provider, of event: PushEvents) -> [String] {
    let events = event == .message ? .all : event
    guard !provider.events.isDisjoint(with: events) else { return [] }
    guard let environment = provider.environment else { return [""] }
    return using { try $0.receivers(environment, of: events) } ?? []
  }

  private func send(_ deliveries: [Delivery]) {
    for (name, deliveries) in Dictionary(grouping: deliveries, by: \.lane) {
      if let lane = lanes.first(where: { $0.provider.name == name }) {
        lane.add(deliveries)
      } else {
        for delivery in deliveries { ended(delivery, .refused, "nothing is sent there now") }
      }
    }
  }

  /// Publishes the words of `clocksmith-relay push`, and sends what an earlier run has not sent.
  func read() {
    let known = Set(lanes.flatMap(\.unfinished).map(\.id))
    let new = using { try $0.deliveries().filter { !known.contains($0.id) } } ?? []
    send(new.filter { !$0.lane.isEmpty })
    for words in new where words.lane.isEmpty { publish(words.message, inPlaceOf: words.id) }
  }

  /// Logs the message of a delivery if it was the last one.
  func ended(_ delivery: Delivery, _ end: DeliveryEnd, _ reason: String? = nil) {
    using { try $0.remove(delivery: delivery.id) }
    if end == .accepted { using { _ = try $0.setRefusal(of: delivery.token, nil, at: .now) } }
    let publication = delivery.publication
    publication.waiting -= 1
    publication.counts[end, default: 0] += 1
    if let reason { publication.failures.insert("\(delivery.lane): \(end), \(reason)") }
    if publication.waiting == 0 { logEnd(of: publication) }
  }

  /// - Parameter since: when the provider has lost it: a device that has registered after that stays.
  ///   Nil if it stays in any case, and is only listed.
  func refuses(_ delivery: Delivery, _ reason: String, since: Instant?) {
    let (token, word) = (delivery.token, String(reason.prefix { $0 != ":" }))
    guard using({ try $0.setRefusal(of: token, word, since: since, at: .now) }) == true
    else { return }
    logTrouble(
      of: delivery,
      (since == nil ? "is refused" : "gets no more messages")
        + ": \(reason); 'clocksmith-relay feedback' lists it")
  }

  func logTrouble(of delivery: Delivery, _ trouble: String) {
    // Only the start of the token, which is private.
    journal.log(
      .deviceGone, .notice,
      "\(delivery.lane): the device \(delivery.token.prefix(8))... \(trouble)",
      ["LANE": delivery.lane, "DETAIL": trouble])
  }

  /// - Returns: nil if the register cannot be used now.
  @discardableResult
  private func using<Result>(_ body: (Register) throws -> Result) -> Result? {
    do {
      return try body(register.opened())
    } catch {
      if outage.begins() {
        journal.log(
          .register, .warning, "\(error); what is not sent yet would not outlast a restart",
          ["DETAIL": "\(error)"])
      }
      return nil
    }
  }

  private func logEnd(of publication: Publication) {
    let (message, counts) = (publication.message, publication.counts)
    let parts = DeliveryEnd.allCases.compactMap { end in counts[end].map { "\($0) \(end)" } }
    let reasons = publication.failures.sorted().prefix(3).joined(separator: "; ")
    journal.log(
      .pushed, reasons.isEmpty ? .info : .notice,
      "published \"\(message.body.excerpt)\": "
        + (parts.isEmpty ? "nobody receives it" : parts.joined(separator: ", "))
        + (reasons.isEmpty ? "" : " (\(reasons))"),
      [
        "DETAIL": reasons.isEmpty ? nil : reasons,
        "PUSH_EVENT": message.event.text, "ACCEPTED": String(counts[.accepted] ?? 0),
        "REFUSED": String(counts[.refused] ?? 0), "EXPIRED": String(counts[.expired] ?? 0),
      ])
  }

  func logTrouble(
    of provider: Provider, _ trouble: String?, _ priority: Priority = .warning
  ) {
    let name = provider.name
    if let trouble {
      journal.log(
        .providerLost, priority, "\(name): \(trouble)", ["LANE": name, "DETAIL": trouble])
    } else {
      journal.log(.provider, .notice, "\(name) is back", ["LANE": name])
    }
  }
}
