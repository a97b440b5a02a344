import CSystemd
import Devices
import Horology

/// Tells systemd how the service is, by sd_notify(3); without systemd, nobody.
final class Notifier {
  /// The status that it knows of. Each message waits until it has been taken in.
  private var told = ""

  private static let longestWatchdog: UInt64 = 86_400_000_000

  /// How often systemd wants to hear that it lives, at most a day; nil if it does not.
  static var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return .microseconds(Int64(min(microseconds, longestWatchdog)))
  }

  func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

  func status(_ status: String) {
    guard status != told else { return }
    told = status
    send("STATUS=\(status)")
  }

  func isAlive() { send("WATCHDOG=1") }
  func stopping() { send("STOPPING=1") }

  /// Stopping may take so much longer, whatever the unit's `TimeoutStopSec`.
  func needs(_ span: Duration) {
    send("EXTEND_TIMEOUT_USEC=\(max(span.nanoseconds / 1000, 0))")
  }

  func reloading() {
    // systemd 253 and later want to know when, so that no older message is taken for this one.
    send("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.uptime.nanoseconds / 1000)")
  }

  private func send(_ state: String) {
    sd_notify(0, state)
  }
}
