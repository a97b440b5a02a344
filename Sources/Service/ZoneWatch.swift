import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology

/// Tells of each new zone of the system.
final class ZoneWatch {
  private let loop: EventLoop
  private let journal: Journal
  private let path: String
  private let patience: Duration
  private let read: () throws(Fault) -> any Zone
  private let changed: (any Zone) -> Void
  private var source: EventSource?
  /// Runs while the file is missing.
  private var missing: EventSource?

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
    source = try loop.whenReplaced(path) { [unowned self] in look() }
  }

  private func look() {
    if isThere {
      missing = nil
      take()
    } else if missing == nil {
      missing = try? loop.after(patience, accuracy: .seconds(1)) { [unowned self] in
        missing = nil
        take()
      }
    }
  }

  private func take() {
    do throws(Fault) {
      let zone = try read()
      let why = isThere ? "" : "; \(path) is not there"
      journal.log(.zone, .notice, "the zone is \(zone.name)\(why)", ["ZONE": zone.name])
      changed(zone)
    } catch {
      // The file may be half written. The rest of it is an event of its own.
      journal.log(.zoneFailed, .warning, error.description)
    }
  }

  private var isThere: Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
