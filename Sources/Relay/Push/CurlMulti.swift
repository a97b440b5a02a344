import Basics
import CCurl
import CSystemd
import Daemon
@preconcurrency import Glibc

/// libcurl's multi interface, run by the loop.
final class CurlMulti {
  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private let finished: (_ easy: UnsafeMutableRawPointer, CURLcode) -> Void
  private let settled: () -> Void
  private var sockets: [Int32: (source: EventSource, events: UInt32)] = [:]
  private var timer: EventSource?

  /// - Parameters:
  ///   - finished: called once for each handle that was added.
  ///   - settled: called after one or more calls of `finished`.
  init(
    _ loop: EventLoop,
    finished: @escaping (_ easy: UnsafeMutableRawPointer, CURLcode) -> Void,
    settled: @escaping () -> Void
  ) throws(Fault) {
    self.loop = loop
    self.finished = finished
    self.settled = settled
    guard Self.library == CURLE_OK, let made = curl_multi_init() else {
      throw Fault("cannot use libcurl", errno: ENOMEM)
    }
    multi = made
    clocksmith_curl_multi_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
    clocksmith_curl_multi_number(multi, CURLMOPT_MAXCONNECTS, 1)
    timer = try loop.after(.zero) { [unowned self] in act(CURL_SOCKET_TIMEOUT, 0) }
    timer?.rests()
    clocksmith_curl_multi_listen(
      multi,
      { _, socket, what, context, _ in
        CurlMulti.from(context).watch(socket, what)
        return 0
      },
      { _, milliseconds, context in
        CurlMulti.from(context).setTimer(milliseconds)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// All handles must have been removed.
  deinit {
    clocksmith_curl_multi_listen(multi, nil, nil, nil)
    curl_multi_cleanup(multi)
  }

  /// curl_global_init(3), once.
  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  private static func from(_ context: UnsafeMutableRawPointer?) -> CurlMulti {
    Unmanaged<CurlMulti>.fromOpaque(context!).takeUnretainedValue()
  }

  func add(_ easy: UnsafeMutableRawPointer) throws(Fault) {
    let code = curl_multi_add_handle(multi, easy)
    guard code == CURLM_OK else {
      throw Fault("cannot send a request", String(cString: curl_multi_strerror(code)))
    }
  }

  func remove(_ easy: UnsafeMutableRawPointer) { curl_multi_remove_handle(multi, easy) }

  /// Watches nothing more, for somebody else uses the connection from now on.
  func rest() {
    for (source, _) in sockets.values { source.rests() }
    sockets = [:]
    timer?.rests()
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
    var hasFinished = false
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
        continue
      }
      hasFinished = true
      finished(easy, message.pointee.data.result)
    }
    if hasFinished { settled() }
  }
}
