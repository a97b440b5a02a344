import Basics
import Devices
@preconcurrency import Glibc
import Horology
import Service

/// Shows the configured switch live, until Ctrl-C or until nobody reads any more; without one, the
/// lines that it could be wired to.
func showSwitch(_ configuration: Configuration) throws(Fault) -> Int32 {
  let settings = configuration.switchInput
  guard let line = settings.line else {
    let map = try GPIOMap.current()
    complain("no switch is configured; set 'line' in [switch] to one of the lines listed here")
    for line in map.choices { try say(line) }
    return ExitStatus.found
  }
  let input = try GPIOInput(line: line, active: settings.active)
  func words() throws(Fault) -> String {
    try input.isActive() ? "  active: silenced" : "  inactive: may sound"
  }
  try say("switch \(input.place), active \(settings.active.rawValue); Ctrl-C ends this")
  try say(words())
  try watch([input]) { _ throws(Fault) in try say(words()) }
  return ExitStatus.done
}

/// Calls `changed` with the index of each input that changes, until the other descriptor can be read
/// or nobody reads the output any more.
func watch(
  _ inputs: [GPIOInput], until end: Int32 = -1, _ changed: (Int) throws(Fault) -> Void
) throws(Fault) {
  var ready = ([end] + inputs.map(\.descriptor)).map {
    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
  }
  while true {
    try flushOutput()
    if ready[0].revents != 0 || outputIsUnread { return }
    try retryingInterrupts("cannot watch the lines") { poll(&ready, nfds_t(ready.count), -1) }
    for (index, input) in inputs.enumerated() where ready[index + 1].revents != 0 {
      if !(try input.readEdges().isEmpty) { try changed(index) }
    }
  }
}

extension GPIOMap {
  /// The lines for the configuration: those with names or, without any, the range of each chip.
  var choices: [String] {
    let named = lines.filter { $0.name != nil }
    if !named.isEmpty {
      return named.map { line in "  \(line)" + (line.consumer.map { ", held by '\($0)'" } ?? "") }
    }
    // The lines of a chip come in order, so the first and the last give the range.
    return lines.filter { $0.offset == 0 }.map { first in
      let last = lines.last { $0.chipPath == first.chipPath }
      return "  \(first.place) to \(last?.place ?? first.place)"
    }
  }
}
