import Basics
import CCurl
import CNGHTTP2
import COpenSSL
import CSystemd
import Daemon
@preconcurrency import Glibc

/// One connection to a server of HTTP/2. libcurl makes it, with its TLS, and nghttp2 speaks on it.
final class HTTP2Connection {
  /// In bytes: how much is sent or received at a time.
  private static let block = 16_384
  /// How many blocks are received before everything else in the loop has its turn.
  private static let mostBlocks = 16
  private static let protocols: [UInt8] = [2] + "h2".utf8 + [8] + "http/1.1".utf8

  /// True while more requests may be sent on it.
  private(set) var takesRequests = true

  private let loop: EventLoop
  private unowned let streams: Streams
  private let handle: CurlHandle
  private let session: HTTP2Session
  private var curl: CurlMulti!
  private var isOpen = false
  /// Released at the end.
  private var source: EventSource?
  private var timer: EventSource?
  /// The deadline that the timer is set for; nil if there is none.
  private var watched: Duration?
  private var hasAnswered = false
  /// Something has been received that nobody has read.
  private var hasMore = false
  private var output: [UInt8] = []
  private var sent = 0
  private var input = [UInt8](repeating: 0, count: block)

  /// Begins to connect.
  init(_ loop: EventLoop, _ streams: Streams, _ settings: CarrierSettings) throws(Fault) {
    self.loop = loop
    self.streams = streams
    let server = settings.server ?? ""
    handle = try CurlHandle(settings)
    session = try HTTP2Session(server: server)
    curl = try CurlMulti(
      loop, finished: { [unowned self] in connected($1) }, settled: { [unowned self] in settle() })
    handle.set(CURLOPT_URL, "https://\(server)/")
    handle.set(CURLOPT_CONNECT_ONLY, 1)
    // libcurl would speak HTTP/2 by itself.
    handle.set(CURLOPT_SSL_ENABLE_ALPN, 0)
    clocksmith_curl_tls(handle.easy) { _, context, _ in
      let context = OpaquePointer(context)
      SSL_CTX_set_alpn_protos(
        context, HTTP2Connection.protocols, UInt32(HTTP2Connection.protocols.count))
      // Takes many records from the socket at once. `receive` reads until nothing is left of them.
      SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, nil)
      SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
      return CURLE_OK
    }
    try curl.add(handle.easy)
  }

  deinit {
    source = nil
    // Nil if there was no memory for it.
    curl?.remove(handle.easy)
  }

  // MARK: Requests

  /// Sends it in the loop's next turn.
  /// - Returns: false if the connection takes no more requests.
  func send(_ exchange: Exchange) -> Bool {
    guard takesRequests, session.submit(exchange) else { return false }
    // A request that is sent again may have less time than those before it.
    if let watched, watched <= exchange.deadline { return true }
    watchDeadline()
    return true
  }

  /// How many requests may be on it now.
  var most: Int { takesRequests ? session.most : session.exchanges.count }

  /// Nil if it is on another connection.
  func exchange(_ tag: Int64) -> Exchange? {
    session.exchanges.values.first { $0.request.tag == tag }
  }

  private func watchDeadline() {
    let first = session.exchanges.values.map(\.deadline).min()
    watched = first
    timer = first.flatMap {
      try? loop.after(max($0 - uptime, .zero)) { [unowned self] in endLate() }
    }
  }

  private func endLate() {
    let now = uptime
    let late = session.exchanges.filter { $0.value.deadline <= now }
    for stream in late.keys {
      guard let exchange = session.cancel(stream) else { continue }
      streams.end(exchange, .init(code: CURLE_OPERATION_TIMEDOUT, words: "no answer came in time"))
    }
    watchDeadline()
    // It may be dead. One that is being made has a time limit of its own.
    if isOpen, !late.isEmpty { retire() }
    settle()
    flush()
  }

  /// Takes no more requests, and ends with the last answer.
  /// - Parameter failure: of the requests that have not left; nil to send them on the next
  ///   connection.
  private func retire(_ failure: PushResponse.Failure? = nil) {
    guard takesRequests else { return }
    takesRequests = false
    for (stream, exchange) in session.exchanges where !exchange.hasBegun {
      _ = session.cancel(stream)
      if let failure { streams.end(exchange, failure) } else { streams.sendAgain(exchange) }
    }
  }

  // MARK: The connection

  private func connected(_ result: CURLcode) {
    guard result == CURLE_OK else { return lose(handle.failure(result)) }
    curl.rest()
    var socket: curl_socket_t = -1
    clocksmith_curl_ask_socket(handle.easy, &socket)
    source = try? loop.whenReady(socket, events: EPOLLIN.rawValue) { [unowned self] in
      receive()
      flush()
    }
    guard source != nil else {
      return lose(.init(code: CURLE_RECV_ERROR, words: "the connection cannot be watched"))
    }
    isOpen = true
    // The first read makes libcurl tell of its connection.
    var count = 0
    let code = curl_easy_recv(handle.easy, &input, input.count, &count)
    guard speaksHTTP2 else {
      return lose(.init(code: CURLE_HTTP2, words: "the server does not speak HTTP/2"))
    }
    if take(code, count) { receive() }
    flush()
  }

  private var speaksHTTP2: Bool {
    guard let tls = clocksmith_curl_ask_tls(handle.easy) else { return false }
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(OpaquePointer(tls), &name, &count)
    return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
  }

  private func receive() {
    hasMore = false
    for _ in 0..<Self.mostBlocks {
      var count = 0
      let code = curl_easy_recv(handle.easy, &input, input.count, &count)
      guard take(code, count) else { return settle() }
    }
    hasMore = true
    streams.continueLater()
    settle()
  }

  /// Takes what `curl_easy_recv` has returned.
  /// - Returns: true if there may be more.
  private func take(_ code: CURLcode, _ count: Int) -> Bool {
    if code == CURLE_AGAIN { return false }
    guard code == CURLE_OK, count > 0 else {
      // nghttp2 tells with what it sends that the server's last bytes were wrong.
      if code == CURLE_OK { flush() }
      if isOpen { lose(code == CURLE_OK ? goodbye : handle.failure(code)) }
      return false
    }
    let wrong = input.withUnsafeBufferPointer { session.receive(.init(rebasing: $0[..<count])) }
    if let wrong { lose(Self.wrong(": \(wrong)")) }
    return wrong == nil
  }

  private static func wrong(_ detail: String = "") -> PushResponse.Failure {
    .init(code: CURLE_HTTP2, words: "the server's HTTP/2 is wrong\(detail)")
  }

  private var goodbye: PushResponse.Failure {
    let reason = session.farewell ?? ""
    return .init(
      code: CURLE_RECV_ERROR,
      words: "the server has ended the connection\(reason.isEmpty ? "" : ": \(reason)")")
  }

  /// Tells what has ended.
  private func settle() {
    // A server that takes nothing before it leaves would leave the next connection, too.
    if session.farewell != nil { retire(takesRest ? nil : goodbye) }
    tellEnded()
    if !takesRequests, session.exchanges.isEmpty { end() }
    streams.settle()
  }

  /// True if the server leaves, and will take what it has not looked at on the next connection.
  private var takesRest: Bool {
    session.farewell != nil && (hasAnswered || session.isEndedInOrder)
  }

  private func tellEnded() {
    for (exchange, error) in session.takeEnded() {
      if error == NGHTTP2_NO_ERROR.rawValue, exchange.status == 0 {
        streams.end(
          exchange,
          .init(
            code: CURLE_GOT_NOTHING, words: "the server has ended a request without an answer"))
      } else if error == NGHTTP2_NO_ERROR.rawValue || exchange.status == 200 {
        hasAnswered = true
        streams.end(exchange, nil)
      } else if error == NGHTTP2_REFUSED_STREAM.rawValue, takesRest || !exchange.isSentAgain {
        // RFC 9113, 8.7: the server has not looked at it.
        if !takesRest { exchange.isSentAgain = true }
        streams.sendAgain(exchange, isUnseen: true)
      } else if error == NGHTTP2_REFUSED_STREAM.rawValue, session.farewell != nil {
        streams.end(exchange, goodbye)
      } else {
        let name = String(cString: nghttp2_http2_strerror(error))
        streams.end(
          exchange,
          .init(code: CURLE_HTTP2_STREAM, words: "the server has ended a request: \(name)"))
      }
    }
  }

  /// Continues in the loop's next turn.
  func goOn() {
    if hasMore { receive() }
    flush()
  }

  /// Sends what there is to send, as far as the server takes it.
  private func flush() {
    guard isOpen else { return }
    var isFull = false
    while !isFull {
      if sent == output.count {
        output.removeAll(keepingCapacity: true)
        sent = 0
        session.fill(&output, Self.block)
        if output.isEmpty { break }
      }
      var count = 0
      let code = output.withUnsafeBytes {
        curl_easy_send(handle.easy, $0.baseAddress! + sent, $0.count - sent, &count)
      }
      guard code == CURLE_OK || code == CURLE_AGAIN else { return lose(handle.failure(code)) }
      sent += count
      isFull = code == CURLE_AGAIN
    }
    source?.watches(isFull ? EPOLLIN.rawValue | EPOLLOUT.rawValue : EPOLLIN.rawValue)
    // nghttp2 ends a request with a wrong answer as it sends that it does.
    if session.hasEnded { settle() }
    guard isOpen, session.isOver else { return }
    lose(session.farewell == nil ? Self.wrong() : goodbye)
  }

  /// The connection is broken. The server may have taken what it has not answered.
  private func lose(_ failure: PushResponse.Failure) {
    takesRequests = false
    tellEnded()
    for exchange in session.cancelAll() {
      // A server may close a connection at any time. One that was of use is worth a second try, but
      // not for a request whose answer has begun.
      if hasAnswered, !exchange.isSentAgain, exchange.status == 0 {
        streams.sendAgain(exchange)
      } else {
        streams.end(exchange, exchange.status == 200 ? nil : failure)
      }
    }
    end()
    streams.settle()
  }

  private func end() {
    isOpen = false
    source?.rests()
    timer = nil
    streams.release(self)
  }
}
