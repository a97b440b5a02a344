import Basics
import Daemon
import Horology

/// Sends the deliveries of one provider, a few at once. While it fails, it is tried again and again.
final class PushLane {
  /// The longest wait that a server may ask for.
  private static let longestWish = Duration.seconds(3600)

  let provider: any Provider
  private let loop: EventLoop
  private unowned let publisher: Publisher
  private var transfers: Transfers?
  /// What is to be sent; the last one is next.
  private var queue: [Delivery] = []
  private var sent: [String: Delivery] = [:]
  private var outage = Outage()
  private var pause: EventSource?
  /// The receiver wants nothing more.
  private var isClosed = false

  init(_ provider: any Provider, _ loop: EventLoop, _ publisher: Publisher) {
    self.provider = provider
    self.loop = loop
    self.publisher = publisher
  }

  var name: String { provider.name }

  func wants(_ event: PushEvents) -> Bool {
    !isClosed && (provider.events.contains(event) || event == .message)
  }

  var unfinished: [Delivery] { sent.values + queue }

  func add(_ deliveries: [Delivery]) {
    queue.insert(contentsOf: deliveries.reversed(), at: 0)
    send()
  }

  /// Sends what waits, as far as the provider takes it.
  func send() {
    while pause == nil, sent.count < provider.settings.most, let next = queue.popLast() {
      send(next)
    }
  }

  private func send(_ delivery: Delivery) {
    let now = Instant.now
    guard delivery.message.expires > now else {
      return publisher.ended(delivery, .expired, "before it could be sent")
    }
    let isForDevice = provider.environment != nil
    guard let token = isForDevice ? publisher.token(for: delivery) : "" else {
      return publisher.ended(delivery, .refused, "the device has gone")
    }
    do throws(Fault) {
      let request = try provider.request(delivery, to: token, at: now)
      if transfers == nil { transfers = try Transfers(loop, provider.settings, self) }
      try transfers?.send(request, tag: delivery.id)
      sent[delivery.id] = delivery
    } catch {
      publisher.ended(delivery, .refused, error.description)
    }
  }

  // MARK: Answers

  /// Called once for each request. `send` is called after one or more of them.
  func answered(_ id: String, _ answer: PushResponse) {
    guard let delivery = sent.removeValue(forKey: id) else { return }
    let verdict = provider.verdict(on: answer)
    if case .again(let reason) = verdict {
      queue.insert(delivery, at: 0)
      return fail(reason, answer.retryAfter)
    }
    // The provider has accepted or refused it: either shows that it works.
    if outage.ends() { publisher.logTrouble(of: name, nil) }
    switch verdict {
    case .accepted: publisher.ended(delivery, .accepted)
    case .refused(let reason): publisher.ended(delivery, .refused, reason)
    case .gone(let reason, let since):
      publisher.hasGone(delivery, reason, since: since)
      publisher.ended(delivery, .refused, reason)
    case .noMore(let reason):
      publisher.ended(delivery, .refused, reason)
      close(reason)
    case .again: break
    }
  }

  private func close(_ reason: String) {
    isClosed = true
    publisher.logTrouble(
      of: name,
      "the server answers \(reason), so nothing more is sent there until the relay is reloaded")
    let waiting = queue
    queue = []
    for delivery in waiting { publisher.ended(delivery, .refused, reason) }
  }

  /// - Parameter wish: how long the server wants to be left alone.
  private func fail(_ reason: String, _ wish: Duration) {
    // All deliveries in flight fail together: the first has set the pause.
    guard pause == nil else { return }
    if outage.begins() { publisher.logTrouble(of: name, "\(reason); it is tried again") }
    let wait = max(outage.nextWait(), min(wish, Self.longestWish))
    pause = try? loop.after(wait) { [unowned self] in
      pause = nil
      send()
    }
  }
}
