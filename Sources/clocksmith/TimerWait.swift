import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Service

/// `timer --wait`: shows a timer of the service until it has gone.
final class TimerWait {
  private let service: RunningService
  private let loop: EventLoop
  private let bar = TimerBar()
  /// Nil until it is started.
  private var number: Int?
  private var title = ""
  private var timer: Reminder?
  private var sources: [EventSource] = []
  private var failure: Fault?
  /// The notice about its own start has come. Notices before that are about an earlier timer with
  /// the same number.
  private var hasStarted = false
  private var hasRung = false
  /// Why the service could not save the timer when it was last seen; empty if it could.
  private var stateError = ""
  /// How it ended, once that is known, and whether it reached zero and was heard.
  private var end: (words: String, isDone: Bool)?

  /// Watches the service from now on. Start the timer afterwards: nothing about it is missed then.
  init(_ service: RunningService) throws(Fault) {
    self.service = service
    loop = try EventLoop()
    service.whenNoticed { [unowned self] in hear($0, $1, $2) }
    try service.whenChanged(loop) { [unowned self] in refresh() }
  }

  /// Shows it until it is stopped, cancelled or missed, or until Ctrl-C.
  /// - Returns: the exit status; failed if it was cancelled before zero or never heard, or at Ctrl-C.
  /// - Throws: `Fault` if the service has gone.
  func run(number: Int, title: String) throws(Fault) -> Int32 {
    self.number = number
    self.title = title
    sources += try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    sources.append(try loop.every(.seconds(1)) { [unowned self] in show() })
    refresh()
    if timer != nil { try loop.run() }
    // The notice about its end may wait behind the signal that showed that it has gone.
    if timer == nil, failure == nil { service.handleArrived() }
    bar.end()
    if let failure {
      guard failure.meansThatTheServiceHasGone else { throw failure }
      let outlook =
        stateError.isEmpty
        ? "\(title) goes on once it runs again"
        : "\(title) was not saved, and may be lost: \(stateError)"
      throw Fault(failure.operation, code: failure.code, "\(failure.detail); \(outlook)")
    }
    if timer != nil {
      complain("\(title) goes on; 'clocksmith timer remove \(number)' ends it")
    } else if let end, end.isDone {
      try say(end.words)
      return ExitStatus.done
    } else {
      complain(end?.words ?? gone)
    }
    return ExitStatus.failed
  }

  /// The service was restarted, and has lost it; another timer may have its number by now.
  private var gone: String {
    "\(title) is gone, and the service did not say why; see 'journalctl -u clocksmith'"
  }

  /// The number is free again after the end, for a later timer. So nothing is heard after it.
  private func hear(_ event: String, _ words: String, _ fields: [String: String]) {
    guard end == nil, let number, fields["TIMER"] == "\(number)" else { return }
    let change = fields["CHANGE"]
    guard hasStarted else {
      hasStarted = change == "started"
      return
    }
    switch change {
    case "elapsed", "rings_on": hasRung = true
    // With more time, a timer that rang counts down again.
    case "lengthened": hasRung = false
    case "stopped", "cancelled", "missed":
      if hasRung || change != "cancelled" {
        finish("\(title): it has reached zero, and is over", isDone: true)
      } else {
        finish("\(title) was cancelled")
      }
    case "never_heard", "expired", "silenced": finish(words)
    case "started": finish(gone)
    default: break
    }
  }

  private func finish(_ words: String, isDone: Bool = false) {
    end = (words, isDone)
    timer = nil
    loop.exit()
  }

  private func refresh() {
    guard end == nil, let number else { return }
    do throws(Fault) {
      let status = try service.status()
      timer = status.timers.first { $0.number == number }
      stateError = status.stateError
      guard timer != nil else { return loop.exit() }
      show()
    } catch {
      failure = error
      loop.exit()
    }
  }

  private func show() {
    guard let timer else { return }
    let left = timer.left(at: SystemClock.now.instant)
    switch timer.state {
    case .paused: bar.show("\(title): paused, \(left.roundedUp) left")
    case .ringing, .snoozing: bar.showZero(title, "'clocksmith stop'")
    case .waiting: bar.show(title, left: left, of: timer.length ?? left)
    }
  }
}
