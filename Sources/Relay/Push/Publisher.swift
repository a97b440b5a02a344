import Basics
import Daemon
import Horology

/// Publishes messages: keeps them in the register, and sends them from there to every provider.
final class Publisher {
  typealias Log = (RelayEvent, Priority, _ words: String, _ fields: [String: String?]) -> Void

  /// How long the results of messages are kept, and of how many deliveries at most.
  private static let keeping = Duration.seconds(7 * 86_400)
  private static let mostDeliveries: Int64 = 500_000
  /// The pause between two prunings, and the pause if there is more to prune.
  private static let pruneTime = Duration.seconds(3600)
  private static let pruneMoreTime = Duration.milliseconds(200)
  /// How many reasons of failures an entry names at most.
  private static let mostFailures = 3
  /// Pause before a failed register is tried again.
  private static let registerTime = Duration.seconds(2)
  /// Limit of messages that wait for the register.
  private static let mostWaiting = 64

  private let loop: EventLoop
  private let path: String
  private let log: Log
  private var register: Register?
  private var isResumed = false
  /// The register has refused something, and that is logged.
  private var isTold = false
  private var lanes: [PushLane] = []
  private var configured: [Lane] = []
  /// Lanes of a former configuration, which wait for their last answers.
  private var closing: [PushLane] = []
  /// Set by `stop`: nothing more is sent. Called when all lanes are closed.
  private var stopped: (() -> Void)?
  /// How many deliveries of each message have not ended.
  private var open: [Int64: Int] = [:]
  private var cached: RegisteredMessage?
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

  /// Sends messages to these providers from now on. Deliveries that wait are continued. A lane
  /// whose provider has not changed goes on.
  /// - Parameter configured: all configured lanes, also those that cannot be used now. Deliveries
  ///   for any other lane end.
  func use(_ providers: [Provider], of configured: [Lane]) {
    self.configured = configured
    let former = lanes
    let handlers = PushLane.Handlers(
      advance: { [unowned self] in advance($0, $1, $2) },
      nextDue: { [unowned self] lane in using { try $0.nextDue(in: lane) } ?? nil },
      message: { [unowned self] in message($0) },
      told: { [unowned self] in tell($0, $1) })
    lanes = providers.map { provider in
      former.first { $0.isFor(provider) } ?? PushLane(provider, loop, handlers)
    }
    for lane in former {
      if lanes.contains(where: { $0 === lane }) {
        lane.askAgain()
      } else {
        // The new lanes take over its retries.
        close(lane, waitsForAnswers: true)
      }
    }
    // Watch before the first read, so that nothing is missed in between.
    watch = try? loop.whenReplaced("\(path)-wal") { [unowned self] in takeNew() }
    resume()
    pruneTimer = try? loop.after(Self.pruneMoreTime) { [unowned self] in prune() }
  }

  /// Stops sending.
  /// - Parameter done: called when the last answer is noted.
  func stop(_ done: @escaping () -> Void) {
    watch = nil
    pruneTimer = nil
    retryTimer = nil
    stopped = done
    let last = lanes
    lanes = []
    for lane in closing { lane.hasten() }
    for lane in last { close(lane, waitsForAnswers: false) }
    if closing.isEmpty { end() }
  }

  private func end() {
    keepWaiting()
    stopped?()
  }

  private func close(_ lane: PushLane, waitsForAnswers: Bool) {
    closing.append(lane)
    lane.close(waitsForAnswers: waitsForAnswers) { [unowned self] in
      closing.removeAll { $0 === lane }
      guard stopped != nil else { return resume() }
      if closing.isEmpty { end() }
    }
  }

  func publish(_ message: PushMessage) {
    waiting.append(message)
    if waiting.count > Self.mostWaiting {
      // The oldest is worth the least.
      waiting.removeFirst()
      leftOut += 1
    }
    // Leave a failed register to the retry: each attempt may block for a tenth of a second.
    if retryTimer == nil { takeNew() }
  }

  // MARK: The register

  /// - Throws: `Fault` if the register cannot be used now.
  func register(_ device: Device) throws(Fault) { try opened().add(device, at: .now) }

  /// - Returns: false if it is not known.
  /// - Throws: `Fault` if the register cannot be used now.
  func forget(_ token: String) throws(Fault) -> Bool { try opened().remove(token: token) }

  /// - Returns: nil if the register cannot be used now; it is tried again.
  private func using<Result>(_ body: (Register) throws -> Result) -> Result? {
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
      open = [:]
      cached = nil
      // In the next register the same numbers mean other deliveries.
      for lane in lanes + closing { lane.forget() }
    }
    if !isTold {
      isTold = true
      log(
        .register, .warning, "\(error); what is to be published waits", ["DETAIL": "\(error)"])
    }
    guard retryTimer == nil else { return }
    retryTimer = try? loop.after(Self.registerTime) { [unowned self] in tryAgain() }
  }

  /// Writes everything that the register has refused. The trouble is over when all is written.
  private func tryAgain() {
    retryTimer = nil
    if isResumed { takeNew() } else { resume() }
    for id in open.keys { finish(id) }
    for lane in lanes + closing { lane.wake() }
    // A failure has set the timer again. On a full disk, everything that writes nothing succeeds.
    guard retryTimer == nil, using({ try $0.proveWritable() }) != nil else { return }
    recover()
  }

  private func recover() {
    guard isTold else { return }
    isTold = false
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

  /// Takes over the deliveries of the relay's last run, or of another configuration.
  private func resume() {
    let now = Instant.now
    let unanswered = using { register in
      let unanswered = isResumed ? 0 : try register.leaveUnanswered(at: now)
      try register.closeLanes(but: configured, at: now)
      for id in try register.unfinished(taken: true) {
        let counts = try register.counts(of: id)
        open[id] = (counts[.waiting] ?? 0) + (counts[.sent] ?? 0)
      }
      return unanswered
    }
    guard let unanswered else { return }
    isResumed = true
    tellUnanswered(unanswered)
    for id in open.keys { finish(id) }
    takeNew()
    for lane in lanes { lane.wake() }
  }

  /// Takes the new messages, published here or by `clocksmith-relay push`.
  private func takeNew() {
    guard isResumed else { return }
    let now = Instant.now
    let taken: [Int64]? = using { register in
      try addWaiting(to: register)
      // No lane is left to send it. The relay's next run will.
      guard stopped == nil else { return [] }
      let new = try register.unfinished(taken: false)
      for id in new {
        guard let event = try register.message(id)?.message.event else { continue }
        let wanted = lanes.filter {
          !$0.hasGone && ($0.provider.events.contains(event) || event == .message)
        }
        open[id] = try register.take(id, for: wanted.map(\.provider.lane), at: now)
      }
      return new
    }
    guard let taken, !taken.isEmpty else { return }
    for id in taken { finish(id) }
    for lane in lanes { lane.wake() }
  }

  private func message(_ id: Int64) -> RegisteredMessage? { message(id) ?? nil }

  /// - Returns: nil if the register cannot be read now.
  private func message(_ id: Int64) -> RegisteredMessage?? {
    if cached?.id == id { return cached }
    guard let found = using({ try $0.message(id) }) else { return nil }
    cached = found
    return .some(found)
  }

  private func prune() {
    let hasMore = using {
      try $0.prune(before: .now + (.zero - Self.keeping), most: Self.mostDeliveries)
    }
    pruneTimer = try? loop.after(hasMore == true ? Self.pruneMoreTime : Self.pruneTime) {
      [unowned self] in prune()
    }
  }

  // MARK: Deliveries

  private func advance(_ outcomes: [Outcome], _ lane: Lane, _ room: Int) -> Register.Batch? {
    let now = Instant.now
    let found = using { try $0.advance(outcomes, in: lane, room: room, at: now) }
    guard let batch = found else { return nil }
    var touched = Set(batch.made.keys).union(batch.ended.keys)
    for (id, count) in batch.made { open[id, default: 0] += count }
    for (id, count) in batch.ended { open[id, default: 0] -= count }
    for outcome in outcomes where outcome.state != .waiting {
      open[outcome.delivery.message, default: 0] -= 1
      touched.insert(outcome.delivery.message)
    }
    for id in touched { finish(id) }
    if !batch.departed.isEmpty { tellGone(batch.departed, lane) }
    tellUnanswered(outcomes.filter { $0.state == .unanswered }.count)
    return batch
  }

  /// Marks a message as finished and logs it, if all its deliveries have ended.
  private func finish(_ id: Int64) {
    guard open[id, default: 0] <= 0 else { return }
    let result: (counts: [DeliveryState: Int], failures: [String])?? = using { register in
      if try register.hasPasses(id) { return nil }
      try register.finish(id, at: .now)
      return (try register.counts(of: id), try register.failures(of: id, most: Self.mostFailures))
    }
    guard let (counts, failures) = result ?? nil else { return }
    open[id] = nil
    guard !counts.isEmpty, let message = message(id)?.message else { return }
    let parts = DeliveryState.allCases.compactMap { state in
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

  private func tell(_ lane: Lane, _ trouble: String?) {
    guard let more = laneEntries.suffix(at: uptime) else { return }
    if let trouble {
      log(
        .providerLost, .warning, "\(lane.name): \(trouble)\(more)",
        ["LANE": lane.name, "DETAIL": trouble])
    } else {
      log(.provider, .notice, "\(lane.name) is back\(more)", ["LANE": lane.name])
    }
  }

  private func tellUnanswered(_ count: Int) {
    guard count > 0 else { return }
    log(
      .pushed, .warning,
      "\(count == 1 ? "1 delivery was" : "\(count) deliveries were") on the way when the relay "
        + "ended; they may have arrived, and are not sent again", ["COUNT": String(count)])
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
