import Basics
import Daemon

/// What is published: it is kept in the register, and goes from there to every provider.
final class Publisher {
  typealias Log = (RelayEvent, Priority, _ words: String, _ fields: [String: String?]) -> Void

  /// How long it is known what has become of a message, and of how many deliveries.
  private static let keeping = Duration.seconds(7 * 86_400)
  private static let mostDeliveries: Int64 = 500_000
  /// Between two looks for what may be forgotten: a while, and less where there is more of it.
  private static let pruneTime = Duration.seconds(3600)
  private static let pruneMoreTime = Duration.milliseconds(200)
  /// How long a register that cannot be used is left alone.
  private static let registerTime = Duration.seconds(2)
  /// So many messages may wait for the register.
  private static let mostWaiting = 64

  private let loop: EventLoop
  private let path: String
  private let log: Log
  private var register: Register?
  private var isResumed = false
  /// The register cannot be used, and the journal knows it.
  private var isTold = false
  private var lanes: [PushLane] = []
  private var configured: [Lane] = []
  /// Of a configuration that is no more; they wait for their last answers.
  private var closing: [PushLane] = []
  /// Nothing more is taken; told when nothing is on its way any more.
  private var stopped: (() -> Void)?
  /// How many deliveries of each message have not come to their end.
  private var open: [Int64: Int] = [:]
  private var cached: RegisteredMessage?
  private var waiting: [PushMessage] = []
  /// How many messages found no room there.
  private var leftOut = 0
  private var retryTimer: EventSource?
  private var pruneTimer: EventSource?
  private var watch: EventSource?
  private var laneBudget = LogBudget()
  private var goneBudget = LogBudget()

  /// - Parameter path: of the register.
  init(_ loop: EventLoop, path: String = Register.path, log: @escaping Log) {
    self.loop = loop
    self.path = path
    self.log = log
  }

  /// From now on, messages go to these; what was begun before is gone on with.
  /// - Parameter configured: those that cannot be used now too; what is for others ends.
  func use(_ providers: [Provider], of configured: [Lane]) {
    self.configured = configured
    // What such a lane wanted to try again is left to those that there are now.
    for lane in lanes { close(lane) }
    let handlers = PushLane.Handlers(
      advance: { [unowned self] in advance($0, $1, $2) },
      nextDue: { [unowned self] lane in using { try $0.nextDue(in: lane) } ?? nil },
      message: { [unowned self] in message($0) },
      told: { [unowned self] in tell($0, $1) })
    lanes = providers.map { PushLane($0, loop, handlers) }
    // Before anything is read, so that nothing is missed in between.
    watch = try? loop.whenReplaced("\(path)-wal") { [unowned self] in takeNew() }
    resume()
    pruneTimer = try? loop.after(Self.pruneMoreTime) { [unowned self] in prune() }
  }

  /// Sends nothing more.
  /// - Parameter done: called when the last answer is noted.
  func stop(_ done: @escaping () -> Void) {
    watch = nil
    pruneTimer = nil
    retryTimer = nil
    stopped = done
    let last = lanes
    lanes = []
    for lane in last { close(lane) }
    if closing.isEmpty { done() }
  }

  private func close(_ lane: PushLane) {
    closing.append(lane)
    lane.close { [unowned self] in
      closing.removeAll { $0 === lane }
      guard let stopped else { return resume() }
      if closing.isEmpty { stopped() }
    }
  }

  func publish(_ message: PushMessage) {
    waiting.append(message)
    if waiting.count > Self.mostWaiting {
      // The oldest is worth the least.
      waiting.removeFirst()
      leftOut += 1
    }
    // A register that cannot be used is soon tried again: each attempt may hold everything up for a
    // tenth of a second.
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
      let register = try opened()
      let result = try body(register)
      if isTold {
        isTold = false
        log(
          .register, leftOut > 0 ? .warning : .notice,
          "the register can be used again\(wordsOfLeftOut)",
          ["COUNT": leftOut > 0 ? String(leftOut) : nil])
        leftOut = 0
      }
      return result
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
      // What is opened next is looked at, and set aside.
      register = nil
      open = [:]
      cached = nil
      // The numbers of the next one mean other deliveries.
      for lane in lanes + closing { lane.forget() }
    }
    if !isTold {
      isTold = true
      log(
        .register, .warning, "\(error); what is to be published waits", ["DETAIL": "\(error)"])
    }
    guard retryTimer == nil else { return }
    retryTimer = try? loop.after(Self.registerTime) { [unowned self] in
      retryTimer = nil
      if isResumed { takeNew() } else { resume() }
      for lane in lanes { lane.wake() }
    }
  }

  /// Takes up what a relay before this one, or another configuration, has left.
  private func resume() {
    let now = UTCTime.now
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

  /// Takes what was published since, here or by `clocksmith-relay push`.
  private func takeNew() {
    guard isResumed else { return }
    let now = UTCTime.now
    let taken: [Int64]? = using { register in
      while let message = waiting.first {
        try register.add(message)
        waiting.removeFirst()
      }
      // There is nobody to take it for any more; the next relay will.
      guard stopped == nil else { return [] }
      let new = try register.unfinished(taken: false)
      for id in new {
        guard let event = try register.message(id)?.message.event else { continue }
        let wanted = lanes.filter {
          $0.provider.events.contains(event) || event == .message
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
    let now = UTCTime.now
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

  /// Notes that a message has come to its end, if it has.
  private func finish(_ id: Int64) {
    guard open[id, default: 0] <= 0 else { return }
    let counts: [DeliveryState: Int]?? = using { register in
      if try register.hasPasses(id) { return nil }
      try register.finish(id, at: .now)
      return try register.counts(of: id)
    }
    guard let counts = counts ?? nil else { return }
    open[id] = nil
    guard !counts.isEmpty, let message = message(id)?.message else { return }
    let parts = DeliveryState.allCases.compactMap { state in
      counts[state].map { "\($0) \(state.rawValue)" }
    }
    log(
      .pushed, .info, "published \"\(message.body.excerpt)\": \(parts.joined(separator: ", "))",
      [
        "PUSH_EVENT": message.event.text, "ACCEPTED": String(counts[.accepted] ?? 0),
        "REFUSED": String(counts[.refused] ?? 0), "EXPIRED": String(counts[.expired] ?? 0),
      ])
  }

  // MARK: The journal

  private func tell(_ lane: Lane, _ trouble: String?) {
    guard let untold = laneBudget.spend(at: RelayService.uptime) else { return }
    let more = untold > 0 ? "; \(untold) entries like this one before it were left out" : ""
    if let trouble {
      log(
        .providerLost, .warning, "\(lane.name): \(trouble); it is tried again\(more)",
        ["LANE": lane.name, "DETAIL": trouble])
    } else {
      log(.provider, .notice, "\(lane.name) is back\(more)", ["LANE": lane.name])
    }
  }

  private func tellUnanswered(_ count: Int) {
    guard count > 0 else { return }
    log(
      .pushed, .warning,
      "\(count == 1 ? "1 delivery was" : "\(count) deliveries were") on the way when the relay ended; "
        + "they may have arrived, and are not sent again", ["COUNT": String(count)])
  }

  private func tellGone(_ outcomes: [Outcome], _ lane: Lane) {
    guard let first = outcomes.first, let reason = first.departure?.reason,
      let untold = goneBudget.spend(at: RelayService.uptime)
    else { return }
    let what =
      outcomes.count == 1
      ? "the device \(Device.title(ofToken: first.delivery.token)) is"
      : "\(outcomes.count) devices are"
    let more = untold > 0 ? "; \(untold) entries like this one before it were left out" : ""
    log(
      .deviceGone, .notice,
      "\(what) told no more: \(reason) (\(lane.name)); 'clocksmith-relay feedback' lists them\(more)",
      ["LANE": lane.name, "REASON": reason, "COUNT": String(outcomes.count)])
  }
}
