import CLinux
@preconcurrency import Glibc
import Horology
import Sound

/// The kernel's clocks.
public enum SystemClock {
  /// Reads `CLOCK_REALTIME` and `CLOCK_MONOTONIC` together.
  public static var now: Now {
    let (instant, nanoseconds) = reading(beside: CLOCK_MONOTONIC)
    return Now(instant: instant, uptime: Uptime(nanoseconds: nanoseconds))
  }

  /// Reads `CLOCK_MONOTONIC`.
  public static var uptime: Uptime { Uptime(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }

  private static func reading(beside clock: clockid_t) -> (Instant, nanoseconds: Int64) {
    // The other clock is read before and after, so that the middle is of the same moment.
    let before = nanoseconds(of: clock)
    let instant = nanoseconds(of: CLOCK_REALTIME)
    let after = nanoseconds(of: clock)
    return (Instant(nanoseconds: instant), before + (after - before) / 2)
  }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Reads `CLOCK_REALTIME` and `CLOCK_BOOTTIME` together.
  public static var moment: Moment {
    let (instant, nanoseconds) = reading(beside: CLOCK_BOOTTIME)
    return Moment(instant: instant, sinceBoot: .nanoseconds(nanoseconds))
  }

  /// Reads what the kernel and systemd-timesyncd say of the clock: `adjtimex(2)` without a change,
  /// and the file that timesyncd touches.
  public static var kernel: KernelClock {
    var state = timex()
    let isTold = adjtimex(&state) >= 0
    return KernelClock(
      maximumError: isTold ? .microseconds(Int64(state.maxerror)) : KernelClock.unbounded,
      timesyncd: modification(of: "/run/systemd/timesync/synchronized"))
  }

  private static func modification(of path: String) -> Instant? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let time = status.st_mtim
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
