import Basics
import CCurl
import CSystemd
import Daemon
@preconcurrency import Glibc
import Horology

/// Sends the deliveries of one provider, a few at once over one connection, by libcurl's multi
/// interface. While it fails, it is tried again and again.
final class PushLane {
  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  private static let longestWait = Duration.seconds(3600)

  let provider: Provider
  private let loop: EventLoop
  private unowned let publisher: Publisher
  /// What is to be sent; the last one is next.
  private var queue: [Delivery] = []
  private var inFlight: [UnsafeMutableRawPointer: Transfer] = [:]
  /// For each receiver to which something is in flight, or which is held back: what is sent to it
  /// after that, the oldest first.
  private var waiting: [String: [Delivery]] = [:]
  /// The devices for which the provider takes nothing for a while.
  private var holds: [String: (outage: Outage, timer: EventSource?)] = [:]
  private var outage = Outage()
  private var pause: EventSource?

  private let multi: UnsafeMutableRawPointer
  private var sockets: [Int32: EventSource] = [:]
  private var timer: EventSource?
  /// The open connection may be dead.
  private var wantsFreshConnection = false
  /// Something was answered since a connection ended.
  private var hasAnswered = false

  init(_ provider: Provider, _ loop: EventLoop, _ publisher: Publisher) throws(Fault) {
    self.provider = provider
    self.loop = loop
    self.publisher = publisher
    guard Self.library == CURLE_OK, let made = curl_multi_init() else {
      throw Fault("cannot use libcurl", errno: ENOMEM)
    }
    multi = made
    clocksmith_curl_multi_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
    clocksmith_curl_multi_number(multi, CURLMOPT_MAXCONNECTS, 1)
    // Exact, for each request begins with it.
    timer = try loop.after(.zero, accuracy: .microseconds(1)) { [unowned self] in
      act(CURL_SOCKET_TIMEOUT)
    }
    timer?.rests()
    clocksmith_curl_multi_listen(
      multi,
      { _, socket, what, context, _ in
        PushLane.from(context).watch(socket, what)
        return 0
      },
      { _, milliseconds, context in
        let timer = PushLane.from(context).timer
        if milliseconds < 0 {
          timer?.rests()
        } else {
          timer?.goesOff(after: .milliseconds(milliseconds))
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    clocksmith_curl_multi_listen(multi, nil, nil, nil)
    for easy in inFlight.keys { curl_multi_remove_handle(multi, easy) }
    inFlight = [:]
    curl_multi_cleanup(multi)
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> PushLane {
    Unmanaged<PushLane>.fromOpaque(context!).takeUnretainedValue()
  }

  /// For each receiver the oldest first.
  var unfinished: [Delivery] {
    inFlight.values.map(\.delivery) + waiting.values.joined() + queue.reversed()
  }

  func add(_ deliveries: [Delivery]) {
    queue.insert(contentsOf: deliveries.reversed(), at: 0)
    send()
  }

  private func send() {
    while pause == nil, inFlight.count < provider.most, let next = queue.popLast() {
      // One at a time to each receiver, so that they arrive in their order.
      if waiting[next.token]?.append(next) != nil { continue }
      waiting[next.token] = []
      do throws(Fault) {
        try send(next)
      } catch {
        end(next, .refused, error.description)
      }
    }
  }

  private func end(_ delivery: Delivery, _ end: DeliveryEnd, _ reason: String? = nil) {
    holds[delivery.token] = nil
    release(delivery.token)
    publisher.ended(delivery, end, reason)
  }

  /// Sends next what waits for this receiver.
  /// - Parameter delivery: to be sent again before that.
  private func release(_ token: String, sendAgain delivery: Delivery? = nil) {
    queue += (waiting.removeValue(forKey: token) ?? []).reversed()
    if let delivery { queue.append(delivery) }
  }

  /// - Parameter wish: how long the server wants this device to be left alone.
  private func hold(_ delivery: Delivery, _ reason: String, _ wish: Duration) {
    let token = delivery.token
    waiting[token]?.insert(delivery, at: 0)
    var outage = holds[token]?.outage ?? Outage()
    if outage.begins() { publisher.logTrouble(of: delivery, "has to wait: \(reason)") }
    let wait = max(outage.nextWait(), min(wish, Self.longestWait))
    let timer = try? loop.after(wait) { [unowned self] in
      release(token)
      send()
    }
    holds[token] = (outage, timer)
  }

  private func send(_ delivery: Delivery) throws(Fault) {
    guard delivery.message.expires > .now else {
      return end(delivery, .expired, "before it could be sent")
    }
    let transfer = try Transfer(delivery, to: provider)
    if wantsFreshConnection { transfer.set(CURLOPT_FRESH_CONNECT, 1) }
    wantsFreshConnection = false
    clocksmith_curl_debugger(
      transfer.easy,
      { _, kind, bytes, count, context in
        // As in `received GOAWAY, error=0, last_stream=9`. libcurl tells no more of it.
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        guard kind == CURLINFO_TEXT, bytes.first == UInt8(ascii: "r") else { return 0 }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard words.last?.hasPrefix("GOAWAY, ") == true else { return 0 }
        let lane = PushLane.from(context)
        if !lane.outage.isLost {
          lane.publisher.logTrouble(
            of: lane.provider, "the server ends the connection: \(words[1].dropLast())", .info)
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    let code = curl_multi_add_handle(multi, transfer.easy)
    guard code == CURLM_OK else {
      throw Fault("cannot send a request", String(cString: curl_multi_strerror(code)))
    }
    inFlight[transfer.easy] = transfer
  }

  /// Called by libcurl, which must not be called from here.
  private func watch(_ socket: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      // Stop the source at once: its own handler may be running, and keeps it until it returns. By
      // then another socket may have the same number, and would lose its watch.
      sockets.removeValue(forKey: socket)?.rests()
      return
    }
    let events =
      (what & CURL_POLL_IN != 0 ? EPOLLIN.rawValue : 0)
      | (what & CURL_POLL_OUT != 0 ? EPOLLOUT.rawValue : 0)
    if let known = sockets[socket] {
      known.watches(events)
    } else {
      // Without a source, the request ends at its time limit.
      sockets[socket] = try? loop.whenReady(socket, events: events) { [unowned self] in
        act(socket)
      }
    }
  }

  private func act(_ socket: Int32) {
    // With 0, libcurl itself asks the socket what it is ready for.
    var (running, left): (Int32, Int32) = (0, 0)
    curl_multi_socket_action(multi, socket, 0, &running)
    // libcurl 7.88 does not notice, before the time limit, the end of an answer that the server gave
    // before it had the whole request. It reads again after a pause.
    for transfer in inFlight.values where transfer.status != 0 {
      // One that has ended cannot pause.
      guard curl_easy_pause(transfer.easy, CURLPAUSE_SEND) == CURLE_OK else { continue }
      curl_easy_pause(transfer.easy, CURLPAUSE_CONT)
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }
    let isUsed = hasAnswered
    while let message = curl_multi_info_read(multi, &left) {
      let (easy, result) = (message.pointee.easy_handle!, message.pointee.data.result)
      curl_multi_remove_handle(multi, easy)
      // The connection has answered nothing for the whole time limit: take another.
      if result == CURLE_OPERATION_TIMEDOUT { wantsFreshConnection = true }
      guard let transfer = inFlight.removeValue(forKey: easy) else { continue }
      // Servers end connections now and then: what this one has not looked at goes over the next.
      if result == CURLE_HTTP2, isUsed {
        hasAnswered = false
        release(transfer.delivery.token, sendAgain: transfer.delivery)
        continue
      }
      answered(transfer.delivery, transfer.answer(result))
    }
    send()
  }

  private func answered(_ delivery: Delivery, _ answer: PushResponse) {
    let verdict = Verdict(answer, from: provider)
    if case .again(let reason) = verdict {
      // If the server is the trouble it stays the next, so that one receiver gets its messages in
      // their order. Another answer of an entry may be about this message alone, which goes last.
      let isOfServer = answer.failure != nil || [429, 502, 503, 504].contains(answer.status)
      let isNext = isOfServer || provider.environment != nil
      release(delivery.token, sendAgain: isNext ? delivery : nil)
      if !isNext { queue.insert(delivery, at: 0) }
      if let reason { fail(reason, answer.retryAfter) }
      return
    }
    // The provider has accepted or refused it: either shows that it works.
    hasAnswered = true
    if outage.ends() { publisher.logTrouble(of: provider, nil) }
    switch verdict {
    case .again: break
    case .later(let reason): hold(delivery, reason, answer.retryAfter)
    case .accepted: end(delivery, .accepted)
    case .refused(let reason): end(delivery, .refused, reason)
    case .deviceRefused(let reason, let since):
      publisher.refuses(delivery, reason, since: since)
      end(delivery, .refused, reason)
    }
  }

  /// - Parameter wish: how long the server wants to be left alone.
  private func fail(_ reason: String, _ wish: Duration) {
    // All deliveries in flight fail together: the first has set the pause.
    guard pause == nil else { return }
    if outage.begins() { publisher.logTrouble(of: provider, "\(reason); it is tried again") }
    pause = try? loop.after(max(outage.nextWait(), min(wish, Self.longestWait))) { [unowned self] in
      pause = nil
      send()
    }
  }
}
