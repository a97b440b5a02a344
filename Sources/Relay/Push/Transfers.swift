import Basics
import CCurl
import CSystemd
import Daemon
@preconcurrency import Glibc

/// Requests to one server by libcurl, run by the loop. They share one connection, with as many
/// requests at once as the server allows. Handles are kept and used again.
final class Transfers {
  struct Settings: Hashable {
    /// HTTP/2 over TLS; else any version that the server speaks.
    var isHTTP2 = false
    /// A file or a folder of certificates.
    var authorities = "/etc/ssl/certs"
    var certificate: String?
    var key: String?
    /// How long a request may take.
    var patience = Duration.seconds(20)
    /// Limit of requests in flight.
    var most = 1
  }

  private let loop: EventLoop
  let settings: Settings
  private let multi: UnsafeMutableRawPointer
  private let answered: (_ tag: Int64, Answer) -> Void
  private let settled: () -> Void
  private var sockets: [Int32: (source: EventSource, events: UInt32)] = [:]
  private var timer: EventSource?
  private var idle: [Transfer] = []
  private var busy: [UnsafeMutableRawPointer: Transfer] = [:]
  /// The open connection may be dead.
  private var wantsFreshConnection = false

  /// How many requests are on their way.
  var count: Int { busy.count }

  /// - Parameters:
  ///   - answered: called once for each request.
  ///   - settled: called after one or more calls of `answered`.
  init(
    _ loop: EventLoop, _ settings: Settings,
    answered: @escaping (_ tag: Int64, Answer) -> Void, settled: @escaping () -> Void
  ) throws(Fault) {
    self.loop = loop
    self.settings = settings
    self.answered = answered
    self.settled = settled
    guard Self.library == CURLE_OK, let made = curl_multi_init() else {
      throw Fault("cannot use libcurl", errno: ENOMEM)
    }
    multi = made
    clocksmith_curl_multi_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
    clocksmith_curl_multi_number(multi, CURLMOPT_MAXCONNECTS, 1)
    clocksmith_curl_multi_number(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, settings.most)
    timer = try loop.after(.zero) { [unowned self] in act(CURL_SOCKET_TIMEOUT, 0) }
    timer?.rests()
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
    for transfer in busy.values { curl_multi_remove_handle(multi, transfer.easy) }
    busy = [:]
    idle = []
    curl_multi_cleanup(multi)
  }

  /// curl_global_init(3), once.
  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  private static func from(_ context: UnsafeMutableRawPointer?) -> Transfers {
    Unmanaged<Transfers>.fromOpaque(context!).takeUnretainedValue()
  }

  // MARK: Sending

  /// - Throws: `Fault` if libcurl has no memory for it.
  func send(_ request: Request) throws(Fault) {
    let transfer = if let idle = idle.popLast() { idle } else { try Transfer(settings) }
    transfer.take(request)
    clocksmith_curl_number(
      transfer.easy, CURLOPT_FRESH_CONNECT, wantsFreshConnection ? 1 : 0)
    wantsFreshConnection = false
    let code = curl_multi_add_handle(multi, transfer.easy)
    guard code == CURLM_OK else {
      throw Fault("cannot send a request", String(cString: curl_multi_strerror(code)))
    }
    busy[transfer.easy] = transfer
  }

  /// False while no byte of the request can have left.
  func hasBegun(_ tag: Int64) -> Bool {
    busy.values.first { $0.tag == tag }?.hasBegun ?? true
  }

  // MARK: The loop

  /// Called by libcurl, which must not be called from here.
  private func watch(_ socket: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      // Stop the source at once: its own handler may be running, and keeps it until it returns. By
      // then another socket may have the same number, and would lose its watch.
      sockets.removeValue(forKey: socket)?.source.rests()
      return
    }
    let events: UInt32 =
      switch what {
      case CURL_POLL_IN: EPOLLIN.rawValue
      case CURL_POLL_OUT: EPOLLOUT.rawValue
      default: EPOLLIN.rawValue | EPOLLOUT.rawValue
      }
    if let known = sockets[socket] {
      guard known.events != events else { return }
      known.source.watches(events)
      sockets[socket]?.events = events
    } else {
      let source = try? loop.whenReady(socket, events: events) { [unowned self] in
        // With 0, libcurl itself asks the socket what it is ready for.
        let isInput = sockets[socket]?.events == EPOLLIN.rawValue
        act(socket, isInput ? CURL_CSELECT_IN : 0)
      }
      // Without a source, the request ends at its time limit.
      if let source { sockets[socket] = (source, events) }
    }
  }

  private func setTimer(_ milliseconds: Int) {
    if milliseconds < 0 {
      timer?.rests()
    } else {
      timer?.goesOff(after: .milliseconds(milliseconds))
    }
  }

  private func act(_ socket: Int32, _ events: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, events, &running)
    var hasAnswers = false
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
        continue
      }
      let result = message.pointee.data.result
      curl_multi_remove_handle(multi, easy)
      guard let transfer = busy.removeValue(forKey: easy) else { continue }
      // The connection has answered nothing for the whole time limit: take another.
      if result == CURLE_OPERATION_TIMEDOUT { wantsFreshConnection = true }
      let tag = transfer.tag
      let answer = transfer.answer(result)
      idle.append(transfer)
      hasAnswers = true
      answered(tag, answer)
    }
    if hasAnswers { settled() }
  }
}
