import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Service

/// `timer --wait`: shows a timer of the service until it has gone.
final class TimerWait {
  private let service: RunningService
  private let number: UInt32
  private let loop: EventLoop
  /// As it was last seen. Only an added span changes it: it becomes longer.
  private var length: Duration
  private let title: String
  private let bar = TimerBar()
  private var timer: Status.Timer?
  private var sources: [EventSource] = []
  private var failure: Fault?
  private var hasRung = false
  /// What the service says if nobody heard it.
  private var unheard: String?
  /// Nil while the timer is there.
  private var hasReachedZero: Bool?

  init(
    _ service: RunningService, number: Int, length: Duration, title: String
  ) throws(Fault) {
    self.service = service
    self.number = UInt32(number)
    loop = try EventLoop()
    self.length = length
    self.title = title
  }

  /// Shows it until it is stopped, cancelled or missed, or until Ctrl-C.
  /// - Returns: the exit status; failed if it was cancelled before zero or not heard, or at Ctrl-C.
  /// - Throws: `Fault` if the service has gone.
  func run() throws(Fault) -> Int32 {
    sources += try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    service.whenNoticed { [unowned self] in note($0, $1, $2) }
    try service.whenChanged(loop) { [unowned self] in look() }
    sources.append(try loop.every(.seconds(1)) { [unowned self] in show() })
    look()
    if timer != nil { try loop.run() }
    // The notice about its end may wait behind the signal that showed that it has gone.
    if hasReachedZero != nil { service.handleArrived() }
    bar.end()
    if let failure {
      guard failure.meansThatTheServiceHasGone else { throw failure }
      throw Fault(
        failure.operation, code: failure.code,
        "\(failure.detail); \(title) goes on once it runs again")
    }
    if let unheard {
      complain(unheard)
      return ExitStatus.failed
    }
    switch hasReachedZero {
    case nil:
      complain("\(title) goes on; 'clocksmith timer cancel \(number)' ends it")
      return ExitStatus.failed
    case true?: try say("\(title): it has reached zero, and is over")
    case false?:
      complain("\(title) was cancelled")
      return ExitStatus.failed
    }
    return ExitStatus.done
  }

  private func note(_ event: String, _ words: String, _ fields: [String: String]) {
    guard event == "timer_missed", fields["TIMER"] == "\(number)", words.hasPrefix(title) else {
      return
    }
    // One that rang, and was not stopped, has neither.
    if fields["REASON"] != nil || fields["LATE_USEC"] != nil { unheard = words }
  }

  private func look() {
    guard hasReachedZero == nil else { return }
    do throws(Fault) {
      let before = timer
      timer = try service.status().timers.first(where: isMeant)
      guard let timer else {
        // It may have rung, and been stopped, since the last look.
        let isPaused = before?.state == "paused"
        let left = before?.left(at: SystemClock.now.instant) ?? .zero
        hasReachedZero = hasRung || (!isPaused && left == .zero)
        return loop.exit()
      }
      length = timer.span
      hasRung = timer.state == "ringing"
      show()
    } catch {
      failure = error
      loop.exit()
    }
  }

  /// False for a later timer with the same number, which is free again after a timer has gone.
  private func isMeant(_ other: Status.Timer) -> Bool {
    other.number == number && other.title == title && other.span >= length
  }

  private func show() {
    guard let timer else { return }
    if timer.state == "paused" {
      bar.show("\(title): paused, \(timer.left(at: SystemClock.now.instant).exactly) left")
    } else if timer.state == "ringing" {
      bar.showZero(title, "'clocksmith stop'")
    } else {
      bar.show(title, left: timer.left(at: SystemClock.now.instant), of: timer.span)
    }
  }
}
