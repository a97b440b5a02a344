import Basics
import Daemon
import Devices
import Horology
import Service

/// `timer --wait`: shows a timer of the service until it has gone.
final class TimerWait {
  private let service: RunningService
  private let number: Int
  private let title: String
  private let loop: EventLoop
  private let bar = TimerBar()
  private var sources: [EventSource] = []
  /// As it was last seen.
  private var timer: Reminder?
  private var hasGone = false
  private var failure: Fault?

  init(_ service: RunningService, _ number: Int, _ title: String) throws(Fault) {
    (self.service, self.number, self.title) = (service, number, title)
    loop = try EventLoop()
  }

  /// Shows it until it is stopped or cancelled, or until Ctrl-C.
  /// - Returns: the exit status; failed if it was cancelled before zero, or at Ctrl-C.
  /// - Throws: `Fault` if the service has gone.
  func run() throws(Fault) -> Int32 {
    sources = try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    sources.append(try loop.every(.seconds(1)) { [unowned self] in show() })
    try service.whenChanged(loop) { [unowned self] in refresh() }
    refresh()
    if !hasGone, failure == nil { try loop.run() }
    bar.end()
    if let failure { throw failure }
    guard hasGone else {
      complain("\(title) goes on; 'clocksmith timer remove \(number)' ends it")
      return ExitStatus.failed
    }
    let left = timer?.left(at: SystemClock.now.instant) ?? .seconds(1)
    guard left <= .zero else {
      complain("\(title) was cancelled")
      return ExitStatus.failed
    }
    try say("\(title): it has reached zero, and is over")
    return ExitStatus.done
  }

  private func refresh() {
    do throws(Fault) {
      if let seen = try service.status().timers.first(where: { $0.number == number }) {
        timer = seen
        return show()
      }
      hasGone = true
    } catch {
      failure = error
    }
    loop.exit()
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
