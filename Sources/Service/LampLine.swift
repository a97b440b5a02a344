import Basics
import Daemon
import Devices
import Horology

final class LampLine {
  private static let blink = Duration.milliseconds(500)

  private let loop: EventLoop
  private let journal: Journal
  private let open: () throws(Fault) -> any OutputLine
  private var line: (any OutputLine)?
  private var shown: Lamp?
  private var isLit = false
  /// Why it cannot be lit; nil if it can.
  private(set) var flaw: String?
  private var blinking: EventSource?

  init(
    loop: EventLoop, journal: Journal, open: @escaping () throws(Fault) -> any OutputLine
  ) {
    self.loop = loop
    self.journal = journal
    self.open = open
  }

  deinit {
    try? line?.set(false)
  }

  func show(_ lamp: Lamp) {
    guard lamp != shown else { return }
    shown = lamp
    light()
  }

  func check() {
    if flaw != nil { light() }
  }

  private func light() {
    light(shown != .off)
    blinking =
      shown == .blinking ? try? loop.every(Self.blink) { [unowned self] in light(!isLit) } : nil
  }

  private func light(_ isLit: Bool) {
    self.isLit = isLit
    do throws(Fault) {
      if line == nil { line = try open() }
      try line?.set(isLit)
      if flaw != nil { journal.log(.lamp, .notice, "the lamp is back") }
      flaw = nil
    } catch {
      line = nil
      let words = "the lamp cannot be lit: \(error)"
      if flaw == nil { journal.log(.lampLost, .warning, words) }
      flaw = words
    }
  }
}
