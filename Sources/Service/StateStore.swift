import Basics
import CLinux
import Daemon
@preconcurrency import Glibc

/// Keeps the state, and saves it in a file, which is replaced as a whole. Once it is synced, a power
/// cut leaves the old state or the new one.
final class StateStore {
  private(set) var state = SavedState()
  /// As `Status.stateError` and `Status.stateLoss`.
  private(set) var trouble = ""
  private(set) var loss = ""
  /// True if a change may be synced to the disk now. It is written into the file in any case, which
  /// outlasts this program.
  var maySync: () -> Bool = { true }

  private let loop: EventLoop
  private let journal: Journal
  /// Nil to forget everything at the end.
  private let folder: String?
  private var hasChanged = false
  private var outage = Outage()
  private var timer: EventSource?
  /// What is written and perhaps not on the disk, by the name of the file.
  private var unsynced: [String: String] = [:]

  /// How long after a change it is saved. Many changes in a row are one write.
  private static let delay = Duration.seconds(1)
  /// More than a thousand timers and two hundred alarms with the longest names and paths.
  private static let mostBytes = 1 << 21
  private static let file = "state.json"

  private func path(of name: String) -> String { "\(folder ?? "")/\(name)" }

  /// Reads the state. Without a file, nothing has been set.
  init(_ folder: String?, loop: EventLoop, journal: Journal) {
    (self.folder, self.loop, self.journal) = (folder, loop, journal)
    guard folder != nil else {
      trouble = Status.hasNoStateFolder
      return
    }
    load()
    if access(path(of: ""), W_OK | X_OK) == -1 {
      trouble = withRemedy(Fault("cannot write in \(folder ?? "")", errno: errno))
    }
  }

  // MARK: Reading

  /// A file that cannot be used is renamed: a person may want it back.
  private func load() {
    let path = path(of: Self.file)
    do throws(Fault) {
      let text = try readRegularFile(path, largest: Self.mostBytes)
      state = try SavedState(text: String(decoding: text, as: UTF8.self), path: path)
      guard state.lost > 0 else { return }
      let aside = placeAside(of: path)
      try? writeBytes(text, to: aside, isSynced: false)
      let flaw =
        "\(path): \(state.lost) of its entries cannot be used, and are left out; a copy is \(aside)"
      journal.log(.stateSetAside, .warning, flaw)
      loss = "at the start: \(flaw)"
    } catch {
      // A folder that is missing, or no folder, has no file either. The first save tells of it.
      if error.code == ENOENT || error.code == ENOTDIR { return }
      let aside = (try? setAside(path)).map { "; it is now \($0)" } ?? ""
      let flaw = "\(error)\(aside); nothing is muted, and no timer, interval or alarm is kept"
      journal.log(.stateSetAside, .warning, flaw)
      loss = "at the start: \(flaw)"
    }
  }

  // MARK: Saving

  func keep(_ change: (inout SavedState) -> Void) {
    let old = state
    change(&state)
    guard state != old else { return }
    hasChanged = true
    if outage.isLost { timer = nil }
    saveSoon(after: Self.delay)
  }

  /// Saves what has changed, as far as that may be now.
  func save() {
    if hasChanged { writeFiles() }
    syncFiles()
  }

  /// Replaces `settings.conf`. It is safe from a power cut at once or, while something sounds, later.
  /// - Parameter wasUnread: the old file could not be read, so a copy of it stays.
  /// - Returns: why it cannot be saved, and what to do about it; nil if it is saved.
  func write(settings text: String, wasUnread: Bool) -> String? {
    guard folder != nil else { return Status.hasNoStateFolder }
    let old = path(of: Configuration.settingsFile)
    if wasUnread, let bytes = try? readRegularFile(old) {
      try? writeBytes(bytes, to: placeAside(of: old), isSynced: false, mode: 0o644)
    }
    do throws(Fault) {
      try write(text, to: Configuration.settingsFile)
      return nil
    } catch {
      return withRemedy(error)
    }
  }

  private func write(_ text: String, to name: String) throws(Fault) {
    let isSynced = maySync()
    let mode: mode_t? = name == Configuration.settingsFile ? 0o644 : nil
    try writeText(text, to: path(of: name), isSynced: isSynced, mode: mode)
    unsynced[name] = isSynced ? nil : text
  }

  private func syncFiles() {
    guard let folder, !unsynced.isEmpty, !hasChanged, maySync() else { return }
    do throws(Fault) {
      for name in unsynced.keys { try syncToDisk(path(of: name)) }
      try syncToDisk(folder)
      unsynced = [:]
    } catch {
      // The disk says once that it could not keep what was written, so all of it is written again.
      hasChanged = true
      writeFiles()
    }
  }

  /// Writes the state, and the settings that may not be on the disk.
  private func writeFiles() {
    guard folder != nil else { return }
    timer = nil
    do throws(Fault) {
      let settings = Configuration.settingsFile
      if let text = unsynced[settings] { try write(text, to: settings) }
      try write(state.text, to: Self.file)
      // The text of a thousand timers leaves a megabyte of free memory behind.
      if maySync() { malloc_trim(0) }
      hasChanged = false
      trouble = ""
      if outage.ends() {
        journal.log(.state, .notice, "what was set at run time is saved again")
      }
    } catch {
      if outage.begins() {
        journal.log(
          .stateFailed, .warning, "\(error); what was set at run time will be lost at the end")
      }
      trouble = withRemedy(error)
      saveSoon(after: outage.nextWait())
    }
  }

  private func saveSoon(after delay: Duration) {
    guard timer == nil, folder != nil else { return }
    timer = try? loop.after(delay, accuracy: .milliseconds(100)) { [unowned self] in
      timer = nil
      save()
    }
  }

  private func withRemedy(_ fault: Fault) -> String {
    let folder = folder ?? ""
    let remedy =
      switch fault.code {
      case ENOSPC, EDQUOT: "make room on the disk of \(folder)"
      case EROFS: "mount the disk of \(folder) for writing; if it fails, replace the card"
      default: "make the folder \(folder), and let the service write in it"
      }
    return "\(fault); \(remedy)"
  }
}
