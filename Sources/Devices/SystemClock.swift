import Basics
import CLinux
import CSystemd
@preconcurrency import Glibc
import Horology

public enum SystemClock {
  /// Reads `CLOCK_REALTIME`, `CLOCK_MONOTONIC` and `CLOCK_BOOTTIME` at the same moment: the middle of
  /// the readings.
  public static var now: Now {
    while true {
      let before = nanoseconds(of: CLOCK_BOOTTIME)
      let uptime = nanoseconds(of: CLOCK_MONOTONIC)
      let instant = nanoseconds(of: CLOCK_REALTIME)
      let uptimeAfter = nanoseconds(of: CLOCK_MONOTONIC)
      let after = nanoseconds(of: CLOCK_BOOTTIME)
      // A sleep between two of the readings would look like a clock that was set.
      guard after - before < longestReading else { continue }
      return Now(
        instant: Instant(nanoseconds: instant),
        uptime: Uptime(nanoseconds: uptime + (uptimeAfter - uptime) / 2),
        sinceBoot: .nanoseconds(before + (after - before) / 2))
    }
  }

  /// In nanoseconds: longer than four readings take, even if other work comes between them.
  private static let longestReading: Int64 = 20_000_000

  /// Reads `CLOCK_BOOTTIME`: since the machine started, sleep included.
  public static var sinceBoot: Duration { .nanoseconds(nanoseconds(of: CLOCK_BOOTTIME)) }

  /// Reads `CLOCK_MONOTONIC`.
  public static var uptime: Uptime { Uptime(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }

  /// The ID of the boot from which `CLOCK_BOOTTIME` counts, from `sd_id128_get_boot(3)`.
  public static let boot: String? = {
    var id = sd_id128_t()
    guard sd_id128_get_boot(&id) >= 0 else { return nil }
    return withUnsafeBytes(of: id, \.hexadecimal)
  }()

  /// What the kernel (`adjtimex(2)`) and systemd-timesyncd, by the file that it touches, say of the
  /// clock.
  public static var kernel: KernelClock {
    var state = timex()
    let isTold = adjtimex(&state) >= 0
    return KernelClock(
      // A sandbox may forbid the question. Then nothing is known.
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
