import Basics
import CLinux
import Daemon

/// Holds the saved state and writes it to its file. If that fails, each `check()` tries again; the
/// journal is told once.
final class Memory {
  /// How long after an urgent change the file is written, if no `check()` comes first. Many changes
  /// in a row, as of a volume that is turned, are one write.
  private static let delay = Duration.seconds(1)

  private let loop: EventLoop
  private let file: StateFile?
  private let journal: Journal
  /// True while the loop must not be held up by a disk.
  var isBusy: () -> Bool = { false }
  private(set) var state = SavedState()
  /// What of the state is not in the file yet.
  private var unsaved = Unsaved.nothing
  /// The file has it, though perhaps not the disk.
  private var isWritten = true
  private var timer: EventSource?
  private var complaint: String?

  private enum Unsaved {
    case nothing
    /// It is written with the next urgent change, or at the end.
    case thatCanWait
    case urgent
  }

  /// - Parameter file: nil to forget everything at the end.
  init(loop: EventLoop, file: StateFile?, journal: Journal) {
    self.loop = loop
    self.file = file
    self.journal = journal
    guard let file else { return }
    let (state, complaint) = file.load()
    self.state = state
    if let complaint { journal.log(.stateSetAside, .warning, complaint) }
  }

  /// Changes the state. An urgent change is saved soon, any other with the next save.
  func keep(_ change: (inout SavedState) -> Void) {
    let old = state
    change(&state)
    guard state != old else { return }
    isWritten = false
    if state.isUrgent(after: old) {
      unsaved = .urgent
      saveSoon()
    } else if unsaved == .nothing {
      unsaved = .thatCanWait
    }
  }

  /// Saves an urgent change that is not saved yet, unless a disk would hold up the loop.
  func check() {
    if unsaved == .urgent, !isBusy() { save() }
  }

  /// Writes an urgent change into the file without waiting for the disk; it is saved later.
  func write() {
    guard unsaved == .urgent, !isWritten, let file else { return }
    isWritten = true
    // If it cannot be written, `save` comes to the same, and tells of it.
    try? file.save(state, isSynced: false)
  }

  /// Saves at once all that is not saved yet.
  func save() {
    timer = nil
    guard unsaved != .nothing, let file else { return }
    do throws(Fault) {
      try file.save(state)
      // The text of a thousand timers is a third of all that this program holds.
      malloc_trim(0)
      unsaved = .nothing
      if complaint != nil {
        journal.log(.state, .notice, "what was set at run time is saved again")
      }
      complaint = nil
    } catch {
      if complaint == nil {
        journal.log(
          .stateFailed, .warning, "\(error); what was set at run time will be lost at the end")
      }
      complaint = error.description
    }
  }

  private func saveSoon() {
    guard timer == nil, file != nil else { return }
    timer = try? loop.after(Self.delay, accuracy: .milliseconds(100)) { [unowned self] in
      timer = nil
      check()
    }
  }
}
