import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Service

/// `status --follow`.
final class StatusFace {
  private static let searchSeconds: Int64 = 5

  private let view: StatusView
  private let isJSON: Bool
  private let redraws: Bool
  private let loop: EventLoop
  private var sources: [EventSource] = []
  private var second: EventSource?
  private var seen: Seen
  private var printed = ""

  init(_ view: StatusView, isJSON: Bool) throws(Fault) {
    self.view = view
    self.isJSON = isJSON
    redraws = !isJSON && Screen.canRedraw
    loop = try EventLoop()
    seen = try view.seen()
  }

  func run() throws(Fault) {
    sources = try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    try view.service?.whenChanged(loop) { [unowned self] in loop.attempt(refresh) }
    loop.attempt(show)
    tick()
    try loop.run()
  }

  private func tick() {
    let now = SystemClock.now.instant
    let rest = 1_000_000_000 - (now.nanoseconds % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
    second = try? loop.after(.nanoseconds(rest), accuracy: .milliseconds(1)) { [unowned self] in
      let seconds = SystemClock.now.instant.seconds
      if view.service == nil && seconds % Self.searchSeconds == 0 {
        view.findService()
        try? view.service?.whenChanged(loop) { [unowned self] in loop.attempt(refresh) }
        loop.attempt(refresh)
      } else {
        // The words of the clock change with time, but no signal tells it.
        loop.attempt(seconds % 60 == 0 ? refresh : show)
      }
      tick()
    }
  }

  private func refresh() throws(Fault) {
    if let now = try? view.seen() {
      seen = now
    } else {
      view.service = nil
      // Without a service and without a configuration there is nothing to show.
      seen = try view.seen()
    }
    try show()
  }

  private func show() throws(Fault) {
    seen.instant = SystemClock.now.instant
    if redraws { try redraw() } else { try printChange() }
    try flushOutput()
    if outputIsUnread { loop.exit() }
  }

  /// Draws the lines over those before, as many as there are rows.
  private func redraw() throws(Fault) {
    let lines = seen.lines.prefix(max(Screen.rows - 1, 1)).map { "\($0.printable)\u{1B}[K\n" }
    let text = "\(Screen.home)\(Screen.wrapsNot)\(lines.joined())\u{1B}[J\(Screen.wraps)"
    guard fputs(text, stdout) >= 0 else { throw Fault("standard output", errno: errno) }
  }

  private func printChange() throws(Fault) {
    let phases = seen.status.intervals.map { interval in
      interval.plan.phase(at: interval.passed(at: seen.instant)).map {
        $0.kind == .wait ? "" : "\($0.kind) \($0.round)"
      } ?? ""
    }
    var record = seen.status.record
    // It grows all the time.
    record["clock_uncertainty"] = nil
    let error = seen.configurationError ?? ""
    let state = "\(seen.isRunning) \(record.json) \(phases) \(error)"
    guard state != printed else { return }
    printed = state
    try say(isJSON ? seen.record.json : seen.inOneLine)
  }
}
