@preconcurrency import Glibc
import Horology

extension Instant {
  /// Reads `CLOCK_REALTIME`, to the microsecond, as the register has it.
  public static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
