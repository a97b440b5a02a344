import Basics
import Daemon

/// The register of the running service. It is opened again after its file has gone or was broken.
final class OpenRegister {
  private let path = Register.path
  private let loop: EventLoop
  private let journal: Journal
  /// Called when another program may have changed the register.
  private let changed: () -> Void
  private var register: Register?
  private var watch: EventSource?

  init(_ loop: EventLoop, _ journal: Journal, changed: @escaping () -> Void) {
    self.loop = loop
    self.journal = journal
    self.changed = changed
  }

  /// - Returns: another object after the register was opened again. Keep no strong reference to it.
  func opened() throws(Fault) -> Register {
    if let register, !register.database.isBroken {
      if !register.database.hasMoved { return register }
      complain("the register \(path) has gone")
    }
    // An opening that fails changes the watched file, too.
    (register, watch) = (nil, nil)
    let opened = try Register.openedForService(path: path, complain: complain)
    // Watch before the first read, so that nothing is missed in between.
    watch = try? loop.whenReplaced("\(path)-wal", changed)
    register = opened
    return opened
  }

  private func complain(_ loss: String) {
    let complaint = "\(loss); \(Register.consequence)"
    journal.log(.register, .error, complaint, ["DETAIL": complaint])
  }
}
