import Basics
import CLinux
import Daemon
import Devices
@preconcurrency import Glibc
import Horology
import Service

/// Shows the configured switch live; without one, the lines that it could be wired to.
func showSwitch(_ configuration: Configuration) throws(Fault) -> Int32 {
  let settings = configuration.switchInput
  if let line = settings.line {
    try SwitchWatch(line, settings.active, try configuration.currentZone()).run()
    return ExitStatus.done
  }
  let map = try GPIOMap.current()
  complain("no switch is configured; set 'line' in [switch] to one of the lines listed here")
  for line in map.choices { try say(line) }
  return ExitStatus.found
}

/// A switch that is looked at while it is being wired.
private final class SwitchWatch {
  private let loop: EventLoop
  private let input: GPIOInput
  private let active: ActiveLevel
  private let zone: SystemZone
  private var shown: Bool?
  private var failure: Fault?

  init(_ line: String, _ active: ActiveLevel, _ zone: SystemZone) throws(Fault) {
    loop = try EventLoop()
    input = try GPIOInput(line: line, active: active)
    self.zone = zone
    self.active = active
  }

  /// Shows its place, its state, and then each change until SIGINT or SIGTERM, or until nobody
  /// reads any more.
  /// - Throws: `Fault` if the line is lost, or nothing can be printed.
  func run() throws(Fault) {
    var sources = try loop.whenAskedToEnd { [unowned self] in loop.exit() }
    sources.append(
      try loop.whenReady(input.descriptor, events: EPOLLIN.rawValue) { [unowned self] in readEdges()
      })
    try say("switch \(input.place), active \(active.rawValue); Ctrl-C ends this")
    try show(try input.isActive(), at: SystemClock.uptime)
    try loop.run()
    if let failure { throw failure }
  }

  private func readEdges() {
    do throws(Fault) {
      for edge in try input.readEdges() { try show(edge.isActive, at: edge.uptime) }
      // The kernel may have dropped some edges of a burst, so the level decides in the end.
      try show(try input.isActive(), at: SystemClock.uptime)
    } catch {
      failure = error
      loop.exit()
    }
  }

  private func show(_ isActive: Bool, at moment: Uptime) throws(Fault) {
    guard isActive != shown else { return }
    shown = isActive
    let now = SystemClock.now
    let instant = now.instant - (now.uptime - moment)
    let milliseconds = instant.nanoseconds / 1_000_000 % 1000
    let fraction = String(String(1000 + milliseconds).dropFirst())
    let meaning = isActive ? "active: silenced" : "inactive: may sound"
    try say("\(zone.civil(at: instant).dateTime.timeOfDay).\(fraction)  \(meaning)")
    try flushOutput()
    if outputIsUnread { loop.exit() }
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
