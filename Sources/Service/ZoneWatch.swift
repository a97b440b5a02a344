import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology

/// Reads the zone anew when the file of the system's zone is replaced.
final class ZoneWatch {
  private let loop: EventLoop
  private let journal: Journal
  private let path: String
  private let patience: Duration
  private let read: () throws(Fault) -> any Zone
  private let changed: (any Zone) -> Void
  private var source: EventSource?
  private var timer: EventSource?

  /// How long after its last change the file is read: a program may still be writing it.
  private static let pause = Duration.milliseconds(500)

  /// - Parameters:
  ///   - patience: how long the file may be missing before its zone is given up. Some programs move
  ///     it away before they write the new one.
  ///   - read: reads the zone; it may be one for a missing file.
  init(
    loop: EventLoop, journal: Journal, path: String = SystemZone.localtime,
    patience: Duration = .seconds(10),
    read: @escaping () throws(Fault) -> any Zone = { () throws(Fault) -> any Zone in
      try SystemZone.current()
    },
    changed: @escaping (any Zone) -> Void
  ) throws(Fault) {
    self.loop = loop
    self.journal = journal
    self.path = path
    self.patience = patience
    self.read = read
    self.changed = changed
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
      readZone()
    }
  }

  private func readZone() {
    do throws(Fault) {
      let zone = try read()
      let why = isThere ? "" : "; \(path) is not there"
      journal.log(.zone, .notice, "the zone is \(zone.name)\(why)", ["ZONE": zone.name])
      changed(zone)
    } catch {
      journal.log(.zoneFailed, .warning, error.description)
    }
  }
}
