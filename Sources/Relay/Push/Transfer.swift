import Basics
import CCurl
import CSystemd
import Daemon
@preconcurrency import Glibc

/// A POST over HTTP.
struct PushRequest {
  let url: String
  let headers: [String]
  let body: String
}

/// The answer to a request.
struct PushResponse {
  let status: Int
  /// The start of the answer's body.
  var body = ""
  /// How long the server wants to be left alone; zero if it does not say.
  var retryAfter = Duration.zero
  /// Why there is no whole answer.
  var failure: String?
}

struct TransferSettings {
  let authorities: String
  let certificate: String?
  let key: String?
  /// How many requests may be in flight.
  let most: Int

  /// - Throws: `Fault` if a file cannot be read or used.
  init(
    authorities: String, certificate: String? = nil, key: String? = nil, most: Int = 1
  ) throws(Fault) {
    try TLSContext.check(authorities: authorities, certificate: certificate, key: key)
    (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
    self.most = most
  }
}

/// Requests to one server, by libcurl's multi interface. They share one connection.
final class Transfers {
  private let loop: EventLoop
  private let settings: TransferSettings
  private unowned let lane: PushLane
  private let multi: UnsafeMutableRawPointer
  private var sockets: [Int32: EventSource] = [:]
  private var timer: EventSource!
  private var busy: [UnsafeMutableRawPointer: (transfer: Transfer, tag: String)] = [:]
  /// The open connection may be dead.
  private var wantsFreshConnection = false

  init(_ loop: EventLoop, _ settings: TransferSettings, _ lane: PushLane) throws(Fault) {
    self.loop = loop
    self.settings = settings
    self.lane = lane
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
    timer.rests()
    clocksmith_curl_multi_listen(
      multi,
      { _, socket, what, context, _ in
        Transfers.from(context).watch(socket, what)
        return 0
      },
      { _, milliseconds, context in
        Transfers.from(context).setTimer(milliseconds)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    clocksmith_curl_multi_listen(multi, nil, nil, nil)
    for easy in busy.keys { curl_multi_remove_handle(multi, easy) }
    busy = [:]
    curl_multi_cleanup(multi)
  }

  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  private static func from(_ context: UnsafeMutableRawPointer?) -> Transfers {
    Unmanaged<Transfers>.fromOpaque(context!).takeUnretainedValue()
  }

  /// - Parameter tag: the name of the request in its answer.
  func send(_ request: PushRequest, tag: String) throws(Fault) {
    let transfer = try Transfer(request, settings, wantsFreshConnection: wantsFreshConnection)
    wantsFreshConnection = false
    let code = curl_multi_add_handle(multi, transfer.easy)
    guard code == CURLM_OK else {
      throw Fault("cannot send a request", String(cString: curl_multi_strerror(code)))
    }
    busy[transfer.easy] = (transfer, tag)
  }

  private func finished(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) {
    curl_multi_remove_handle(multi, easy)
    guard let (transfer, tag) = busy.removeValue(forKey: easy) else { return }
    // The connection has answered nothing for the whole time limit: take another.
    if result == CURLE_OPERATION_TIMEDOUT { wantsFreshConnection = true }
    lane.answered(tag, transfer.answer(result))
  }

  // MARK: The loop

  /// Called by libcurl, which must not be called from here.
  private func watch(_ socket: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      // Stop the source at once: its own handler may be running, and keeps it until it returns. By
      // then another socket may have the same number, and would lose its watch.
      sockets.removeValue(forKey: socket)?.rests()
      return
    }
    let events: UInt32 =
      switch what {
      case CURL_POLL_IN: EPOLLIN.rawValue
      case CURL_POLL_OUT: EPOLLOUT.rawValue
      default: EPOLLIN.rawValue | EPOLLOUT.rawValue
      }
    if let known = sockets[socket] {
      known.watches(events)
    } else {
      // Without a source, the request ends at its time limit.
      sockets[socket] = try? loop.whenReady(socket, events: events) { [unowned self] in
        act(socket)
      }
    }
  }

  private func setTimer(_ milliseconds: Int) {
    if milliseconds < 0 {
      timer.rests()
    } else {
      timer.goesOff(after: .milliseconds(milliseconds))
    }
  }

  private func act(_ socket: Int32) {
    var running: Int32 = 0
    // With 0, libcurl itself asks the socket what it is ready for.
    curl_multi_socket_action(multi, socket, 0, &running)
    var hasFinished = false
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
        continue
      }
      hasFinished = true
      finished(easy, message.pointee.data.result)
    }
    if hasFinished { lane.send() }
  }
}

/// A request by libcurl.
private final class Transfer {
  /// In milliseconds: how long a request may take, of which to connect. Standard Webhooks proposes
  /// 15 to 30 s.
  private static let patience = 30_000
  private static let longestConnect = 10_000
  /// In seconds: how long an idle connection is kept, and when its first keep-alive probe is sent.
  private static let longestIdle = 3600
  private static let firstProbe = 60
  /// In bytes. libcurl 7.88 reads only this much of an answer by HTTP/2, and may not read on.
  private static let buffer = 16_384
  /// In bytes: how much of an answer is kept.
  private static let mostOfBody = 4096

  let easy: UnsafeMutableRawPointer
  private let words: UnsafeMutablePointer<CChar>
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var received: [UInt8] = []

  init(
    _ request: PushRequest, _ settings: TransferSettings, wantsFreshConnection: Bool
  ) throws(Fault) {
    guard let made = curl_easy_init() else { throw Fault("cannot use libcurl", errno: ENOMEM) }
    easy = made
    words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    set(CURLOPT_ERRORBUFFER, words)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_POST, 1)
    set(CURLOPT_TIMEOUT_MS, Self.patience)
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.longestConnect)
    // A libcurl thread looks names up, which may take half a minute: do not wait for it at the end.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_TCP_KEEPIDLE, Self.firstProbe)
    set(CURLOPT_MAXAGE_CONN, Self.longestIdle)
    set(CURLOPT_BUFFERSIZE, Self.buffer)
    set(CURLOPT_UPLOAD_BUFFERSIZE, Self.buffer)
    // Waits for the one connection instead of making another.
    set(CURLOPT_PIPEWAIT, 1)
    set(CURLOPT_FRESH_CONNECT, wantsFreshConnection ? 1 : 0)
    // A macro of another type in later versions.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    let isFolder = isSpecialFile(settings.authorities)
    set(isFolder ? CURLOPT_CAPATH : CURLOPT_CAINFO, settings.authorities)
    set(isFolder ? CURLOPT_CAINFO : CURLOPT_CAPATH, UnsafePointer<CChar>?.none)
    if let certificate = settings.certificate, let key = settings.key {
      set(CURLOPT_SSLCERT, certificate)
      set(CURLOPT_SSLKEY, key)
      // OpenSSL would ask a terminal for the password of a key, and wait.
      set(CURLOPT_KEYPASSWD, "")
    }
    clocksmith_curl_writer(
      easy,
      { bytes, size, count, context in
        let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
        let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
        let kept = bytes.prefix(Transfer.mostOfBody - transfer.received.count)
        transfer.received.append(contentsOf: kept)
        // libcurl ends the transfer if it is not all.
        return kept.count
      }, Unmanaged.passUnretained(self).toOpaque())
    // Without a value, libcurl leaves out its own header.
    for header in ["accept:"] + request.headers { headers = curl_slist_append(headers, header) }
    clocksmith_curl_pointer(easy, CURLOPT_HTTPHEADER, headers)
    set(CURLOPT_URL, request.url)
    set(CURLOPT_POSTFIELDSIZE, request.body.utf8.count)
    set(CURLOPT_COPYPOSTFIELDS, request.body)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headers)
    words.deallocate()
  }

  private func set(_ option: CURLoption, _ value: Int) {
    clocksmith_curl_number(easy, option, value)
  }

  private func set(_ option: CURLoption, _ value: UnsafePointer<CChar>?) {
    clocksmith_curl_pointer(easy, option, value)
  }

  func answer(_ result: CURLcode) -> PushResponse {
    var status = 0
    clocksmith_curl_ask_number(easy, CURLINFO_RESPONSE_CODE, &status)
    var seconds: curl_off_t = 0
    clocksmith_curl_ask_offset(easy, CURLINFO_RETRY_AFTER, &seconds)
    // An answer that is longer than is kept is a whole one.
    let isWhole = result == CURLE_OK || result == CURLE_WRITE_ERROR
    let reason = words[0] == 0 ? curl_easy_strerror(result) : UnsafePointer(words)
    return PushResponse(
      status: status, body: String(decoding: received, as: UTF8.self),
      retryAfter: .seconds(Int64(seconds)), failure: isWhole ? nil : String(cString: reason!))
  }
}
