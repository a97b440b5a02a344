import Basics
import Daemon
import Devices
import Horology

/// The controls: a switch, a push button and a lamp. Each may be absent, and each may be lost and
/// come back.
final class Controls {
  private let loop: EventLoop
  private let journal: Journal
  private let tell: (Event) -> Void
  /// The last state of the switch.
  private(set) var ringer = Ringer.absent
  private var isTold = false
  private var ringerSwitch: ContactWatch?
  private var button: ContactWatch?
  private var hold: EventSource?
  private var lamp: LampLine?

  /// Opens the configured lines. `ringer` has the first state of the switch; each later change is
  /// told.
  /// - Parameter isAwake: whether the speaker runs.
  init(
    loop: EventLoop, configuration: Configuration, journal: Journal,
    isAwake: @escaping () -> Bool, tell: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.journal = journal
    self.tell = tell
    let settings = configuration.switchInput
    if let line = settings.line {
      ringerSwitch = ContactWatch(loop: loop, debounce: settings.debounce) { () throws(Fault) in
        try GPIOInput(line: line, active: settings.active)
      } changed: { [unowned self] state, moment in
        ringer = Ringer(state)
        if isTold { tell(.ringer(ringer, at: moment)) }
      }
      ringerSwitch?.start()
    }
    isTold = true
    watchButton(configuration, isAwake)
    let led = configuration.led
    lamp = led.line.map { line in
      LampLine(loop: loop, journal: journal) { () throws(Fault) in
        try GPIOOutput(line: line, active: led.active)
      }
    }
  }

  /// Reads the switch and the button again, and retries a lost lamp.
  func check() {
    ringerSwitch?.check()
    button?.check()
    lamp?.check()
  }

  /// True if each configured input is open, or is lost and a retry is scheduled.
  var answer: Bool {
    ringerSwitch?.isAccountedFor != false && button?.isAccountedFor != false
  }

  func show(_ shown: Lamp) {
    lamp?.show(shown)
  }

  private func watchButton(_ configuration: Configuration, _ isAwake: @escaping () -> Bool) {
    let settings = configuration.button
    guard let line = settings.line else { return }
    let button = ContactWatch(loop: loop, debounce: settings.debounce) { () throws(Fault) in
      try GPIOInput(line: line, active: settings.active)
    } changed: { [unowned self] state, _ in
      hold = nil
      switch state {
      case .active:
        // A button that is pressed at the start is a short circuit, or somebody leans on it.
        guard wasReleased else { return }
        tell(.pressed(speakerIsAwake: isAwake()))
        hold = try? loop.after(configuration.buttonHold) { [unowned self] in tell(.held) }
      case .inactive:
        wasReleased = true
      case .lost(let fault):
        wasReleased = false
        journal.log(.buttonLost, .warning, "the button cannot be read: \(fault)")
      }
    }
    self.button = button
    button.start()
  }

  private var wasReleased = false
}

extension Ringer {
  fileprivate init(_ state: ContactWatch.State) {
    switch state {
    case .active: self = .off
    case .inactive: self = .on
    case .lost(let fault): self = .lost(fault.description)
    }
  }
}

/// The line of the lamp. A lost line is reopened when it comes back.
final class LampLine {
  private static let blink = Duration.milliseconds(500)

  private let loop: EventLoop
  private let journal: Journal
  private let open: () throws(Fault) -> any OutputLine
  private var line: (any OutputLine)?
  private var shown: Lamp?
  private var isLit = false
  private var isLost = false
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

  /// Retries a lost line.
  func check() {
    if isLost { light() }
  }

  /// Starts to show the lamp's state.
  private func light() {
    blinking = nil
    light(shown != .off)
    // While the line is lost, blinking would retry twice a second; check() retries often enough.
    guard shown == .blinking, !isLost else { return }
    blinking = try? loop.every(Self.blink) { [unowned self] in light(!isLit) }
  }

  private func light(_ isLit: Bool) {
    self.isLit = isLit
    do throws(Fault) {
      if line == nil { line = try open() }
      try line?.set(isLit)
      if isLost { journal.log(.lamp, .notice, "the lamp is back") }
      isLost = false
    } catch {
      line = nil
      blinking = nil
      if !isLost { journal.log(.lampLost, .warning, "the lamp cannot be lit: \(error)") }
      isLost = true
    }
  }
}
