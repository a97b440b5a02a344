import Basics
import Daemon
import Horology

/// Publishes messages: keeps them in the register, and sends them from there to every provider.
final class Publisher {
  typealias Log = (RelayEvent, Priority, _ words: String, _ fields: [String: String?]) -> Void

  /// How long the results of messages are kept, and the pause between two prunings.
  private static let keeping = Duration.seconds(7 * 86_400)
  private static let pruneTime = Duration.seconds(3600)
  /// How many reasons of failures an entry names at most.
  private static let mostFailures = 3
  /// Limit of messages that wait for the register.
  private static let mostWaiting = 64
  /// How long to wait for answers when the relay ends.
  private static let lastPatience = Duration.seconds(3)

  private let loop: EventLoop
  private let path: String
  private let log: Log
  private var register: Register?
  /// Of the register.
  private var outage = Outage(first: .seconds(2), longest: .seconds(2))
  private var lanes: [PushLane] = []
  /// Set by `stop`: nothing more is sent. Called when all is noted.
  private var stopped: (() -> Void)?
  private var endTimer: EventSource?
  private var waiting: [PushMessage] = []
  /// How many messages were dropped because `waiting` was full.
  private var leftOut = 0
  private var retryTimer: EventSource?
  private var pruneTimer: EventSource?
  private var watch: EventSource?
  private var laneEntries = Throttle()
  private var goneEntries = Throttle()

  /// - Parameter path: the path of the register.
  init(_ loop: EventLoop, path: String = Register.path, log: @escaping Log) {
    self.loop = loop
    self.path = path
    self.log = log
  }

  /// Sends messages to these providers from now on. What is on its way to others is sent again.
  /// - Parameter configured: all configured lanes, also those that cannot be used now. Deliveries
  ///   for any other lane end.
  func use(_ providers: [Provider], of configured: [Lane]) {
    for lane in lanes {
      lane.stop()
      lane.turn()
    }
    lanes = providers.map { PushLane($0, loop, self) }
    // Watch before the first read, so that nothing is missed in between.
    watch = try? loop.whenReplaced("\(path)-wal") { [unowned self] in takeNew() }
    takeNew()
    using { try $0.endLanes(but: configured) }
    for lane in lanes { lane.wake() }
    prune()
  }

  /// Stops sending.
  /// - Parameter done: called when the last answer is noted, or the wait for it is over.
  func stop(_ done: @escaping () -> Void) {
    watch = nil
    pruneTimer = nil
    retryTimer = nil
    stopped = done
    for lane in lanes {
      lane.stop()
      lane.turn()
    }
    endTimer = try? loop.after(Self.lastPatience) { [unowned self] in end() }
    endIfIdle()
  }

  /// Ends if the relay does, and all answers are noted.
  func endIfIdle() {
    if stopped != nil, lanes.allSatisfy(\.isIdle) { end() }
  }

  private func end() {
    guard let done = stopped else { return }
    stopped = nil
    endTimer = nil
    keepWaiting()
    done()
  }

  func publish(_ message: PushMessage) {
    waiting.append(message)
    if waiting.count > Self.mostWaiting {
      // The oldest is worth the least.
      waiting.removeFirst()
      leftOut += 1
    }
    takeNew()
  }

  // MARK: The register

  /// - Throws: `Fault` if the register cannot be used now.
  func register(_ device: Device) throws(Fault) { try opened().add(device, at: .now) }

  /// - Returns: false if it is not known.
  /// - Throws: `Fault` if the register cannot be used now.
  func forget(_ token: String) throws(Fault) -> Bool { try opened().remove(token: token) }

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

  /// As in `; 6 messages are lost, for only 64 can wait`.
  private var wordsOfLeftOut: String {
    guard leftOut > 0 else { return "" }
    let what = leftOut == 1 ? "1 message is" : "\(leftOut) messages are"
    return "; \(what) lost, for only \(Self.mostWaiting) can wait"
  }

  private func opened() throws(Fault) -> Register {
    if let register { return register }
    let (opened, complaint) = try Register.openedForService(path: path)
    if let complaint { log(.register, .error, complaint, ["DETAIL": complaint]) }
    register = opened
    return opened
  }

  private func complain(_ error: any Error) {
    if let fault = error as? Fault, fault.isOfBrokenDatabase {
      // The next opening checks the register, and sets it aside if it is broken.
      register = nil
      // In the next register the same numbers mean other deliveries.
      for lane in lanes { lane.forget() }
    }
    if outage.begins() {
      log(
        .register, .warning, "\(error); what is to be published waits", ["DETAIL": "\(error)"])
    }
    guard retryTimer == nil else { return }
    retryTimer = try? loop.after(outage.nextWait()) { [unowned self] in tryAgain() }
  }

  /// Writes everything that the register has refused. The trouble is over when all is written.
  private func tryAgain() {
    retryTimer = nil
    takeNew()
    for lane in lanes { lane.wake() }
    // A failure has set the timer again. On a full disk, everything that writes nothing succeeds.
    guard retryTimer == nil, using({ try $0.proveWritable() }) != nil else { return }
    recover()
  }

  private func recover() {
    guard outage.ends() else { return }
    log(
      .register, leftOut > 0 ? .warning : .notice,
      "the register can be used again\(wordsOfLeftOut)",
      ["COUNT": leftOut > 0 ? String(leftOut) : nil])
    leftOut = 0
  }

  private func addWaiting(to register: Register) throws(Fault) {
    while let message = waiting.first {
      // After a restart the announcer names again an occasion that the last run has published.
      let isPublished =
        try message.event == .occasion
        ? register.hasOccasion(at: message.expires) : false
      if !isPublished { try register.add(message) }
      waiting.removeFirst()
    }
  }

  /// At the end: writes what waits in memory, for the relay's next run.
  private func keepWaiting() {
    guard !waiting.isEmpty || leftOut > 0 else { return }
    do throws(Fault) {
      let register = try opened()
      try addWaiting(to: register)
      try register.proveWritable()
      recover()
    } catch {
      let lost = waiting.count + leftOut
      guard lost > 0 else { return }
      log(
        .register, .error,
        "\(error); \(lost == 1 ? "1 message is" : "\(lost) messages are") lost",
        ["DETAIL": "\(error)", "COUNT": String(lost)])
    }
  }

  /// Takes the new messages, published here or by `clocksmith-relay push`.
  private func takeNew() {
    let now = Instant.now
    let count: Int? = using { register in
      try addWaiting(to: register)
      // If no lane is left to send it, the relay's next run will.
      let new = stopped == nil ? try register.unfinished(taken: false) : []
      for id in new {
        guard let message = try register.message(id) else { continue }
        let event = message.message.event
        let wanted = lanes.filter {
          !$0.hasGone && ($0.provider.events.contains(event) || event == .message)
        }
        try register.take(message, for: wanted.map(\.provider.lane), at: now)
      }
      return new.count
    }
    guard let count, count > 0 else { return }
    finish()
    for lane in lanes { lane.wake() }
  }

  private func prune() {
    using { register in
      try register.expire(at: .now)
      try register.prune(before: .now + (.zero - Self.keeping))
    }
    finish()
    pruneTimer = try? loop.after(Self.pruneTime) { [unowned self] in prune() }
  }

  // MARK: Deliveries

  /// Notes outcomes, and reads the next deliveries of a lane, at most so many.
  /// - Returns: nil if the register cannot be used now.
  func advance(
    _ outcomes: [Outcome], _ lane: Lane, most: Int, at now: Instant
  ) -> [Delivery]? {
    let result = using { try $0.advance(outcomes, in: lane, most: most, at: now) }
    guard let (deliveries, departed) = result else { return nil }
    tellGone(departed, lane)
    finish()
    return deliveries
  }

  /// - Returns: nil if there is none, or the register cannot be used now.
  func nextDue(in lane: Lane, after now: Instant) -> Instant? {
    using { try $0.nextDue(in: lane, after: now) } ?? nil
  }

  /// Logs the messages that wait for nobody any more, and marks them as finished.
  private func finish() {
    using { register in
      for id in try register.unfinished(taken: true) where try !register.isWaiting(id) {
        try register.finish(id, at: .now)
        let failures = try register.failures(of: id, most: Self.mostFailures)
        tellFinished(try register.message(id)?.message, try register.counts(of: id), failures)
      }
    }
  }

  private func tellFinished(
    _ message: PushMessage?, _ counts: [DeliveryState: Int], _ failures: [String]
  ) {
    guard !counts.isEmpty, let message else { return }
    let parts = [DeliveryState.accepted, .refused, .expired].compactMap { state in
      counts[state].map { "\($0) \(state.rawValue)" }
    }
    let reasons = failures.joined(separator: "; ")
    log(
      .pushed, failures.isEmpty ? .info : .notice,
      "published \"\(message.body.excerpt)\": \(parts.joined(separator: ", "))"
        + (failures.isEmpty ? "" : " (\(reasons))"),
      [
        "DETAIL": failures.isEmpty ? nil : reasons,
        "PUSH_EVENT": message.event.text, "ACCEPTED": String(counts[.accepted] ?? 0),
        "REFUSED": String(counts[.refused] ?? 0), "EXPIRED": String(counts[.expired] ?? 0),
      ])
  }

  // MARK: The journal

  /// - Parameter trouble: nil if the lane works again.
  func tell(_ lane: Lane, _ trouble: String?) {
    guard let more = laneEntries.suffix(at: uptime) else { return }
    if let trouble {
      log(
        .providerLost, .warning, "\(lane.name): \(trouble)\(more)",
        ["LANE": lane.name, "DETAIL": trouble])
    } else {
      log(.provider, .notice, "\(lane.name) is back\(more)", ["LANE": lane.name])
    }
  }

  private func tellGone(_ outcomes: [Outcome], _ lane: Lane) {
    guard let first = outcomes.first, let reason = first.departure?.reason,
      let more = goneEntries.suffix(at: uptime)
    else { return }
    let what =
      outcomes.count == 1
      ? "the device \(Device.title(ofToken: first.delivery.token)) gets"
      : "\(outcomes.count) devices get"
    log(
      .deviceGone, .notice,
      "\(what) no more messages: \(reason) (\(lane.name)); 'clocksmith-relay feedback' lists them"
        + more,
      ["LANE": lane.name, "REASON": reason, "COUNT": String(outcomes.count)])
  }
}
