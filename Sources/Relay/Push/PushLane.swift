import Basics
import Daemon
import Horology

/// Sends the deliveries of one lane: as many at once as the provider takes, or one while it fails.
final class PushLane {
  struct Handlers {
    /// Notes outcomes and takes the next deliveries; nil if the register cannot be used now.
    var advance: (_ outcomes: [Outcome], Lane, _ room: Int) -> Register.Batch?
    var nextDue: (Lane) -> Instant?
    /// Nil if the register cannot be used now; a nil inside if it does not have the message.
    var message: (Int64) -> RegisteredMessage??
    /// The provider cannot be used, why and until when; nil when it can be used again.
    var told: (Lane, _ trouble: String?) -> Void
  }

  /// After this many failures in a row, the whole lane pauses.
  private static let mostFailures = 8
  /// How long an answer may wait for others before it is noted.
  private static let noteTime = Duration.milliseconds(50)
  /// Pause before a failed register is tried again.
  private static let registerTime = Duration.seconds(2)

  let provider: Provider
  private let loop: EventLoop
  private let handlers: Handlers
  private var carrier: Carrier?
  /// Each with the count of successes when it was sent.
  private var sent: [Int64: (delivery: Delivery, at: Instant, successes: Int)] = [:]
  private var outcomes: [Outcome] = []
  /// How many deliveries may be in flight: one until the provider has accepted or refused one.
  private var window = 1
  private var failures = 0
  /// How many deliveries the provider has accepted or refused.
  private var successes = 0
  private var backOff: BackOff
  private var hasTrouble = false
  /// Why the provider wants nothing more; nil if it does.
  private var gone: String?
  private var mayHaveMore = true
  /// While it is set, nothing new is sent.
  private var pause: EventSource?
  private var noteTimer: EventSource?
  private var dueTimer: EventSource?
  private var endTimer: EventSource?
  /// Set by `close`: nothing more is sent. Called when the last answer is noted.
  private var closed: (() -> Void)?
  /// After `close`: how long the answers take does not matter.
  private var waitsForAnswers = false

  init(_ provider: Provider, _ loop: EventLoop, _ handlers: Handlers) {
    self.provider = provider
    self.loop = loop
    self.handlers = handlers
    backOff = BackOff(seed: UInt64(truncatingIfNeeded: Instant.now.microseconds))
  }

  /// How many deliveries are on their way.
  var count: Int { sent.count }

  /// True if a provider that is made now has the settings and secrets of this lane's.
  func isFor(_ provider: Provider) -> Bool {
    provider.lane == self.provider.lane && provider.origin == self.provider.origin
  }

  /// Call this when there may be something to send.
  func wake() {
    mayHaveMore = true
    advance()
  }

  /// The configuration was read again: asks a provider that has failed or gone. Call `wake`
  /// afterwards.
  func askAgain() {
    pause = nil
    gone = nil
  }

  var hasGone: Bool { gone != nil }

  // MARK: Sending

  /// Limit of deliveries in flight. One that waits for its turn with the server would be in doubt
  /// after a power cut, and has not even left.
  private var limit: Int { max(min(window, carrier?.most ?? 1), 1) }

  private func advance() {
    noteTimer = nil
    let maySend = pause == nil && mayHaveMore && closed == nil
    let room = maySend ? max(limit - sent.count, 0) : 0
    guard room > 0 || !outcomes.isEmpty else { return endIfClosed() }
    guard let batch = handlers.advance(outcomes, provider.lane, room) else {
      noteTimer = try? loop.after(Self.registerTime) { [unowned self] in advance() }
      return
    }
    outcomes = []
    if room > 0 { mayHaveMore = batch.deliveries.count == room || batch.isCut }
    if batch.isCut { noteTimer = try? loop.after(.zero) { [unowned self] in advance() } }
    for delivery in batch.deliveries { start(delivery) }
    if !mayHaveMore { watchDue() }
    if !outcomes.isEmpty { noteSoon() }
    endIfClosed()
  }

  private func start(_ delivery: Delivery) {
    if let gone {
      return outcomes.append(Outcome(delivery: delivery, state: .refused, reason: gone))
    }
    let now = Instant.now
    do throws(Fault) {
      guard let found = handlers.message(delivery.message) else {
        return outcomes.append(
          Outcome(delivery: delivery, state: .waiting, due: now + Self.registerTime))
      }
      guard let message = found else { throw Fault("the message", "it is not in the register") }
      let request = try provider.request(delivery, message, at: now)
      if carrier == nil { carrier = try makeCarrier() }
      try carrier?.send(request)
      sent[delivery.id] = (delivery, now, successes)
    } catch {
      outcomes.append(Outcome(delivery: delivery, state: .refused, reason: error.description))
    }
  }

  private func makeCarrier() throws(Fault) -> Carrier {
    let settings = provider.settings
    let answered = { [unowned self] (tag: Int64, answer: PushResponse) in self.answered(tag, answer)
    }
    let settled = { [unowned self] in self.settled() }
    return settings.server == nil
      ? try Transfers(loop, settings, answered: answered, settled: settled)
      : try Streams(loop, settings, answered: answered, settled: settled)
  }

  private func watchDue() {
    guard let due = handlers.nextDue(provider.lane) else {
      dueTimer = nil
      return
    }
    dueTimer = try? loop.after(max(due - .now, .milliseconds(10))) { [unowned self] in wake() }
  }

  // MARK: Answers

  private func answered(_ id: Int64, _ answer: PushResponse) {
    guard let (delivery, at, successesThen) = sent.removeValue(forKey: id) else { return }
    let now = Instant.now
    switch provider.judge(answer, sent: at, at: now) {
    case .accepted:
      outcomes.append(Outcome(delivery: delivery, state: .accepted))
      succeed()
    case .refused(let reason):
      outcomes.append(Outcome(delivery: delivery, state: .refused, reason: reason))
      succeed()
    case .gone(let departure):
      outcomes.append(
        Outcome(
          delivery: delivery, state: .refused, reason: departure.reason, departure: departure))
      succeed()
    case .noMore(let reason):
      outcomes.append(Outcome(delivery: delivery, state: .refused, reason: reason))
      guard gone == nil else { return }
      gone = reason
      hasTrouble = true
      handlers.told(
        provider.lane,
        "the server answers \(reason), so nothing more is sent there until the relay is reloaded")
    case .tokenExpired(let reason): tryAgain(delivery, reason, after: .zero, now)
    case .again(let reason, let wanted):
      let usual = provider.pause(after: delivery.tries)
      tryAgain(delivery, reason, after: max(wanted ?? .zero, usual), now)
      failures += 1
      // A server that has answered nothing since then may be dead.
      let isSilent =
        answer.status == 0 && answer.failure?.isLate == true && successes == successesThen
      if isSilent || failures >= Self.mostFailures { fail(reason) }
    case .down(let reason):
      tryAgain(delivery, reason, after: provider.pause(after: delivery.tries), now)
      fail(reason)
    }
  }

  private func tryAgain(
    _ delivery: Delivery, _ reason: String, after wait: Duration, _ now: Instant
  ) {
    let due = now + wait
    // If the message cannot be read now, try again. Its expiry is then checked.
    let message = handlers.message(delivery.message)
    let expires = message.map { $0?.message.expires ?? now }
    outcomes.append(
      expires.map { due < $0 } ?? true
        ? Outcome(delivery: delivery, state: .waiting, due: due, reason: reason)
        : Outcome(delivery: delivery, state: .expired, reason: reason))
    mayHaveMore = true
  }

  /// The provider has accepted or refused a delivery: either shows that it works.
  private func succeed() {
    failures = 0
    successes += 1
    window = provider.settings.most
    // Other requests were in flight when the provider said that it wants nothing more.
    if hasTrouble, gone == nil {
      hasTrouble = false
      backOff.reset()
      handlers.told(provider.lane, nil)
    }
  }

  private func fail(_ reason: String) {
    failures = 0
    window = 1
    // All deliveries in flight fail together: the first has set the pause.
    guard pause == nil, closed == nil else { return }
    if !hasTrouble {
      hasTrouble = true
      handlers.told(provider.lane, "\(reason); it is tried again")
    }
    pause = try? loop.after(backOff.wait()) { [unowned self] in
      pause = nil
      wake()
    }
  }

  private func settled() {
    // Each batch waits for the disk. Up to a quarter of the limit stays in flight meanwhile.
    if sent.count <= limit / 4 {
      advance()
    } else {
      noteSoon()
    }
  }

  private func noteSoon() {
    guard noteTimer == nil, !outcomes.isEmpty else { return }
    noteTimer = try? loop.after(Self.noteTime) { [unowned self] in advance() }
  }

  // MARK: The end

  /// How long to wait for answers when the relay ends.
  private static let lastPatience = Duration.seconds(3)

  /// Stops sending.
  /// - Parameters:
  ///   - waitsForAnswers: true while the relay goes on: each request that has left gets its answer,
  ///     or reaches its own time limit and is sent again. False if the relay ends.
  ///   - done: called once, when the last answer is noted or the wait is over.
  func close(waitsForAnswers: Bool, _ done: @escaping () -> Void) {
    pause = nil
    dueTimer = nil
    closed = done
    self.waitsForAnswers = waitsForAnswers
    limitWait()
    advance()
  }

  /// Limits the wait of a closed lane, because the relay ends.
  func hasten() {
    guard closed != nil else { return }
    waitsForAnswers = false
    limitWait()
    advance()
  }

  private func limitWait() {
    endTimer = try? loop.after(Self.lastPatience) { [unowned self] in
      if !waitsForAnswers || !hasLeft { end() }
    }
  }

  /// True if a request has left, or an answer is not noted yet.
  private var hasLeft: Bool {
    !outcomes.isEmpty || sent.keys.contains { carrier?.hasBegun($0) != false }
  }

  private func endIfClosed() {
    guard closed != nil, sent.isEmpty, outcomes.isEmpty else { return }
    // The handler may release this lane, which is still running: call it later.
    endTimer = try? loop.after(.zero) { [unowned self] in end() }
  }

  private func end() {
    let done = closed
    closed = nil
    // A request that never left is sent by the next lane, or by the relay's next run.
    let now = Instant.now
    for (id, (delivery, _, _)) in sent {
      outcomes.append(
        carrier?.hasBegun(id) == false
          ? Outcome(delivery: delivery, state: .waiting, due: now)
          : Outcome(delivery: delivery, state: .unanswered))
    }
    sent = [:]
    if !outcomes.isEmpty { _ = handlers.advance(outcomes, provider.lane, 0) }
    outcomes = []
    carrier = nil
    done?()
  }

  /// Forgets the deliveries in flight, which another register does not know.
  func forget() {
    sent = [:]
    outcomes = []
  }
}
