import Basics
import Daemon
import Devices
@preconcurrency import Glibc

/// Watches the file of the system's zone.
final class ZoneWatch {
  private let loop: EventLoop
  private let path: String
  private let patience: Duration
  private let replaced: (_ why: String) -> Void
  private var source: EventSource?
  private var timer: EventSource?

  /// How long after its last change the file is read: a program may still be writing it.
  private static let pause = Duration.milliseconds(500)

  /// - Parameters:
  ///   - patience: how long the file may be missing before its zone is given up. Some programs move
  ///     it away before they write the new one.
  ///   - replaced: called when another zone is to be read, with the end of a sentence: why.
  init(
    loop: EventLoop, path: String = SystemZone.localtime, patience: Duration = .seconds(10),
    replaced: @escaping (_ why: String) -> Void
  ) throws(Fault) {
    self.loop = loop
    self.path = path
    self.patience = patience
    self.replaced = replaced
    source = try loop.whenReplaced(path) { [unowned self] in readLater() }
  }

  private var isThere: Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private func readLater() {
    let wait = isThere ? Self.pause : patience
    timer = try? loop.after(wait, accuracy: .milliseconds(100)) { [unowned self] in
      timer = nil
      replaced(isThere ? "" : "; \(path) is not there")
    }
  }
}
