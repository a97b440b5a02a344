import Basics
import Daemon
import Horology

/// Publishes messages: sends them to every provider. What has not ended is in the register, too, and
/// so outlasts the relay.
final class Publisher {
  private static let mostFailures = 3
  private static let lastPatience = Duration.seconds(3)

  private let loop: EventLoop
  private let journal: Journal
  private let open: OpenRegister
  /// The register that was read last.
  private weak var register: Register?
  private var outage = Outage(first: .seconds(2), longest: .seconds(2))
  private var retryTimer: EventSource?
  /// The active devices of the register, by their numbers.
  private(set) var devices: [Int64: Device] = [:]
  private var lanes: [PushLane] = []
  /// Deliveries for lanes that are configured and cannot be used now.
  private var parked: [Delivery] = []
  private var configured: Set<String> = []
  /// What has changed since the register was written.
  private var unsaved: [String: Delivery] = [:]
  private var ended: [String] = []
  /// Set by `stop`: nothing more is sent. Called when the last answer has come.
  private var stopped: (() -> Void)?
  private var endTimer: EventSource?
  private var laneEntries = Throttle()
  private var goneEntries = Throttle()

  init(_ loop: EventLoop, _ journal: Journal, _ open: OpenRegister) {
    self.loop = loop
    self.journal = journal
    self.open = open
  }

  /// Sends messages to these providers from now on. What is on its way to others is sent again.
  /// - Parameter configured: all configured lanes, also those that cannot be used now. Deliveries
  ///   for any other lane end.
  func use(_ providers: [Provider], of configured: [Lane]) {
    let left = unfinished
    parked = []
    self.configured = Set(configured.map(\.name))
    lanes = providers.map { PushLane($0, loop, self) }
    distribute(left)
    read()
  }

  private var unfinished: [Delivery] { lanes.flatMap(\.unfinished) + parked }

  /// Stops sending.
  /// - Parameter done: called when the last answer has come, or the wait for it is over.
  func stop(_ done: @escaping () -> Void) {
    stopped = done
    for lane in lanes { lane.stop() }
    endTimer = try? loop.after(Self.lastPatience) { [unowned self] in end() }
    endIfIdle()
  }

  func endIfIdle() {
    if stopped != nil, lanes.allSatisfy(\.isIdle) { end() }
  }

  private func end() {
    guard let done = stopped else { return }
    stopped = nil
    endTimer = nil
    retryTimer = nil
    save()
    retryTimer = nil
    if !unsaved.isEmpty {
      journal.log(
        .register, .error, "lost at the end: \(unsaved.count) messages that are not sent yet",
        ["COUNT": String(unsaved.count)])
    }
    done()
  }

  func publish(_ message: PushMessage) {
    let publication = Publication(message)
    var deliveries: [Delivery] = []
    for lane in lanes where lane.wants(message.event) {
      if let environment = lane.provider.lane.environment {
        let known = devices.sorted { $0.key < $1.key }
        for (number, device) in known where device.environment == environment {
          guard message.event == .message || device.events?.contains(message.event) == true else {
            continue
          }
          deliveries.append(Delivery(publication, lane: lane.name, device: number))
        }
      } else {
        deliveries.append(Delivery(publication, lane: lane.name))
      }
    }
    for delivery in deliveries { unsaved[delivery.id] = delivery }
    save()
    distribute(deliveries)
  }

  private func distribute(_ deliveries: [Delivery]) {
    for (name, deliveries) in Dictionary(grouping: deliveries, by: \.lane) {
      if let lane = lanes.first(where: { $0.name == name }) {
        lane.add(deliveries)
      } else if configured.contains(name) {
        parked += deliveries
      } else {
        for delivery in deliveries {
          ended(delivery, .refused, "the configuration does not have it any more")
        }
      }
    }
  }

  /// A delivery has ended. Logs its message if it was the last one.
  func ended(_ delivery: Delivery, _ end: DeliveryEnd, _ reason: String? = nil) {
    if unsaved.removeValue(forKey: delivery.id) == nil { ended.append(delivery.id) }
    save()
    let publication = delivery.publication
    publication.ended(delivery, end, reason)
    if publication.waiting == 0 { tellEnd(of: publication) }
  }

  /// - Parameter since: what the provider knows from then: a device that registered after it stays.
  func hasGone(_ delivery: Delivery, _ reason: String, since: Instant) {
    let isNew = using { try $0.deactivate(delivery.device, reason, since: since, at: .now) }
    guard isNew == true, let device = devices.removeValue(forKey: delivery.device),
      let more = goneEntries.suffix(at: uptime)
    else { return }
    journal.log(
      .deviceGone, .notice,
      "the device \(device.title) gets no more messages: \(reason) (\(delivery.lane)); "
        + "'clocksmith-relay feedback' lists it\(more)", ["LANE": delivery.lane, "REASON": reason])
  }

  // MARK: The register

  /// - Throws: `Fault` if the register cannot be used now.
  func register(_ device: Device) throws(Fault) {
    try opened().add(device, at: .now)
    read()
  }

  /// - Returns: false if it is not known.
  /// - Throws: `Fault` if the register cannot be used now.
  func forget(_ token: String) throws(Fault) -> Bool {
    defer { read() }
    return try opened().remove(token: token)
  }

  /// - Returns: nil if the register cannot be used now; it is tried again.
  @discardableResult
  private func using<Result>(_ body: (Register) throws -> Result) -> Result? {
    // Leave a failed register to the retry: each attempt may block for a tenth of a second.
    guard retryTimer == nil else { return nil }
    do {
      return try body(opened())
    } catch {
      complain(error)
      return nil
    }
  }

  private func opened() throws(Fault) -> Register {
    let register = try open.opened()
    guard register !== self.register else { return register }
    // What is in memory is written into another register, too.
    for delivery in unfinished { unsaved[delivery.id] = delivery }
    devices = try register.activeDevices()
    let left = try register.deliveries().filter { unsaved[$0.id] == nil && !ended.contains($0.id) }
    self.register = register
    distribute(left)
    return register
  }

  private func complain(_ error: any Error) {
    if outage.begins() {
      journal.log(
        .register, .warning, "\(error); what is not sent yet would not outlast a restart",
        ["DETAIL": "\(error)"])
    }
    guard retryTimer == nil else { return }
    retryTimer = try? loop.after(outage.nextWait()) { [unowned self] in tryAgain() }
  }

  private func tryAgain() {
    retryTimer = nil
    read()
    save()
    // On a full disk, everything that writes nothing succeeds.
    guard using({ try $0.proveWritable() }) != nil, outage.ends() else { return }
    journal.log(.register, .notice, "the register can be used again")
  }

  private func save() {
    guard !unsaved.isEmpty || !ended.isEmpty else { return }
    let isSaved: Void? = using { try $0.save(Array(unsaved.values), ended) }
    guard isSaved != nil else { return }
    unsaved = [:]
    ended = []
  }

  /// Reads the devices, and publishes the words of `clocksmith-relay push`.
  func read() {
    using { register in
      devices = try register.activeDevices()
      // If no lane is left to send them, the relay's next run will.
      guard stopped == nil else { return }
      for (id, message) in try register.words() where !ended.contains(id) {
        ended.append(id)
        publish(message)
      }
    }
  }

  // MARK: The journal

  private func tellEnd(of publication: Publication) {
    let counts = publication.counts
    let parts = [DeliveryEnd.accepted, .refused, .expired].compactMap { end in
      counts[end].map { "\($0) \(end.rawValue)" }
    }
    let failures = publication.failures(most: Self.mostFailures)
    let reasons = failures.joined(separator: "; ")
    let message = publication.message
    journal.log(
      .pushed, failures.isEmpty ? .info : .notice,
      "published \"\(message.body.excerpt)\": \(parts.joined(separator: ", "))"
        + (failures.isEmpty ? "" : " (\(reasons))"),
      [
        "DETAIL": failures.isEmpty ? nil : reasons,
        "PUSH_EVENT": message.event.text, "ACCEPTED": String(counts[.accepted] ?? 0),
        "REFUSED": String(counts[.refused] ?? 0), "EXPIRED": String(counts[.expired] ?? 0),
      ])
  }

  /// - Parameter trouble: nil if the lane works again.
  func logTrouble(of lane: Lane, _ trouble: String?) {
    guard let more = laneEntries.suffix(at: uptime) else { return }
    if let trouble {
      journal.log(
        .providerLost, .warning, "\(lane.name): \(trouble)\(more)",
        ["LANE": lane.name, "DETAIL": trouble])
    } else {
      journal.log(.provider, .notice, "\(lane.name) is back\(more)", ["LANE": lane.name])
    }
  }
}
