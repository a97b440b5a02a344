import Basics
import Daemon
@preconcurrency import Glibc

extension EventLoop {
  /// Calls `handler` at Ctrl-C and Ctrl-\, when the terminal goes away, and at SIGTERM.
  func whenAskedToEnd(_ handler: @escaping () -> Void) throws(Fault) -> [EventSource] {
    var sources: [EventSource] = []
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] {
      sources.append(try whenSignalled(signal, handler))
    }
    return sources
  }
}
