import Basics
import Daemon
import Devices
import Horology

/// Looks after the service once a minute, or more often if systemd wants to hear from it more often;
/// and shows systemd that it is alive, only while it is.
final class Pulse {
  /// How often it is looked after where nobody wants to hear from it; by then a bus, or a disk,
  /// that has come back is found.
  private static let longestInterval = Duration.seconds(60)

  private let loop: EventLoop
  private let journal: Journal
  private let notifier: Notifier
  private let look: () -> Vitals
  private let interval: Duration
  private var timer: EventSource?
  private let isWatched: Bool
  private var isAiling = false

  /// - Parameter look: looks after what there is, and reads what shows that the service is alive.
  /// - Parameter allowed: after how long without a sign of life systemd restarts it; nil if never.
  init(
    loop: EventLoop, journal: Journal, notifier: Notifier,
    allowed: Duration? = Notifier.watchdogInterval, look: @escaping () -> Vitals
  ) {
    self.loop = loop
    self.journal = journal
    self.notifier = notifier
    self.look = look
    isWatched = allowed != nil
    interval = Self.interval(allowed: allowed)
    beat()
  }

  /// Half of what is allowed, as sd_watchdog_enabled(3) recommends.
  static func interval(allowed: Duration?) -> Duration {
    min(allowed.map { $0 / 2 } ?? longestInterval, longestInterval)
  }

  private func beat() {
    let vitals = look()
    if let ailment = vitals.ailment(at: SystemClock.now) {
      if !isAiling { journal.log(ailment.notice(isWatched: isWatched)) }
      isAiling = true
    } else {
      if isAiling { journal.log(.well, .notice, "the service is well again") }
      isAiling = false
      notifier.isAlive()
    }
    // With leave to come a little late, and after all else that is due: the loop turns.
    timer = try? loop.after(interval, accuracy: interval / 10) { [unowned self] in beat() }
    timer?.isServedLast()
  }
}
