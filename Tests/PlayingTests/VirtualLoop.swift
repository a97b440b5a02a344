import Basics
import Horology
import Playing

/// A loop whose time jumps from one timer to the next. A second takes no real time, and timers are
/// on time however busy the machine is.
final class VirtualLoop: Ticker {
  final class Timer {
    fileprivate var due: Uptime
    fileprivate let handler: () -> Void
    fileprivate let interval: Duration?

    fileprivate init(due: Uptime, interval: Duration? = nil, _ handler: @escaping () -> Void) {
      (self.due, self.interval, self.handler) = (due, interval, handler)
    }
  }

  private struct Held {
    weak var timer: Timer?
  }

  private(set) var now = Now(
    instant: Instant(seconds: 1_700_000_000), uptime: Uptime(seconds: 500),
    sinceBoot: .seconds(500))
  var uptime: Uptime { now.uptime }
  private var timers: [Held] = []
  private var isOver = false

  private func hold(_ timer: Timer) -> Timer {
    timers.append(Held(timer: timer))
    return timer
  }

  /// Calls `handler` once, unless the returned timer is released first.
  func after(_ delay: Duration, _ handler: @escaping () -> Void) -> Timer {
    hold(Timer(due: uptime + delay, handler))
  }

  func every(_ interval: Duration, _ handler: @escaping () -> Void) -> Timer {
    hold(Timer(due: uptime + interval, interval: interval, handler))
  }

  func exit() { isOver = true }

  /// Lets time pass without timers.
  func advance(by span: Duration) { now = now.later(by: span) }

  /// Lets time pass until `exit` is called.
  /// - Throws: `Fault` if no timer is left that could call it, or an hour has passed.
  func run() throws(Fault) {
    let end = uptime + .seconds(3600)
    while !isOver {
      timers.removeAll { $0.timer == nil }
      guard let next = timers.compactMap(\.timer).min(by: { $0.due < $1.due }), next.due < end
      else { throw Fault("the loop", "nothing ends it") }
      now = now.later(by: max(next.due - uptime, .zero))
      if let interval = next.interval {
        next.due = uptime + interval
      } else {
        timers.removeAll { $0.timer === next }
      }
      next.handler()
    }
    isOver = false
  }
}
