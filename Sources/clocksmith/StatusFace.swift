import Basics
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Service

/// `status --follow`. On a terminal the face is redrawn each second; elsewhere a line is printed
/// for each change.
final class StatusFace {
  private static let searchSeconds: Int64 = 5

  private let view: StatusView
  private let isJSON: Bool
  private let loop: EventLoop
  private let terminal: RedrawnLines?
  private var sources: [EventSource] = []
  private var second: EventSource?
  private var seen: Seen
  private var printed = ""
  private var failure: (any Error)?

  init(_ view: StatusView, isJSON: Bool) throws(Fault) {
    self.view = view
    self.isJSON = isJSON
    loop = try EventLoop()
    terminal = isJSON ? nil : Screen.canRedraw ? RedrawnLines() : nil
    seen = try view.seen()
  }

  /// Shows until SIGINT, SIGQUIT, SIGTERM or SIGHUP.
  /// - Throws: `Fault` if nothing can be printed any more.
  func run() throws {
    sources += try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    sources.append(try loop.whenSignalled(SIGWINCH) { [unowned self] in show() })
    if terminal != nil {
      sources.append(try loop.whenSignalled(SIGTSTP) { [unowned self] in pause() })
    }
    try view.service?.whenChanged(loop) { [unowned self] in refresh() }
    terminal?.begin()
    defer { terminal?.end() }
    show()
    tick()
    try loop.run()
    if let failure { throw failure }
  }

  /// Stops at Ctrl-Z, with the cursor shown, and goes on at SIGCONT, below what was printed since.
  private func pause() {
    terminal?.end()
    // The signal is blocked, as sd-event wants it. Let it through once: unlike SIGSTOP it does not
    // stop a program that no shell could continue, as under 'ssh -t'.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTSTP)
    kill(getpid(), SIGTSTP)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
    sigprocmask(SIG_BLOCK, &signals, nil)
    terminal?.begin()
    show()
  }

  /// Schedules the next tick at the next full second of the wall clock.
  private func tick() {
    let now = SystemClock.now.instant
    let rest = 1_000_000_000 - (now.nanoseconds % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
    second = try? loop.after(.nanoseconds(rest), accuracy: .milliseconds(1)) { [unowned self] in
      let seconds = SystemClock.now.instant.seconds
      let isAlone = view.service == nil
      if isAlone && seconds % Self.searchSeconds == 0 { find() }
      // The words of the clock change with time, but no signal tells it.
      if isAlone || seconds % 60 == 0 { refresh() } else { show() }
      tick()
    }
  }

  private func find() {
    view.findService()
    try? view.service?.whenChanged(loop) { [unowned self] in refresh() }
  }

  private func refresh() {
    // Without a service this would be done each second.
    if view.service != nil { view.readConfiguration() }
    do throws(Fault) {
      seen = try view.seen()
    } catch {
      view.service = nil
      do throws(Fault) {
        seen = try view.seen()
      } catch {
        // Without a service and without a configuration there is nothing to show.
        failure = error
        return loop.exit()
      }
    }
    show()
  }

  private func show() {
    do throws(Fault) {
      if let terminal {
        seen.instant = SystemClock.now.instant
        try terminal.draw(seen.lines())
      } else {
        try printChange()
      }
      try flushOutput()
      if outputIsUnread { loop.exit() }
    } catch {
      failure = error
      loop.exit()
    }
  }

  /// Prints the status if it differs from the one that was printed last; the time alone is no
  /// change.
  private func printChange() throws(Fault) {
    let status = seen.status
    var parts = [status.next.local, status.next.reasonKey ?? "", "\(seen.isRunning)"]
    parts += status.timers.map(\.record.json)
    let instant = SystemClock.now.instant
    for interval in status.intervals {
      let phase = interval.plan.phase(at: interval.passed(at: instant))
      parts += [
        interval.record.json, phase.map { $0.kind == .wait ? "" : "\($0.kind) \($0.round)" } ?? "",
      ]
    }
    parts += status.alarms.map(\.record.json)
    parts += seen.lasting.map(\.value)
    let state = parts.joined(separator: "\n")
    guard state != printed else { return }
    printed = state
    seen.instant = SystemClock.now.instant
    try say(isJSON ? seen.record.json : seen.inOneLine)
  }
}

private final class RedrawnLines {
  /// no-color.org: any text that is not empty turns colours off.
  private let hasColour = (getenv("NO_COLOR")?.pointee ?? 0) == 0
  private var drawn = 0

  func begin() {
    drawn = 0
    fputs("\u{1B}[?25l", stdout)
  }

  func end() {
    fputs("\u{1B}[?25h", stdout)
    fflush(stdout)
  }

  /// Draws the lines over those that were drawn before, cut to what the terminal has room for.
  func draw(_ lines: [Seen.Line]) throws(Fault) {
    let size = Screen.size
    var text = (drawn > 0 ? "\u{1B}[\(drawn)F" : "") + Screen.wrapsNot
    // The cursor stands in the last row.
    let shown = lines.prefix(max(size.rows - 1, 1))
    for line in shown { text += paint(line, size.columns) + "\u{1B}[K\n" }
    text += "\u{1B}[J" + Screen.wraps
    drawn = shown.count
    guard fputs(text, stdout) >= 0 else { throw Fault("standard output", errno: errno) }
  }

  private func paint(_ line: Seen.Line, _ width: Int) -> String {
    let text = line.text.printable
    let cut = text.count <= width ? text : String(text.prefix(max(width - 1, 0))) + "…"
    guard hasColour else { return cut }
    switch line.weight {
    case .plain: return cut
    case .strong: return "\u{1B}[1m\(cut)\u{1B}[0m"
    case .warning: return "\u{1B}[33m\(cut)\u{1B}[0m"
    }
  }
}
