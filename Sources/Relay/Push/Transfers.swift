import Basics
import CCurl
import CSystemd
import Daemon
@preconcurrency import Glibc

struct TransferSettings: Hashable {
  var authorities: String
  var certificate: String?
  var key: String?
  /// An answer by another version of HTTP is none.
  var needsHTTP2 = false
  var most = 1
}

/// Requests to one server, by libcurl's multi interface. They share one connection.
final class Transfers {
  private let loop: EventLoop
  private let settings: TransferSettings
  private unowned let lane: PushLane
  private let multi: UnsafeMutableRawPointer
  private var sockets: [Int32: (source: EventSource, events: UInt32)] = [:]
  private var timer: EventSource!
  private var busy: [UnsafeMutableRawPointer: Transfer] = [:]
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
      act(CURL_SOCKET_TIMEOUT, 0)
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
    for transfer in busy.values { curl_multi_remove_handle(multi, transfer.easy) }
    busy = [:]
    curl_multi_cleanup(multi)
  }

  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  private static func from(_ context: UnsafeMutableRawPointer?) -> Transfers {
    Unmanaged<Transfers>.fromOpaque(context!).takeUnretainedValue()
  }

  func send(_ request: PushRequest) throws(Fault) {
    let transfer = try Transfer(request, settings, wantsFreshConnection: wantsFreshConnection)
    wantsFreshConnection = false
    let code = curl_multi_add_handle(multi, transfer.easy)
    guard code == CURLM_OK else {
      throw Fault("cannot send a request", String(cString: curl_multi_strerror(code)))
    }
    busy[transfer.easy] = transfer
  }

  private func finished(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) {
    curl_multi_remove_handle(multi, easy)
    guard let transfer = busy.removeValue(forKey: easy) else { return }
    // The connection has answered nothing for the whole time limit: take another.
    if result == CURLE_OPERATION_TIMEDOUT { wantsFreshConnection = true }
    lane.answered(transfer.tag, transfer.answer(result))
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
      timer.rests()
    } else {
      timer.goesOff(after: .milliseconds(milliseconds))
    }
  }

  private func act(_ socket: Int32, _ events: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, events, &running)
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
