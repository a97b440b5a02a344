import Basics
import CSystemd
import Daemon
import Horology

/// A message that was published, and how its deliveries have ended so far.
final class Publication {
  let message: PushMessage
  /// As the register keeps the message.
  private(set) lazy var json = message.json
  fileprivate var waiting = 0
  fileprivate var counts: [DeliveryEnd: Int] = [:]
  /// Who did not accept it and why, as in `webhook school: refused, status 410`.
  fileprivate var failures: Set<String> = []

  init(_ message: PushMessage) { self.message = message }
}

enum DeliveryEnd {
  case accepted, refused
  /// The message expired before anybody took it.
  case expired
}

/// One message for one receiver.
final class Delivery {
  /// A UUID, by which the receiver knows a delivery that is sent again.
  let id: String
  let publication: Publication
  let lane: String
  /// The number of the device; 0 for an entry.
  let device: Int64

  var message: PushMessage { publication.message }

  init(
    id: String = Delivery.makeID(), _ publication: Publication, lane: String, device: Int64 = 0
  ) {
    self.id = id
    self.publication = publication
    self.lane = lane
    self.device = device
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

/// Publishes messages: sends them to every provider. What has not ended is in the register, too, and
/// so outlasts the relay.
final class Publisher {
  private static let mostFailures = 3

  private let loop: EventLoop
  private let journal: Journal
  private let register: OpenRegister
  private var outage = Outage()
  private var lanes: [PushLane] = []

  init(_ loop: EventLoop, _ journal: Journal, _ register: OpenRegister) {
    self.loop = loop
    self.journal = journal
    self.register = register
  }

  /// Sends messages to these providers from now on. What is on its way is sent again.
  func use(_ providers: [any Provider]) {
    let left = lanes.flatMap(\.unfinished)
    lanes = providers.map { PushLane($0, loop, self) }
    send(left)
    read()
  }

  func publish(_ message: PushMessage) { publish(message, inPlaceOf: nil) }

  /// - Parameter words: the id of the words in the register, which are published once.
  private func publish(_ message: PushMessage, inPlaceOf words: String?) {
    let publication = Publication(message)
    let deliveries = lanes.filter { $0.wants(message.event) }.flatMap { lane in
      receivers(lane.provider, of: message.event).map {
        Delivery(publication, lane: lane.name, device: $0)
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

  /// The numbers of the devices, or 0 for an entry.
  private func receivers(_ provider: any Provider, of event: PushEvents) -> [Int64] {
    guard let environment = provider.environment else { return [0] }
    let events = event == .message ? .all : event
    return using { try $0.receivers(environment, of: events) } ?? []
  }

  private func send(_ deliveries: [Delivery]) {
    for (name, deliveries) in Dictionary(grouping: deliveries, by: \.lane) {
      if let lane = lanes.first(where: { $0.name == name }) {
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
    for words in new where words.lane.isEmpty { publish(words.message, inPlaceOf: words.id) }
    send(new.filter { !$0.lane.isEmpty })
  }

  // MARK: Answers

  /// A delivery has ended. Logs its message if it was the last one.
  func ended(_ delivery: Delivery, _ end: DeliveryEnd, _ reason: String? = nil) {
    using { try $0.remove(delivery: delivery.id) }
    let publication = delivery.publication
    publication.waiting -= 1
    publication.counts[end, default: 0] += 1
    if let reason { publication.failures.insert("\(delivery.lane): \(end), \(reason)") }
    if publication.waiting == 0 { logEnd(of: publication) }
  }

  /// - Returns: the token of its device; nil if that has gone.
  func token(for delivery: Delivery) -> String? {
    using { try $0.token(of: delivery.device) } ?? nil
  }

  /// - Parameter since: when the provider has lost it: a device that has registered after that stays.
  func hasGone(_ delivery: Delivery, _ reason: String, since: Instant) {
    let gone = using { try $0.deactivate(delivery.device, reason, since: since, at: .now) }
    guard let token = gone ?? nil else { return }
    // Only the start of the token, which is private.
    journal.log(
      .deviceGone, .notice,
      "the device \(token.prefix(8))... gets no more messages: \(reason) (\(delivery.lane)); "
        + "'clocksmith-relay feedback' lists it", ["LANE": delivery.lane, "REASON": reason])
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

  // MARK: The journal

  private func logEnd(of publication: Publication) {
    let counts = publication.counts
    let parts = [DeliveryEnd.accepted, .refused, .expired].compactMap { end in
      counts[end].map { "\($0) \(end)" }
    }
    let reasons = publication.failures.sorted().prefix(Self.mostFailures).joined(separator: "; ")
    let message = publication.message
    journal.log(
      .pushed, reasons.isEmpty ? .info : .notice,
      "published \"\(message.body.excerpt)\": \(parts.joined(separator: ", "))"
        + (reasons.isEmpty ? "" : " (\(reasons))"),
      [
        "DETAIL": reasons.isEmpty ? nil : reasons,
        "PUSH_EVENT": message.event.text, "ACCEPTED": String(counts[.accepted] ?? 0),
        "REFUSED": String(counts[.refused] ?? 0), "EXPIRED": String(counts[.expired] ?? 0),
      ])
  }

  /// - Parameter trouble: nil if the lane works again.
  func logTrouble(of lane: String, _ trouble: String?) {
    if let trouble {
      journal.log(
        .providerLost, .warning, "\(lane): \(trouble)", ["LANE": lane, "DETAIL": trouble])
    } else {
      journal.log(.provider, .notice, "\(lane) is back", ["LANE": lane])
    }
  }
}
