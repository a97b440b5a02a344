import Basics

/// The saved state, and the file that it is kept in. A file that cannot be written is tried again
/// at each `check()`, and complained of once.
final class Memory {
  /// How long after a change it is written, if no `check()` comes first: many changes, as of a
  /// volume that is turned, are written once.
  private static let delay = Duration.seconds(1)

  private let loop: EventLoop
  private let file: StateFile?
  private let journal: Journal
  /// True while the loop must not be held up by a disk.
  var isBusy: () -> Bool = { false }
  private(set) var state = SavedState()
  private var isSaved = true
  private var timer: EventSource?
  private var complaint: String?

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

  /// Changes the state; if it is another then, it is saved soon.
  func keep(_ change: (inout SavedState) -> Void) {
    let old = state
    change(&state)
    guard state != old else { return }
    isSaved = false
    saveSoon()
  }

  /// Saves what is not saved yet, unless a disk would hold up the loop.
  func check() {
    if !isBusy() { save() }
  }

  /// Saves at once what is not saved yet.
  func save() {
    timer = nil
    guard !isSaved, let file else { return }
    do throws(Fault) {
      try file.save(state)
      isSaved = true
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
