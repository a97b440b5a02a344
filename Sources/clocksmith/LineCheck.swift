import Basics
import Devices
import Service

/// How a line that is read is: who has it, or what it says now.
func checkInput(
  _ settings: InputSettings, active: String, inactive: String
) throws(Fault) -> Finding {
  guard let text = settings.line else { return .well("none") }
  let line = try GPIOMap.current().place(of: text)
  if line.isHeldByClocksmith { return .well("\(line), held by the running service") }
  let input = try GPIOInput(line: text, active: settings.active)
  return .well("\(line), now \(try input.isActive() ? active : inactive)")
}

/// How a line that is driven is. It is only looked at: who checks does not expect it to change.
func checkOutput(_ settings: OutputSettings) throws(Fault) -> Finding {
  guard let text = settings.line else { return .well("none") }
  let line = try GPIOMap.current().place(of: text)
  if line.isHeldByClocksmith { return .well("\(line), held by the running service") }
  if let holding = line.holding { return .found("\(line) is \(holding)") }
  return .well("\(line), free")
}
