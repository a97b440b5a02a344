import Basics
import CSystemd
@preconcurrency import Glibc

/// Tells systemd the state of the service, in the words of sd_notify(3), but without waiting until
/// they are taken. Without systemd it does nothing.
public final class Notifier {
  private let socket: DatagramSocket?
  /// The last status that systemd was told.
  private var told = ""

  public init() {
    socket = getenv("NOTIFY_SOCKET").flatMap { DatagramSocket(path: String(cString: $0)) }
  }

  /// How often systemd wants a sign of life; nil if it wants none.
  public static var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  public func ready(_ status: String) {
    told = status
    send("READY=1\nSTATUS=\(status)")
  }

  public func status(_ status: String) {
    guard status != told else { return }
    told = status
    send("STATUS=\(status)")
  }

  public func isAlive() { send("WATCHDOG=1") }
  public func stopping() { send("STOPPING=1") }

  /// Stopping may take `span` longer, whatever the unit's `TimeoutStopSec`.
  public func needs(_ span: Duration) {
    send("EXTEND_TIMEOUT_USEC=\(span.microseconds)")
  }

  public func reloading() {
    // systemd 253 and later want to know when, so that no older message is taken for this one.
    send("RELOADING=1\nMONOTONIC_USEC=\(uptime.microseconds)")
  }

  /// systemd has room for hundreds of messages.
  private func send(_ state: String) { _ = socket?.send(Array(state.utf8)) }
}

/// How long the machine has run, sleep not included: `CLOCK_MONOTONIC`. It is never set.
public var uptime: Duration {
  .nanoseconds(nanoseconds(of: CLOCK_MONOTONIC))
}

extension Duration {
  /// In microseconds, rounded down, as systemd takes spans; 0 if it is negative.
  public var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(max(seconds * 1_000_000 + attoseconds / 1_000_000_000_000, 0))
  }
}
