import Basics
import CLinux
import Daemon

/// Holds the saved state and writes it to its file. After a failure it retries, less and less
/// often, and soon after the next urgent change; the failure is logged once.
final class Memory {
  /// How long after an urgent change the file is written, if no `check()` comes first. Many changes
  /// in a row, as when a person turns the volume, are one write.
  private static let delay = Duration.seconds(1)

  private static let longestRetry = Duration.seconds(60)

  private let loop: EventLoop
  private let file: StateFile?
  private let journal: Journal
  /// True while a disk must not hold up the loop.
  var isBusy: () -> Bool = { false }
  /// False while a short sounding plays. Then a failed write is retried after its end.
  var mayWriteWhileBusy: () -> Bool = { true }
  private(set) var state = SavedState()
  /// Which changes are not on the disk yet.
  private var unsaved = Unsaved.nothing
  /// The state is in the file, though perhaps not on the disk.
  private var isWritten = true
  private var timer: EventSource?
  private var complaint: Complaint?
  /// Why what is set at run time cannot be saved, and what to do about it; empty if it can.
  private(set) var trouble = ""
  /// What became of a saved state that could not be used at the start; empty if it could. It stays
  /// until the end: what was set before is not back, and the owner may want the file.
  private(set) var loss = ""
  private let firstRetry: Duration
  /// How long after the next failure to retry.
  private var retryDelay: Duration

  /// The operation that failed last.
  private enum Complaint {
    /// The file could not be written.
    case write
    /// It could not be saved to the disk. A later write to the file alone does not mend that.
    case save
  }

  private enum Unsaved {
    case nothing
    /// It is written with the next urgent change, or at the end.
    case thatCanWait
    case urgent
  }

  /// - Parameters:
  ///   - file: nil to forget everything at the end.
  ///   - firstRetry: how long after the first failure it is tried again.
  init(
    loop: EventLoop, file: StateFile?, journal: Journal, firstRetry: Duration = .seconds(1)
  ) {
    self.firstRetry = firstRetry
    retryDelay = firstRetry
    self.loop = loop
    self.file = file
    self.journal = journal
    guard let file else {
      trouble = Status.hasNoStateFolder
      return
    }
    let (state, complaint, blockade) = file.load()
    self.state = state
    if let complaint {
      let words = [complaint, blockade].compactMap { $0 }.joined(separator: "; ")
      journal.log(.stateSetAside, .warning, words)
      loss = "at the start: \(complaint)"
    }
    trouble = blockade ?? file.obstacle ?? ""
  }

  /// Logs, if nothing can be saved now, that nothing outlasts this program.
  func tellIfForgetful() {
    guard let why = file == nil ? Status.hasNoStateFolder : file?.obstacle else { return }
    journal.log(.stateNowhere, .notice, "what is set at run time will be lost at the end: \(why)")
  }

  /// Changes the state. An urgent change is saved soon, any other with the next save.
  func keep(_ change: (inout SavedState) -> Void) {
    let old = state
    change(&state)
    guard state != old else { return }
    isWritten = false
    if state.isUrgent(after: old) {
      unsaved = .urgent
      if complaint != nil { timer = nil }
      saveSoon(after: Self.delay)
    } else if unsaved == .nothing {
      unsaved = .thatCanWait
    }
  }

  /// Saves an urgent change that is not saved yet, unless the loop must not wait for a disk.
  func check() {
    if unsaved == .urgent, !isBusy() { save() }
    // A fault found at the start has no retry timer: look here whether the owner has mended it.
    if complaint == nil, !trouble.isEmpty, let file, file.obstacle == nil,
      (try? setAside(file)) != nil
    {
      noteSuccess()
    }
  }

  /// Writes an urgent change into the file without waiting for the disk; it is saved later.
  func write() {
    guard unsaved == .urgent, !isWritten, let file else { return }
    do throws(Fault) {
      try put(into: file, isSynced: false)
      isWritten = true
      if complaint != .save { noteSuccess() }
    } catch {
      noteFailure(error, complaint ?? .write)
    }
  }

  /// As `write()`, for every event. After a failure it leaves the retry to the timer.
  func writeInPassing() {
    if complaint == nil { write() }
  }

  /// Saves all unsaved changes at once.
  func save() {
    timer = nil
    guard unsaved != .nothing, let file else { return }
    do throws(Fault) {
      try put(into: file, isSynced: true)
      // Return the memory: the text of a thousand timers is a third of all that this program holds.
      malloc_trim(0)
      unsaved = .nothing
      isWritten = true
      noteSuccess()
    } catch {
      noteFailure(error, .save)
    }
  }

  private func put(into file: StateFile, isSynced: Bool) throws(Fault) {
    try setAside(file)
    try file.save(state, isSynced: isSynced)
  }

  private func setAside(_ file: StateFile) throws(Fault) {
    guard let aside = try file.setAside() else { return }
    journal.log(
      .stateSetAside, .notice, "the saved state that could not be used is now \(aside)")
    loss = "at the start the saved state could not be used; it is now \(aside)"
  }

  private func noteSuccess() {
    if complaint != nil || !trouble.isEmpty {
      journal.log(.state, .notice, "what was set at run time is saved again")
    }
    complaint = nil
    trouble = ""
    retryDelay = firstRetry
  }

  private func noteFailure(_ fault: Fault, _ failed: Complaint) {
    if complaint == nil {
      journal.log(
        .stateFailed, .warning, "\(fault); what was set at run time will be lost at the end")
    }
    complaint = failed
    if let file { trouble = file.withRemedy(fault) }
    timer = nil
    saveSoon(after: retryDelay)
    retryDelay = min(retryDelay * 2, Self.longestRetry)
  }

  private func saveSoon(after delay: Duration) {
    guard timer == nil, file != nil else { return }
    timer = try? loop.after(delay, accuracy: .milliseconds(100)) { [unowned self] in
      timer = nil
      check()
      // During a ring of hours the loop must not wait for the disk, but the file can still be
      // written.
      guard complaint != nil else { return }
      if mayWriteWhileBusy() { write() } else { saveSoon(after: retryDelay) }
    }
  }
}
