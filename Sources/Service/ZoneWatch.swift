import Basics
import Daemon
import Devices

/// Watches which zone the system has.
final class ZoneWatch {
  private let loop: EventLoop
  private let changed: () -> Void
  private var watch: EventSource?
  private var settling: EventSource?

  init(_ loop: EventLoop, changed: @escaping () -> Void) {
    (self.loop, self.changed) = (loop, changed)
  }

  /// - Parameter zone: as configured. With one, or with TZ set, that of the system does not apply.
  func watch(besides zone: String?) throws(Fault) {
    guard zone == nil, SystemZone.variable == nil else {
      (watch, settling) = (nil, nil)
      return
    }
    guard watch == nil else { return }
    watch = try loop.whenReplaced(SystemZone.localtime) { [unowned self] in
      // A program may still be writing it, or have moved it away first.
      settling = try? loop.after(.seconds(2), accuracy: .milliseconds(100), changed)
    }
  }
}
