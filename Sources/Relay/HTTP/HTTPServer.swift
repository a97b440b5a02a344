import Basics
import CMicroHTTPD
import CSystemd
import Daemon
@preconcurrency import Glibc

/// An HTTP server by libmicrohttpd, run by the loop: it has no thread and never blocks.
final class HTTPServer {
  /// Bytes of a refused body that are thrown away: a client that still sends when the connection ends
  /// reads no answer.
  private static let mostThrownAway = 1 << 20
  private static let limits = clocksmith_http_limits(
    connections: 128, connections_of_address: 64, idle_seconds: 10, bytes_of_connection: 16_384)
  /// Of each limit. libmicrohttpd ends what is over a limit without a word.
  private static let keptForRefusals: UInt32 = 16
  /// For the whole request, also if it comes byte by byte.
  private static let longestRequest = Duration.seconds(10)
  /// For an answer to be made and taken.
  private static let longestAnswer = Duration.seconds(60)

  private static let stopping = Rejection(
    .timeout, "the relay is stopping; the announcer may still carry the command out")

  private let loop: EventLoop
  private unowned let door: HTTPDoor
  private let callbacks = UnsafeMutablePointer<clocksmith_http_handlers>.allocate(capacity: 1)
  private var daemon: OpaquePointer?
  private var isClosing = false
  private var source: EventSource?
  private var timer: EventSource?
  private var hasRoomAgain = false
  private var waiting: [ObjectIdentifier: HTTPExchange] = [:]
  /// The addresses of those that are connected, and when each is ended unless it gets on; nil for a
  /// stream.
  private var connections: [OpaquePointer: (address: String, deadline: Duration?)] = [:]
  private var deadlineTimer: EventSource?

  init(
    _ loop: EventLoop, _ listen: ListenAddress, _ identity: TLSIdentity?, _ door: HTTPDoor
  ) throws(Fault) {
    self.loop = loop
    self.door = door
    callbacks.initialize(
      to: clocksmith_http_handlers(
        context: Unmanaged.passUnretained(self).toOpaque(),
        received: { context, connection, request, path, method, bytes, count in
          HTTPServer.from(context).received(connection!, request!, path!, method!, bytes, count!)
        },
        completed: { context, connection, request in
          HTTPServer.from(context).expect(connection!, within: HTTPServer.longestRequest)
          guard let request else { return }
          Unmanaged<HTTPExchange>.fromOpaque(request).takeRetainedValue().end()
        },
        connected: { context, connection, isThere in
          HTTPServer.from(context).connected(connection!, isThere != 0)
        }))
    let made = clocksmith_http_start(
      listen.usable.bytes, Self.limits, identity?.certificate, identity?.key, callbacks)
    guard let made else {
      let code = errno
      let advice =
        code == EADDRINUSE ? "; end the other program, or set another 'listen' under [http]" : ""
      throw Fault(
        "cannot listen at \(listen.text)", code: code, String(cString: strerror(code)) + advice)
    }
    daemon = made
    timer = try loop.after(.zero) { [unowned self] in run() }
    deadlineTimer = try loop.after(.zero) { [unowned self] in endOverdue() }
    source = try loop.whenReady(clocksmith_http_epoll(made), events: EPOLLIN.rawValue) {
      [unowned self] in run()
    }
  }

  deinit {
    close()
    callbacks.deallocate()
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
  }

  private func run() {
    guard let daemon else { return }
    hasRoomAgain = false
    MHD_run(daemon)
    // At its limit libmicrohttpd does not watch the socket that listens. It watches it again in the next
    // run, which no event may bring.
    let milliseconds = hasRoomAgain ? 0 : clocksmith_http_wait(daemon)
    if milliseconds < 0 {
      timer?.rests()
    } else {
      timer?.goesOff(after: .milliseconds(milliseconds))
    }
  }

  func close() {
    guard let daemon else { return }
    isClosing = true
    let socket = MHD_quiesce_daemon(daemon)
    if socket >= 0 { Glibc.close(socket) }
    for exchange in Array(waiting.values) { exchange.answer(HTTPAnswer(.refused(Self.stopping))) }
    // The first run resumes the waiting requests, the second sends the heads of their answers,
    // the third the bodies that did not go with them.
    for _ in 0..<3 { MHD_run(daemon) }
    source = nil
    timer = nil
    deadlineTimer = nil
    MHD_stop_daemon(daemon)
    self.daemon = nil
  }

  private func connected(_ connection: OpaquePointer, _ isThere: Bool) {
    if isThere {
      connections[connection] = (HTTPExchange.address(of: connection), nil)
      expect(connection, within: Self.longestRequest)
    } else {
      connections[connection] = nil
      hasRoomAgain = true
    }
  }

  /// Whether so many are connected that only paired phones are served.
  func isFull(for address: String) -> Bool {
    let limits = Self.limits
    return connections.count > limits.connections - Self.keptForRefusals
      || connections.values.count { $0.address == address }
        > limits.connections_of_address - Self.keptForRefusals
  }

  private func expect(_ connection: OpaquePointer, within time: Duration?) {
    connections[connection]?.deadline = time.map { uptime + $0 }
    watchDeadlines()
  }

  private func watchDeadlines() {
    if let next = connections.values.compactMap(\.deadline).min() {
      deadlineTimer?.goesOff(after: max(next - uptime, .zero))
    } else {
      deadlineTimer?.rests()
    }
  }

  /// libmicrohttpd itself waits anew after each byte.
  private func endOverdue() {
    for (connection, each) in connections where each.deadline.map({ $0 <= uptime }) == true {
      connections[connection]?.deadline = nil
      shutdown(clocksmith_http_socket(connection), Int32(SHUT_RDWR))
    }
    watchDeadlines()
  }

  /// - Returns: 0 to end the connection.
  private func received(
    _ connection: OpaquePointer, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ path: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>, _ bytes: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>
  ) -> Int32 {
    guard let known = request.pointee else {
      // A head that tells the end of the body in two ways may hide another request, for somebody else.
      guard clocksmith_http_is_ambiguous(connection) == 0 else { return 0 }
      let exchange = HTTPExchange(
        connection, method: String(cString: method), path: String(cString: path))
      request.pointee = Unmanaged.passRetained(exchange).toOpaque()
      if let refusal = door.judge(exchange) { exchange.answer(refusal) }
      return exchange.length > Self.mostThrownAway ? send(exchange, connection) : 1
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
    if count.pointee > 0 {
      exchange.append(UnsafeRawBufferPointer(start: bytes, count: count.pointee))
      count.pointee = 0
      return exchange.size <= Self.mostThrownAway ? 1 : 0
    }
    // The whole request is there, or its answer is.
    expect(connection, within: Self.longestAnswer)
    if isClosing { exchange.answer(HTTPAnswer(.refused(Self.stopping))) }
    if exchange.answer == nil { door.serve(exchange) }
    if exchange.answer != nil { return send(exchange, connection) }
    waiting[ObjectIdentifier(exchange)] = exchange
    exchange.answered = { [unowned self, unowned exchange] in
      waiting[ObjectIdentifier(exchange)] = nil
      resume(connection)
    }
    MHD_suspend_connection(connection)
    return 1
  }

  private func send(_ exchange: HTTPExchange, _ connection: OpaquePointer) -> Int32 {
    guard let answer = exchange.answer?.compressed(for: exchange["Accept-Encoding"]),
      let response = exchange.stream.map({ response($0, connection) })
        ?? clocksmith_http_response(answer.body, answer.body.count)
    else { return 0 }
    defer { MHD_destroy_response(response) }
    // A state kept by a proxy or an app is wrong a moment later.
    let kept =
      answer.headers.contains { $0.name == "Cache-Control" } ? [] : [("Cache-Control", "no-store")]
    let headers = kept + answer.headers + door.headers(to: exchange)
    for (name, value) in headers { MHD_add_response_header(response, name, value) }
    return clocksmith_http_answer(connection, answer.status, response)
  }

  private func response(_ stream: EventStream, _ connection: OpaquePointer) -> OpaquePointer? {
    clocksmith_http_limit_stream(connection)
    expect(connection, within: nil)
    stream.suspend = { MHD_suspend_connection(connection) }
    stream.resume = { [unowned self] in resume(connection) }
    // libmicrohttpd does not see that a client has left while it is suspended.
    stream.departure = try? loop.whenReady(
      clocksmith_http_socket(connection), events: EPOLLRDHUP.rawValue
    ) { [unowned stream] in
      stream.departure?.rests()
      stream.end()
    }
    return clocksmith_http_stream(
      { context, _, bytes, most in
        Unmanaged<EventStream>.fromOpaque(context!).takeUnretainedValue()
          .read(into: UnsafeMutableRawBufferPointer(start: bytes, count: most))
      }, Unmanaged.passRetained(stream).toOpaque(),
      { Unmanaged<EventStream>.fromOpaque($0!).takeRetainedValue().close() })
  }

  private func resume(_ connection: OpaquePointer) {
    MHD_resume_connection(connection)
    timer?.goesOff(after: .zero)
  }
}
