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
  private(set) var ringer = Ringer.absent
  private var tellsChanges = false
  private var ringerSwitch: ContactWatch?
  private var button: ContactWatch?
  private var buttonOutage = Outage()
  private var hold: EventSource?
  private var wasReleased = false
  private var lamp: LampLine?

  /// Opens the configured lines. `ringer` has the first state of the switch; each later change is
  /// told.
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
        if tellsChanges { tell(.ringer(ringer, at: moment)) }
      }
      ringerSwitch?.start()
    }
    tellsChanges = true
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
      if case .lost(let fault) = state {
        wasReleased = false
        if buttonOutage.begins() {
          journal.log(.buttonLost, .warning, "the button cannot be read: \(fault)")
        }
        return
      }
      if buttonOutage.ends() { journal.log(.button, .notice, "the button is back") }
      guard state == .active else {
        wasReleased = true
        return
      }
      // A button that is pressed at the start is a short circuit, or somebody leans on it.
      guard wasReleased else { return }
      tell(.pressed(speakerIsAwake: isAwake()))
      hold = try? loop.after(configuration.buttonHold) { [unowned self] in tell(.held) }
    }
    self.button = button
    button.start()
  }
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
