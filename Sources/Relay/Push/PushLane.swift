import Basics
import Daemon
import Horology

/// Sends the deliveries of one lane: as many at once as the provider takes, or one while it fails.
final class PushLane {
  /// After this many failures in a row, the whole lane pauses.
  private static let mostFailures = 8

  let provider: Provider
  private let loop: EventLoop
  private unowned let publisher: Publisher
  private var transfers: Transfers?
  /// What is to be sent; the last one is next.
  private var queue: [Delivery] = []
  /// Each with the count of successes when it was sent.
  private var sent: [String: (delivery: Delivery, at: Instant, successes: Int)] = [:]
  /// How many deliveries may be in flight: one until the provider has accepted or refused one.
  private var window = 1
  private var failures = 0
  /// How many deliveries the provider has accepted or refused.
  private var successes = 0
  /// It has accepted or refused one since the last failure.
  private var hasWorked = false
  private var outage = Outage()
  private var isStopped = false
  /// The receiver wants nothing more.
  private var isClosed = false
  private var pause: EventSource?
  private var dueTimer: EventSource?

  init(_ provider: Provider, _ loop: EventLoop, _ publisher: Publisher) {
    self.provider = provider
    self.loop = loop
    self.publisher = publisher
  }

  var name: String { provider.lane.name }

  func wants(_ event: PushEvents) -> Bool {
    !isClosed && (provider.events.contains(event) || event == .message)
  }

  var unfinished: [Delivery] { sent.values.map(\.delivery) + queue }

  var isIdle: Bool { sent.isEmpty }

  func add(_ deliveries: [Delivery]) {
    for delivery in deliveries { delivery.due = .zero }
    let later = queue.prefix { $0.due > .zero }.count
    queue.insert(contentsOf: deliveries.reversed(), at: later)
    send()
  }

  func stop() { isStopped = true }

  // MARK: Sending

  /// Sends what is due, as far as the provider takes it.
  func send() {
    dueTimer = nil
    while pause == nil, !isStopped, sent.count < window, let next = queue.last {
      guard next.due <= uptime else {
        dueTimer = try? loop.after(next.due - uptime) { [unowned self] in send() }
        return
      }
      queue.removeLast()
      send(next)
    }
    if isStopped { publisher.endIfIdle() }
  }

  private func send(_ delivery: Delivery) {
    let now = Instant.now
    guard delivery.message.expires > now else {
      return publisher.ended(delivery, .expired, "before it could be sent")
    }
    var token = ""
    if provider.lane.environment != nil {
      guard let device = publisher.devices[delivery.device] else {
        return publisher.ended(delivery, .refused, "the device has gone")
      }
      token = device.token
    }
    do throws(Fault) {
      let request = try provider.request(delivery, to: token, at: now)
      if transfers == nil { transfers = try Transfers(loop, provider.settings, self) }
      try transfers?.send(request)
      delivery.tries += 1
      sent[delivery.id] = (delivery, now, successes)
    } catch {
      publisher.ended(delivery, .refused, error.description)
    }
  }

  // MARK: Answers

  /// Called once for each request. `send` is called after one or more of them.
  func answered(_ id: String, _ answer: PushResponse) {
    guard let (delivery, at, successesThen) = sent.removeValue(forKey: id) else { return }
    switch provider.judge(answer, sent: at) {
    case .accepted:
      publisher.ended(delivery, .accepted)
      succeed()
    case .refused(let reason):
      publisher.ended(delivery, .refused, reason)
      succeed()
    case .gone(let reason, let since):
      publisher.ended(delivery, .refused, reason)
      publisher.hasGone(delivery, reason, since: since)
      succeed()
    case .noMore(let reason):
      publisher.ended(delivery, .refused, reason)
      close(reason)
    case .again(let reason, let wanted):
      let usual = provider.pause(after: delivery.tries)
      tryAgain(delivery, reason, after: max(wanted ?? .zero, usual))
      failures += 1
      // A server that has answered nothing since then may be dead.
      let isSilent =
        answer.status == 0 && answer.failure?.isLate == true && successes == successesThen
      if isSilent || failures >= Self.mostFailures { fail(reason) }
    case .down(let reason):
      tryAgain(delivery, reason, after: provider.pause(after: delivery.tries))
      fail(reason)
    }
  }

  private func close(_ reason: String) {
    guard !isClosed else { return }
    isClosed = true
    publisher.logTrouble(
      of: provider.lane,
      "the server answers \(reason), so nothing more is sent there until the relay is reloaded")
    let waiting = queue
    queue = []
    for delivery in waiting { publisher.ended(delivery, .refused, reason) }
  }

  private func tryAgain(_ delivery: Delivery, _ reason: String, after wait: Duration) {
    guard Instant.now + wait < delivery.message.expires else {
      return publisher.ended(delivery, .expired, reason)
    }
    delivery.due = uptime + wait
    queue.insert(delivery, at: queue.firstIndex { $0.due <= delivery.due } ?? queue.endIndex)
  }

  /// The provider has accepted or refused a delivery: either shows that it works.
  private func succeed() {
    failures = 0
    successes += 1
    hasWorked = true
    window = provider.settings.most
    if outage.ends() { publisher.logTrouble(of: provider.lane, nil) }
  }

  private func fail(_ reason: String) {
    failures = 0
    window = 1
    // All deliveries in flight fail together: the first has set the pause.
    guard pause == nil, !isStopped else { return }
    // A server may end a connection at any time. So the first failure after a success is not told.
    var wait = Duration.zero
    if !hasWorked {
      wait = outage.nextWait()
      if outage.begins() { publisher.logTrouble(of: provider.lane, "\(reason); it is tried again") }
    }
    hasWorked = false
    pause = try? loop.after(wait) { [unowned self] in
      pause = nil
      send()
    }
  }
}
