import Basics
import Daemon
@preconcurrency import Glibc

/// The file of the saved state. It is replaced as a whole, so that it is never half written.
final class StateFile {
  let path: String
  private let folder: String
  /// True while a file that could not be used still has the name of the state.
  private(set) var isBlocked = false
  /// The folder, open and locked; -1 if it is not.
  private var lock: Int32 = -1

  /// No state is this large, even with a thousand timers and a hundred alarms with the longest
  /// names and paths. A larger file is refused.
  private static let mostBytes = 1 << 21
  /// How often, and for how long each time, it waits for the lock of another clock: 2 s in all.
  private static let mostLockWaits = 40
  private static let lockWaitMicroseconds: UInt32 = 50_000

  init(path: String) {
    self.path = path
    folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  deinit { if lock >= 0 { close(lock) } }

  /// Keeps other clocks out of the folder until the end: each would write over what the other
  /// keeps. A folder that cannot be opened is left to `obstacle`.
  ///
  /// A clock that was killed has its lock until the kernel has removed its process. So it tries
  /// again for two seconds.
  /// - Throws: `Fault` if another clock has the folder.
  func keepToItself() throws(Fault) {
    lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { return }
    for _ in 0..<Self.mostLockWaits where !takesLock() { usleep(Self.lockWaitMicroseconds) }
    guard !takesLock() else { return }
    throw Fault(
      "cannot save in \(folder)",
      "another clocksmith saves there; stop that one, or set STATE_DIRECTORY to another folder")
  }

  /// - Returns: false if another clock has the lock.
  private func takesLock() -> Bool {
    flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  /// In the folder that systemd has made for the service (`StateDirectory=`); nil without it.
  static var ofService: StateFile? {
    stateFolder.map { StateFile(path: "\($0)/state.json") }
  }

  /// Reads the state. Without a file, nothing has been set.
  ///
  /// A file that cannot be read or understood is renamed, so that the service can always start.
  /// - Returns: the state; what was wrong with the file, and what is lost with it; and why it could
  ///   not be renamed, with what to do about it.
  func load() -> (SavedState, complaint: String?, blockade: String?) {
    removeUnfinished()
    let fault: Fault
    do throws(Fault) {
      guard let text = try read() else { return (SavedState(), nil, nil) }
      return (try SavedState(text: text, path: path), nil, nil)
    } catch {
      fault = error
    }
    isBlocked = true
    let lost =
      "nothing is muted, no timer, interval or alarm that was set is kept, and the volume is as "
      + "configured"
    do throws(Fault) {
      let aside = try setAside().map { "; it is now \($0)" } ?? ""
      return (SavedState(), "\(fault)\(aside); \(lost)", nil)
    } catch {
      return (SavedState(), "\(fault); \(lost)", withRemedy(error))
    }
  }

  /// Why nothing can be saved, as far as the folder shows it, and what to do; nil if it can.
  var obstacle: String? {
    // With the dot, a file in place of the folder is told as such.
    guard access("\(folder)/.", W_OK | X_OK) != 0 else { return nil }
    return withRemedy(Fault("cannot write in \(folder)", errno: errno))
  }

  /// A fault for which nothing can be saved, and what to do about it.
  func withRemedy(_ fault: Fault) -> String {
    "\(fault); \(remedy(of: fault.code))"
  }

  /// - Parameter code: an `errno`; 0 if there is none.
  private func remedy(of code: Int32) -> String {
    switch code {
    case ENOENT: "make the folder \(folder), and let the service write in it"
    case ENOTDIR: "move the file of that name away, and make the folder \(folder)"
    case ENOSPC, EDQUOT: "make room on the disk of \(folder)"
    case EROFS: "mount the disk of \(folder) so that it can be written"
    case EIO: "see 'journalctl -k': the disk of \(folder) may be broken"
    default:
      isBlocked
        ? "move it away, and let the service write in \(folder)"
        : "let the service write in \(folder)"
    }
  }

  /// Renames a file that could not be used, if that was not possible when it was read. A person may
  /// want it back.
  /// - Returns: its new path; nil if there is no such file.
  /// - Throws: `Fault` if it cannot be renamed. Then nothing may be saved.
  func setAside() throws(Fault) -> String? {
    guard isBlocked else { return nil }
    let aside = try Basics.setAside(path)
    isBlocked = false
    return aside
  }

  /// Replaces the file. Call `setAside()` first.
  /// - Parameter isSynced: wait until the state is on the disk.
  /// - Throws: `Fault` if it cannot be written, or if a file that could not be used would be lost.
  func save(_ state: SavedState, isSynced: Bool = true) throws(Fault) {
    guard !isBlocked else {
      throw Fault("cannot write \(path)", "a state that could not be used still has that name")
    }
    try writeText(state.text, to: path, isSynced: isSynced)
  }

  /// Removes what `writeText` has left behind if it was killed in the middle. A process that still
  /// runs may be writing: another clocksmith may use the same folder.
  private func removeUnfinished() {
    let (start, end) = (path.split(separator: "/").last.map { "\($0)." } ?? "", ".text.part")
    for name in names(inFolder: folder) where name.hasPrefix(start) && name.hasSuffix(end) {
      guard let process = pid_t(name.dropFirst(start.count).dropLast(end.count)),
        !Self.isAnother(process)
      else { continue }
      unlink("\(folder)/\(name)")
    }
  }

  /// True if this process runs, and is not this one, which has written nothing yet.
  private static func isAnother(_ process: pid_t) -> Bool {
    process > 0 && process != getpid() && (kill(process, 0) == 0 || errno == EPERM)
  }

  private func read() throws(Fault) -> String? {
    do throws(Fault) {
      return String(
        decoding: try readRegularFile(path, largest: Self.mostBytes), as: UTF8.self)
    } catch {
      // A folder that is missing, or no folder, has no file either: `obstacle` tells of it.
      if error.code == ENOENT || error.code == ENOTDIR { return nil }
      throw error
    }
  }
}
