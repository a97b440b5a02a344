import Horology
import Sound

/// The electrical level at which a GPIO line is active.
public enum ActiveLevel: String, CaseIterable, Sendable {
  case low, high
}

public struct Edge: Hashable, Sendable {
  public let isActive: Bool
  public let uptime: Uptime
  public init(isActive: Bool, uptime: Uptime) {
    self.isActive = isActive
    self.uptime = uptime
  }
}

public protocol InputLine: AnyObject {
  var descriptor: Int32 { get }
  func isActive() throws(Fault) -> Bool
  func readEdges() throws(Fault) -> [Edge]
}

public protocol OutputLine: AnyObject {
  func set(_ isActive: Bool) throws(Fault)
}

public final class GPIOInput: InputLine {
  public let descriptor: Int32 = -1
  public init(line: String, active: ActiveLevel) throws(Fault) { throw Fault(line, "stub") }
  public func isActive() throws(Fault) -> Bool { false }
  public func readEdges() throws(Fault) -> [Edge] { [] }
}

public final class GPIOOutput: OutputLine {
  public init(line: String, active: ActiveLevel) throws(Fault) { throw Fault(line, "stub") }
  public func set(_ isActive: Bool) throws(Fault) {}
}
