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

  /// - Parameter body: is given another object after the register was opened again. It keeps no strong
  ///   reference to it.
  func use<Result>(_ body: (Register) throws(Fault) -> Result) throws(Fault) -> Result {
    do throws(Fault) {
      return try body(try opened())
    } catch {
      // The next opening checks it, and sets it aside if it is broken.
      if error.isOfBrokenDatabase { register = nil }
      throw error
    }
  }

  private func opened() throws(Fault) -> Register {
    if let register {
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
