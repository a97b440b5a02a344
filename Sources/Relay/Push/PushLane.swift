import Basics
import Daemon
import Horology

/// Sends the deliveries of one lane: as many at once as the provider takes, or one while it fails.
final class PushLane {
  /// After this many failures in a row, the whole lane pauses.
  private static let mostFailures = 8
  /// How many deliveries are read from the register at a time.
  private static let batch = 200
  /// How long an outcome may wait for others before it is noted.
  private static let noteTime = Duration.milliseconds(50)

  let provider: Provider
  private let loop: EventLoop
  private unowned let publisher: Publisher
  private var transfers: Transfers?
  /// What was read and not sent yet; the last one is next.
  private var queue: [Delivery] = []
  /// Each with the count of successes when it was sent.
  private var sent: [Int64: (delivery: Delivery, at: Instant, successes: Int)] = [:]
  private var outcomes: [Outcome] = []
  /// How many deliveries may be in flight: one until the provider has accepted or refused one.
  private var window = 1
  private var failures = 0
  /// How many deliveries the provider has accepted or refused.
  private var successes = 0
  /// It has accepted or refused one since the last failure.
  private var hasWorked = false
  private var outage = Outage()
  /// Why the provider wants nothing more; nil if it does.
  private var gone: String?
  private var mayHaveMore = true
  private var isStopped = false
  /// While it is set, nothing new is sent.
  private var pause: EventSource?
  private var turnTimer: EventSource?
  private var dueTimer: EventSource?

  init(_ provider: Provider, _ loop: EventLoop, _ publisher: Publisher) {
    self.provider = provider
    self.loop = loop
    self.publisher = publisher
  }

  /// Call this when there may be something to send.
  func wake() {
    mayHaveMore = true
    turn()
  }

  /// Sends nothing more.
  func stop() {
    isStopped = true
    queue = []
  }

  var hasGone: Bool { gone != nil }

  /// True if nothing is on its way, and all is noted.
  var isIdle: Bool { sent.isEmpty && outcomes.isEmpty }

  // MARK: Sending

  private var maySend: Bool { pause == nil && !isStopped }

  /// Notes the outcomes, and reads what to send next if all that was read is sent.
  func turn() {
    turnTimer = nil
    // What is on its way still waits in the register, and is read once more.
    let most = maySend && mayHaveMore && queue.isEmpty ? Self.batch + sent.count : 0
    guard most > 0 || !outcomes.isEmpty else { return }
    let now = Instant.now
    // If the register cannot be used now, the publisher wakes the lane when it can.
    guard let found = publisher.advance(outcomes, provider.lane, most: most, at: now) else {
      return
    }
    outcomes = []
    if most > 0 {
      queue = found.reversed().filter { sent[$0.id] == nil }
      mayHaveMore = found.count == most
      if !mayHaveMore { watchDue(after: now) }
    }
    send()
    if isStopped { publisher.endIfIdle() }
  }

  private func send() {
    while maySend, sent.count < window, let next = queue.popLast() { send(next) }
    if queue.isEmpty, sent.isEmpty || maySend && mayHaveMore {
      turn()
    } else if !outcomes.isEmpty, turnTimer == nil {
      turnTimer = try? loop.after(Self.noteTime) { [unowned self] in turn() }
    }
  }

  private func send(_ delivery: Delivery) {
    if let gone {
      return outcomes.append(Outcome(delivery: delivery, state: .refused, reason: gone))
    }
    let now = Instant.now
    do throws(Fault) {
      let request = try provider.request(delivery, at: now)
      if transfers == nil {
        transfers = try Transfers(
          loop, provider.settings, answered: { [unowned self] in answered($0, $1) },
          settled: { [unowned self] in send() })
      }
      try transfers?.send(request)
      sent[delivery.id] = (delivery, now, successes)
    } catch {
      outcomes.append(Outcome(delivery: delivery, state: .refused, reason: error.description))
    }
  }

  /// - Parameter now: until when all that is due was read.
  private func watchDue(after now: Instant) {
    let due = publisher.nextDue(in: provider.lane, after: now)
    dueTimer = due.flatMap {
      try? loop.after(max($0 - now, .milliseconds(10))) { [unowned self] in wake() }
    }
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
      _ = outage.begins()
      publisher.tell(
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
    let isUseful = due < delivery.message.message.expires
    outcomes.append(
      Outcome(
        delivery: delivery, state: isUseful ? .waiting : .expired, due: isUseful ? due : nil,
        reason: reason))
    mayHaveMore = true
  }

  /// The provider has accepted or refused a delivery: either shows that it works.
  private func succeed() {
    failures = 0
    successes += 1
    hasWorked = true
    window = provider.settings.most
    // Other requests were in flight when the provider said that it wants nothing more.
    if gone == nil, outage.ends() { publisher.tell(provider.lane, nil) }
  }

  private func fail(_ reason: String) {
    failures = 0
    window = 1
    // All deliveries in flight fail together: the first has set the pause.
    guard pause == nil, !isStopped else { return }
    // By the end of the pause, some of them may have lost their use.
    queue = []
    // A server may end a connection at any time. So the first failure after a success is not told.
    var wait = Duration.zero
    if !hasWorked {
      wait = outage.nextWait()
      if outage.begins() { publisher.tell(provider.lane, "\(reason); it is tried again") }
    }
    hasWorked = false
    pause = try? loop.after(wait) { [unowned self] in
      pause = nil
      wake()
    }
  }

  /// Forgets what another register does not know.
  func forget() {
    queue = []
    sent = [:]
    outcomes = []
  }
}
