import Devices
import Horology

/// Shows systemd that the service is alive, at half of the interval that it allows, and only while
/// it is.
final class Pulse {
  private let loop: EventLoop
  private let journal: Journal
  private let notifier: Notifier
  private let look: () -> Vitals
  private var timer: EventSource?
  private var isAiling = false

  /// - Parameter look: looks after what there is, and reads what shows that the service is alive.
  init(
    loop: EventLoop, journal: Journal, notifier: Notifier, look: @escaping () -> Vitals
  ) {
    self.loop = loop
    self.journal = journal
    self.notifier = notifier
    self.look = look
    beat()
  }

  private func beat() {
    let vitals = look()
    if let ailment = vitals.ailment(at: SystemClock.now) {
      if !isAiling { journal.log(ailment.entry) }
      isAiling = true
    } else {
      if isAiling { journal.log(.well, .notice, "the service is well again") }
      isAiling = false
      notifier.isAlive()
    }
    guard let interval = Notifier.watchdogInterval else { return }
    // With leave to come a little early or late, and after all else that is due: the loop turns.
    timer = try? loop.after(interval / 2, accuracy: interval / 20) { [unowned self] in beat() }
    timer?.isServedLast()
  }
}
