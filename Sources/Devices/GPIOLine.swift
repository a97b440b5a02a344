import Basics
import CClocksmith
@preconcurrency import Glibc
import Horology

/// The electrical level at which a GPIO line is active.
public enum ActiveLevel: String, CaseIterable, Sendable {
  case low, high
}

public struct Edge: Hashable, Sendable {
  public let isActive: Bool
  /// By the kernel's own time stamp.
  public let uptime: Uptime
}

/// Its calls throw a `Fault` if the line is gone.
public protocol InputLine: AnyObject {
  /// Readable when there are edges.
  var descriptor: Int32 { get }

  /// The level now.
  func isActive() throws(Fault) -> Bool

  /// The edges since the last read, without waiting. Some edges of a burst may be missing.
  func readEdges() throws(Fault) -> [Edge]
}

/// A GPIO line, taken by `gpiod_line_request` (libgpiod 1) or `gpiod_chip_request_lines` (2).
public class GPIOLine {
  fileprivate let pointer: OpaquePointer
  public let place: GPIOMap.Line

  fileprivate typealias Open = (
    UnsafeMutablePointer<OpaquePointer?>?, UnsafePointer<CChar>?, UInt32, Bool
  ) -> Int32

  fileprivate init(_ name: String, active: ActiveLevel, _ open: Open) throws(Fault) {
    let line = try GPIOMap.current().line(named: name)
    var opened: OpaquePointer?
    let code = open(&opened, line.chipPath, line.offset, active == .low)
    guard code == 0, let opened else { throw line.refusal(code: -code) }
    pointer = opened
    place = line
  }

  deinit {
    clocksmith_line_close(pointer)
  }

  @discardableResult
  fileprivate func check(_ code: Int32) throws(Fault) -> Int32 {
    if code < 0 { throw Fault("GPIO line \(place)", errno: -code) }
    return code
  }
}

/// A line that is read: pulled to its inactive level, with events at both edges.
public final class GPIOInput: GPIOLine, InputLine {
  public init(line: String, active: ActiveLevel) throws(Fault) {
    try super.init(line, active: active, clocksmith_line_open_input)
  }

  public var descriptor: Int32 { clocksmith_line_descriptor(pointer) }

  public func isActive() throws(Fault) -> Bool { try check(clocksmith_line_get(pointer)) == 1 }

  public func readEdges() throws(Fault) -> [Edge] {
    var edges: [Edge] = []
    var batch = [clocksmith_edge](repeating: clocksmith_edge(), count: 16)
    repeat {
      let count = try check(clocksmith_line_read_edges(pointer, &batch, UInt32(batch.count)))
      guard count > 0 else { break }
      edges += batch.prefix(Int(count)).map {
        Edge(isActive: $0.active, uptime: Uptime(nanoseconds: $0.nanoseconds))
      }
      // A contact that bounces faster than it is read must not hold the loop forever.
    } while edges.count < 256
    return edges
  }
}

public protocol OutputLine: AnyObject {
  func set(_ isActive: Bool) throws(Fault)
}

/// A line that is driven, and inactive at first.
public final class GPIOOutput: GPIOLine, OutputLine {
  public init(line: String, active: ActiveLevel) throws(Fault) {
    try super.init(line, active: active, clocksmith_line_open_output)
  }

  public func set(_ isActive: Bool) throws(Fault) {
    try check(clocksmith_line_set(pointer, isActive))
  }
}

extension GPIOMap.Line {
  func refusal(code: Int32) -> Fault {
    let detail =
      switch code {
      case EBUSY: holding ?? "somebody has just taken it; try again"
      case EACCES, EPERM: "not allowed; the user must be in the group 'gpio'"
      case ENODEV, ENXIO: "its chip is gone, or cannot tell of edges; wire another line"
      default: String(cString: strerror(code))
      }
    return Fault("cannot take GPIO line \(self)", code: code, detail)
  }
}
