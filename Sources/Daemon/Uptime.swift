@preconcurrency import Glibc

/// How long the machine has run, sleep not included: `CLOCK_MONOTONIC`. It is never set.
public var uptime: Duration {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

extension Duration {
  /// In microseconds, rounded down, as systemd takes spans; 0 if it is negative.
  public var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(max(seconds * 1_000_000 + attoseconds / 1_000_000_000_000, 0))
  }
}
