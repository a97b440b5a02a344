import Basics
import CMicroHTTPD
import CSystemd
import Daemon
@preconcurrency import Glibc

/// An HTTP server by libmicrohttpd, run by the loop: it has no thread and never blocks.
final class HTTPServer {
  static let mostOfBody = Order.largestPayload
  /// Bytes of a refused body that are read and thrown away, so that the answer arrives. A client
  /// that still sends when the connection ends learns nothing but that end.
  private static let mostThrownAway = 1 << 20
  private static let limits = clocksmith_http_limits(
    connections: 64, connections_of_address: 16, idle_seconds: 10, bytes_of_connection: 16_384)

  /// For a request that is not answered when the server ends. It may have been handed to the clock.
  private static let stopping = HTTPAnswer(
    504, Rejection.Kind.timeout.rawValue,
    "the relay is stopping; the announcer may still carry the command out")

  private let loop: EventLoop
  private unowned let door: HTTPDoor
  private let listen: ListenAddress
  private let certificate: UnsafeMutablePointer<CChar>?
  private let key: UnsafeMutablePointer<CChar>?
  private let callbacks: UnsafeMutablePointer<clocksmith_http_handlers>
  private var daemon: OpaquePointer?
  private var isClosing = false
  private var source: EventSource?
  private var timer: EventSource?
  private var hasRoomAgain = false
  private var waiting: [ObjectIdentifier: HTTPExchange] = [:]

  init(
    _ loop: EventLoop, _ listen: ListenAddress, _ identity: TLSIdentity?, _ door: HTTPDoor
  ) {
    self.loop = loop
    self.listen = listen
    self.door = door
    certificate = identity.map { strdup($0.certificate) } ?? nil
    key = identity.map { strdup($0.key) } ?? nil
    callbacks = .allocate(capacity: 1)
    callbacks.initialize(
      to: clocksmith_http_handlers(
        context: Unmanaged.passUnretained(self).toOpaque(),
        received: { context, connection, request, path, method, bytes, count in
          HTTPServer.from(context).received(connection!, request!, path!, method!, bytes, count!)
        },
        completed: { _, _, request in
          guard let request else { return }
          Unmanaged<HTTPExchange>.fromOpaque(request).takeRetainedValue().answered = nil
        },
        connected: { context, _, isThere in
          if isThere == 0 { HTTPServer.from(context).hasRoomAgain = true }
        }))
  }

  deinit {
    close()
    callbacks.deallocate()
    free(certificate)
    free(key)
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
  }

  // MARK: The loop

  /// - Throws: `Fault` if the server cannot listen there.
  func open() throws(Fault) {
    let socket = try listen.listen()
    guard let made = clocksmith_http_start(socket, Self.limits, certificate, key, callbacks) else {
      // Some versions have closed the socket by now, others have not.
      if fcntl(socket, F_GETFD) >= 0 { Glibc.close(socket) }
      throw Fault(
        "cannot serve \(listen.text)",
        certificate == nil
          ? "libmicrohttpd does not start"
          : "libmicrohttpd does not take the certificate or the key")
    }
    daemon = made
    timer = try loop.after(.zero) { [unowned self] in run() }
    source = try loop.whenReady(clocksmith_http_epoll(made), events: EPOLLIN.rawValue) {
      [unowned self] in run()
    }
  }

  private func run() {
    guard let daemon else { return }
    hasRoomAgain = false
    MHD_run(daemon)
    let milliseconds = clocksmith_http_wait(daemon)
    if hasRoomAgain {
      // At its limit libmicrohttpd does not watch the socket that listens. It watches it again in the
      // next run, which no event may bring.
      timer?.goesOff(after: .zero)
    } else if milliseconds < 0 {
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
    for exchange in Array(waiting.values) { exchange.answer(Self.stopping) }
    if source != nil {
      // The first run resumes the waiting requests, the second sends the heads of their answers,
      // the third the bodies that did not go with them.
      for _ in 0..<3 { MHD_run(daemon) }
    }
    source = nil
    timer = nil
    MHD_stop_daemon(daemon)
    self.daemon = nil
  }

  // MARK: Requests

  /// - Returns: 0 to end the connection.
  private func received(
    _ connection: OpaquePointer, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ path: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>, _ bytes: UnsafePointer<CChar>?,
    _ count: UnsafeMutablePointer<Int>
  ) -> Int32 {
    guard let known = request.pointee else {
      // A head that tells the end of the body in two ways may hide another request, for somebody else.
      guard clocksmith_http_is_ambiguous(connection) == 0 else { return 0 }
      let head = HTTPHead(connection, method: method, path: path)
      let refusal = door.judge(head)
      if let refusal, !head.hasBody || head.length ?? 0 > Self.mostThrownAway {
        return send(refusal, to: head, connection)
      }
      request.pointee = Unmanaged.passRetained(HTTPExchange(head, refusal)).toOpaque()
      return 1
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
    if count.pointee > 0 {
      exchange.append(
        UnsafeRawBufferPointer(start: bytes, count: count.pointee), most: Self.mostOfBody)
      count.pointee = 0
      return exchange.size <= Self.mostThrownAway ? 1 : 0
    }
    return finish(exchange, connection)
  }

  /// Called when the whole request is there, and again when its answer is.
  private func finish(_ exchange: HTTPExchange, _ connection: OpaquePointer) -> Int32 {
    if exchange.answer == nil {
      if isClosing { exchange.answer(Self.stopping) } else { door.serve(exchange) }
    }
    if let answer = exchange.answer {
      return send(answer, to: exchange.head, connection, exchange.stream)
    }
    waiting[ObjectIdentifier(exchange)] = exchange
    exchange.answered = { [unowned self, unowned exchange] in
      waiting[ObjectIdentifier(exchange)] = nil
      resume(connection)
    }
    MHD_suspend_connection(connection)
    return 1
  }

  private func send(
    _ answer: HTTPAnswer, to head: HTTPHead, _ connection: OpaquePointer,
    _ stream: EventStream? = nil
  ) -> Int32 {
    let made = stream.map { response($0, connection) } ?? response(answer.body)
    guard let response = made else { return 0 }
    defer { MHD_destroy_response(response) }
    // A state kept by a proxy or an app is wrong a moment later.
    MHD_add_response_header(response, "Cache-Control", "no-store")
    for (name, value) in answer.headers + door.headers(to: head) {
      MHD_add_response_header(response, name, value)
    }
    return clocksmith_http_answer(connection, answer.status, response)
  }

  private func response(_ bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        clocksmith_http_response($0.baseAddress, $0.count)
      }
    }
  }

  // MARK: Streams

  private func response(_ stream: EventStream, _ connection: OpaquePointer) -> OpaquePointer? {
    clocksmith_http_limit_stream(connection)
    let reading = Unmanaged.passRetained(StreamReading(stream, connection, self))
    let response = clocksmith_http_stream(
      { context, _, bytes, most in
        Unmanaged<StreamReading>.fromOpaque(context!).takeUnretainedValue()
          .read(UnsafeMutableRawBufferPointer(start: bytes, count: most))
      }, reading.toOpaque(),
      { Unmanaged<StreamReading>.fromOpaque($0!).release() })
    if response == nil { reading.release() }
    return response
  }

  fileprivate func resume(_ connection: OpaquePointer) {
    MHD_resume_connection(connection)
    timer?.goesOff(after: .zero)
  }

  /// Calls `handler` when the client of a stream ends the connection, which libmicrohttpd does not see
  /// while it is suspended.
  fileprivate func whenLeft(
    _ connection: OpaquePointer, _ handler: @escaping () -> Void
  ) -> EventSource? {
    try? loop.whenReady(
      clocksmith_http_socket(connection), events: EPOLLRDHUP.rawValue, handler)
  }
}

/// A stream on its connection, until libmicrohttpd releases the answer.
private final class StreamReading {
  private let stream: EventStream
  private let connection: OpaquePointer
  private unowned let server: HTTPServer
  private var departure: EventSource?

  init(_ stream: EventStream, _ connection: OpaquePointer, _ server: HTTPServer) {
    self.stream = stream
    self.connection = connection
    self.server = server
    departure = server.whenLeft(connection) { [unowned self] in
      departure?.rests()
      stream.end()
    }
  }

  deinit {
    stream.readable = nil
    stream.close()
  }

  /// - Returns: as `clocksmith_http_stream` wants it.
  func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if stream.isOver { return -1 }
    let count = stream.read(into: buffer)
    if count == 0 {
      stream.readable = { [unowned self] in server.resume(connection) }
      MHD_suspend_connection(connection)
    }
    return count
  }
}

extension HTTPHead {
  fileprivate init(
    _ connection: OpaquePointer, method: UnsafePointer<CChar>, path: UnsafePointer<CChar>
  ) {
    func header(_ name: String) -> String? {
      clocksmith_http_header(connection, name).map { String(cString: $0) }
    }
    self.init(
      method: String(cString: method), path: String(cString: path),
      address: clocksmith_http_address(connection).map(numeric) ?? "an unknown address",
      host: header("Host"), authorization: header("Authorization"), cookies: header("Cookie"),
      origin: header("Origin"), fetchSite: header("Sec-Fetch-Site"),
      contentType: header("Content-Type"), range: header("Range"),
      length: header("Content-Length").flatMap { Int($0) },
      isChunked: header("Transfer-Encoding") != nil)
  }
}

/// An address in numbers, as in `192.168.1.5`.
private func numeric(_ address: UnsafePointer<sockaddr>) -> String {
  let size =
    Int32(address.pointee.sa_family) == AF_INET6
    ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
    let code = getnameinfo(
      address, socklen_t(size), buffer.baseAddress, socklen_t(buffer.count), nil, 0,
      NI_NUMERICHOST)
    guard code == 0 else { return "an unknown address" }
    let text = String(cString: buffer.baseAddress!)
    // An IPv4 address, where the relay listens on `[::]`.
    return text.hasPrefix("::ffff:") ? String(text.dropFirst("::ffff:".count)) : text
  }
}
