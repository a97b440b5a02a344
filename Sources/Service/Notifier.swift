import CSystemd
import Devices
@preconcurrency import Glibc
import Horology

/// Tells systemd how the service is, in the words of sd_notify(3) but without waiting until they are
/// taken; without systemd, nobody.
final class Notifier {
  private let socket: DatagramSocket?
  /// The status that it knows of.
  private var told = ""
  /// What was not taken, and is sent before anything else: a start that systemd does not hear of
  /// is undone.
  private var unsent: [String] = []
  /// Of a manager that reads nothing for so long, only the latest counts.
  private static let mostUnsent = 16

  /// - Parameter path: of the manager's socket; nil if there is no manager.
  init(path: String? = getenv("NOTIFY_SOCKET").map { String(cString: $0) }) {
    socket = path.flatMap { DatagramSocket(path: $0) }
  }

  private static let longestWatchdog: UInt64 = 86_400_000_000

  /// How often systemd wants to hear that it lives, at most a day; nil if it does not.
  static var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return .microseconds(Int64(min(microseconds, longestWatchdog)))
  }

  func ready(_ status: String) { sendForSure("READY=1\nSTATUS=\(status)") }

  func status(_ status: String) {
    guard status != told else { return }
    if send("STATUS=\(status)") { told = status }
  }

  func isAlive() { _ = send("WATCHDOG=1") }
  func stopping() { sendForSure("STOPPING=1") }

  /// Stopping may take so much longer, whatever the unit's `TimeoutStopSec`.
  func needs(_ span: Duration) {
    sendForSure("EXTEND_TIMEOUT_USEC=\(max(span.nanoseconds / 1000, 0))")
  }

  func reloading() {
    // systemd 253 and later want to know when, so that no older message is taken for this one.
    sendForSure("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.uptime.nanoseconds / 1000)")
  }

  private func sendForSure(_ state: String) {
    if !send(state) { unsent = (unsent + [state]).suffix(Self.mostUnsent) }
  }

  /// - Returns: false if it was not taken.
  private func send(_ state: String) -> Bool {
    guard let socket else { return true }
    while let first = unsent.first {
      guard socket.send(Array(first.utf8)) else { return false }
      unsent.removeFirst()
    }
    return socket.send(Array(state.utf8))
  }
}
