import Basics
import Devices
import Service

/// The state of an input line: who holds it, or its level now.
func checkInput(
  _ settings: InputSettings, active: String, inactive: String
) throws(Fault) -> Finding {
  guard let text = settings.line else { return .well("none") }
  let line = try GPIOMap.current().line(named: text)
  if line.isHeldByClocksmith { return .heldByService(line) }
  let input = try GPIOInput(line: text, active: settings.active)
  return .well("\(line), now \(try input.isActive() ? active : inactive)")
}

/// The state of an output line. The line is not opened: a check must not change it.
func checkOutput(_ settings: OutputSettings) throws(Fault) -> Finding {
  guard let text = settings.line else { return .well("none") }
  let line = try GPIOMap.current().line(named: text)
  if line.isHeldByClocksmith { return .heldByService(line) }
  if let holding = line.holding { return .found("\(line) is \(holding)") }
  return .well("\(line), free")
}

extension Finding {
  fileprivate static func heldByService(_ line: GPIOMap.Line) -> Finding {
    .well("\(line), held by the running service")
  }
}
