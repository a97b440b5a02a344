import Basics
import CLinux
import Daemon
@preconcurrency import Glibc
import Horology

/// Fires at an instant of the system clock, and also when that clock is set: a `timerfd` on
/// `CLOCK_REALTIME` with `TFD_TIMER_CANCEL_ON_SET`.
final class CalendarTimer {
  private let descriptor: Int32
  private var source: EventSource?

  private(set) var armedFor: Instant?

  init(loop: EventLoop, _ handler: @escaping () -> Void) throws(Fault) {
    descriptor = try retryingInterrupts("cannot make a timer") {
      timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    }
    source = try loop.whenReady(descriptor, events: EPOLLIN.rawValue) { [unowned self] in
      var expirations: UInt64 = 0
      let count = read(descriptor, &expirations, MemoryLayout.size(ofValue: expirations))
      if count < 0 && errno == EAGAIN { return }
      armedFor = nil
      handler()
    }
  }

  deinit {
    source = nil
    close(descriptor)
  }

  /// - Returns: false if the clock was set since the timer was last armed. It is armed anyway.
  func arm(at instant: Instant) -> Bool {
    armedFor = instant
    let nanoseconds = max(instant.nanoseconds, 1)
    var setting = itimerspec(
      it_interval: timespec(),
      it_value: timespec(
        tv_sec: time_t(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000)))
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    return timerfd_settime(descriptor, flags, &setting, nil) == 0 || errno != ECANCELED
  }
}
