import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology

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
  /// Runs until the file is read once more.
  private var again: EventSource?

  /// How long after a reading that may have met a program at its writing the file is read again.
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
    source = try loop.whenReplaced(path) { [unowned self] in readIfThere() }
  }

  private func readIfThere() {
    again = nil
    if isThere {
      missing = nil
      readZone(isSecond: false)
    } else {
      waitForIt()
    }
  }

  private func waitForIt() {
    guard missing == nil else { return }
    missing = try? loop.after(patience, accuracy: .seconds(1)) { [unowned self] in
      missing = nil
      readZone(isSecond: true)
    }
  }

  /// - Parameter isSecond: false if a failure may only mean that the file is half written. Then it
  ///   is read a second time before the journal is told.
  private func readZone(isSecond: Bool) {
    let before = stamp
    do throws(Fault) {
      let zone = try read()
      // If the file was replaced meanwhile, it may be the zone of neither file.
      guard stamp == before else { return readAgain() }
      let why = isThere ? "" : "; \(path) is not there"
      journal.log(.zone, .notice, "the zone is \(zone.name)\(why)", ["ZONE": zone.name])
      changed(zone)
    } catch {
      guard isSecond, stamp == before else { return readAgain() }
      journal.log(.zoneFailed, .warning, error.description)
    }
  }

  private func readAgain() {
    again = try? loop.after(Self.pause, accuracy: .milliseconds(100)) { [unowned self] in
      again = nil
      if isThere { readZone(isSecond: true) } else { waitForIt() }
    }
  }

  private var isThere: Bool { !stamp.isEmpty }

  /// Changes whenever the link, or the file that it leads to, is replaced or written. Empty if there
  /// is neither.
  private var stamp: [Int64] {
    var status = stat()
    guard lstat(path, &status) == 0 else { return [] }
    let link = Self.numbers(status)
    return link + (stat(path, &status) == 0 ? Self.numbers(status) : [])
  }

  private static func numbers(_ status: stat) -> [Int64] {
    [
      Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
      Int64(status.st_size), Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
    ]
  }
}
