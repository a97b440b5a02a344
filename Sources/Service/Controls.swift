import Basics
import Daemon
import Devices
import Horology

/// A switch, a push button and a lamp. Each may be absent, and each may be lost and come back.
final class Controls {
  private let loop: EventLoop
  private let journal: Journal
  private let tell: (Event) -> Void
  private var contacts: [ContactWatch] = []
  /// Why the button cannot be read; nil if it can.
  private var buttonFlaw: String?
  private var hold: EventSource?
  private var wasReleased = false
  private static let holdTime = Duration.seconds(1)
  private var lamp: LampLine?
  /// Of the alarms, by their lines.
  private var lights: [String: LampLine] = [:]

  /// Opens the configured lines, and tells the state of the switch.
  init(
    loop: EventLoop, configuration: Configuration, journal: Journal,
    isAwake: @escaping () -> Bool, tell: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.journal = journal
    self.tell = tell
    if configuration.switchInput.line == nil {
      tell(.switched(.absent, at: SystemClock.uptime))
    }
    watch(configuration.switchInput) { state, moment in
      let switchState: SwitchState =
        switch state {
        case .active: .off
        case .inactive: .on
        case .lost(let fault): .lost(fault.description)
        }
      tell(.switched(switchState, at: moment))
    }
    watch(configuration.button) { [unowned self] state, _ in
      buttonIs(state, isAwake)
    }
    let led = configuration.led
    lamp = led.line.map { lampLine($0, led.active) }
    for line in configuration.lights { lights[line] = lampLine(line, .high) }
  }

  private func lampLine(_ line: String, _ active: ActiveLevel) -> LampLine {
    LampLine(loop: loop, journal: journal) { () throws(Fault) in
      try GPIOOutput(line: line, active: active)
    }
  }

  private func watch(
    _ settings: LineSettings, changed: @escaping (ContactWatch.State, Uptime) -> Void
  ) {
    guard let line = settings.line else { return }
    let contact = ContactWatch(
      loop: loop,
      open: { () throws(Fault) in try GPIOInput(line: line, active: settings.active) },
      changed: changed)
    contacts.append(contact)
    contact.start()
  }

  func check() {
    for contact in contacts { contact.check() }
    lamp?.check()
    for light in lights.values { light.check() }
  }

  /// What is wrong with the button and the lamp, each under its name.
  var losses: [(key: String, words: String)] {
    let lamps = [lamp?.flaw] + lights.sorted { $0.key < $1.key }.map(\.value.flaw)
    return ([("button", buttonFlaw)] + lamps.map { ("lamp", $0) }).compactMap { key, flaw in
      flaw.map { (key, $0) }
    }
  }

  var answer: Bool { contacts.allSatisfy(\.isAccountedFor) }

  /// - Parameter lit: the lines of the alarms that ring.
  func show(_ shown: Lamp, _ lit: Set<String>) {
    lamp?.show(shown)
    for (line, light) in lights { light.show(lit.contains(line) ? .on : .off) }
  }

  private func buttonIs(_ state: ContactWatch.State, _ isAwake: () -> Bool) {
    hold = nil
    if case .lost(let fault) = state {
      wasReleased = false
      let words = "the button cannot be read: \(fault)"
      if buttonFlaw == nil { journal.log(.buttonLost, .warning, words) }
      buttonFlaw = words
      return
    }
    if buttonFlaw != nil { journal.log(.button, .notice, "the button is back") }
    buttonFlaw = nil
    guard state == .active else {
      wasReleased = true
      return
    }
    // A button that is pressed at the start is a short circuit, or somebody leans on it.
    guard wasReleased else { return }
    tell(.pressed(speakerIsAwake: isAwake()))
    hold = try? loop.after(Self.holdTime) { [unowned self] in tell(.held) }
  }
}
