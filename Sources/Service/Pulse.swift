import Basics
import CLinux
import Daemon
import Devices
import Horology

/// Checks the service once a minute, or more often if the systemd watchdog wants that. Tells
/// systemd that the service is alive, but only while it is.
final class Pulse {
  /// The interval without a watchdog, and the longest with one. A bus or a disk that comes back is
  /// found within it.
  private static let longestInterval = Duration.seconds(60)

  private let loop: EventLoop
  private let journal: Journal
  private let notifier: Notifier
  private let readVitals: () -> Vitals
  private let interval: Duration
  private var timer: EventSource?
  private var outage = Outage()

  /// - Parameter readVitals: checks the parts of the service, and reads its vital signs.
  /// - Parameter allowed: after how long without a sign of life systemd restarts it; nil if never.
  init(
    loop: EventLoop, journal: Journal, notifier: Notifier,
    allowed: Duration? = Notifier.watchdogInterval, readVitals: @escaping () -> Vitals
  ) {
    self.loop = loop
    self.journal = journal
    self.notifier = notifier
    self.readVitals = readVitals
    interval = min(allowed.map { $0 / 2 } ?? Self.longestInterval, Self.longestInterval)
    beat()
  }

  private func beat() {
    let vitals = readVitals()
    if let ailment = vitals.ailment(at: SystemClock.now) {
      if outage.begins() { journal.log(ailment.notice) }
    } else {
      if outage.ends() { journal.log(.well, .notice, "the service is well again") }
      notifier.isAlive()
    }
    // Return the memory that sounds, answers and files have taken since the last beat, but not while
    // a speaker has to be fed.
    if vitals.lastTaken == nil { malloc_trim(0) }
    // A beat may come a little late. It is served after everything else that is due, so it shows
    // that the loop turns.
    timer = try? loop.after(interval, accuracy: interval / 10) { [unowned self] in beat() }
    timer?.isServedLast()
  }
}

extension Ailment {
  var notice: Notice {
    Notice(
      .ailing, .error, "not alive; restart it, unless systemd does: \(self)", ["REASON": rawValue])
  }
}
