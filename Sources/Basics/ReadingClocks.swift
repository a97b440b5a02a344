@preconcurrency import Glibc

/// Reads a clock of the machine by `clock_gettime(2)`, as in `CLOCK_MONOTONIC`.
public func nanoseconds(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
