import Basics
import Daemon
import Devices
import Horology
import Service

final class TimerWait {
  private let service: RunningService
  private let number: Int
  private let title: String
  private let loop: EventLoop
  private let bar = TimerBar()
  private var sources: [EventSource] = []
  private var timer: Reminder?
  private var hasGone = false
  private var hasRung = false
  /// How it ended, once a notice says so, and whether it was at zero and was heard.
  private var end: (words: String, isHeard: Bool)?

  init(_ service: RunningService, _ number: Int, _ title: String) throws(Fault) {
    (self.service, self.number, self.title) = (service, number, title)
    loop = try EventLoop()
  }

  /// - Returns: `failed` if it was cancelled before zero or nobody heard it, or at Ctrl-C.
  func run() throws(Fault) -> Int32 {
    sources = try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    sources.append(try loop.every(.seconds(1)) { [unowned self] in show() })
    try service.whenChanged(
      loop, noticed: { [unowned self] in hear($0, $1) }, { [unowned self] in refresh() })
    refresh()
    let result = Result { () throws(Fault) in try loop.run() }
    // The notice of its end may wait behind the signal that showed that it has gone.
    if hasGone { service.handleArrived() }
    bar.end()
    try result.get()
    guard hasGone else {
      complain("\(title) goes on; 'clocksmith timer remove \(number)' ends it")
      return ExitStatus.failed
    }
    guard let end, end.isHeard else {
      complain(end?.words ?? "\(title) is gone; see 'journalctl -u clocksmith'")
      return ExitStatus.failed
    }
    try say("\(title): it has reached zero, and is over")
    return ExitStatus.done
  }

  /// The number is free again after the end, for a later timer. So nothing is heard after it.
  private func hear(_ words: String, _ fields: [String: String]) {
    guard end == nil, fields["TIMER"] == "\(number)" else { return }
    switch fields["CHANGE"] {
    case "elapsed": hasRung = true
    // With more time, a timer that rang counts down again.
    case "lengthened": hasRung = false
    case "stopped", "missed": end = (words, isHeard: true)
    case "cancelled": end = (words, isHeard: hasRung)
    case "never_heard", "expired", "silenced": end = (words, isHeard: false)
    default: break
    }
    if end != nil {
      hasGone = true
      loop.exit()
    }
  }

  private func refresh() {
    guard !hasGone else { return }
    loop.attempt { () throws(Fault) in
      if let seen = try service.status().timers.first(where: { $0.number == number }) {
        timer = seen
        return show()
      }
      hasGone = true
      loop.exit()
    }
  }

  private func show() {
    guard let timer else { return }
    let left = timer.left(at: SystemClock.now.instant)
    switch timer.state {
    case .paused: bar.show("\(title): paused, \(left.roundedUp) left")
    case .ringing, .snoozing: bar.show("\(title): at zero; 'clocksmith stop' stops it")
    case .waiting: bar.show(title, left: left, of: timer.length ?? left)
    }
  }
}
