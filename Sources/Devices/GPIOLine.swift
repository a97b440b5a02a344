import CClocksmith
@preconcurrency import Glibc
import Horology
import Sound

/// The electrical level at which a GPIO line is active.
public enum ActiveLevel: String, CaseIterable, Sendable {
  case low, high
}

/// A change of an input line.
public struct Edge: Hashable, Sendable {
  public let isActive: Bool
  /// By the kernel's own time stamp.
  public let uptime: Uptime
}

/// A line that is read, and that tells of its changes.
public protocol InputLine: AnyObject {
  /// Readable when there are edges.
  var descriptor: Int32 { get }

  /// The level now.
  /// - Throws: `Fault` if the line is gone.
  func isActive() throws(Fault) -> Bool

  /// The edges since they were last read, without waiting; of a burst some may be missing.
  /// - Throws: `Fault` if the line is gone.
  func readEdges() throws(Fault) -> [Edge]
}

/// A GPIO line that is read: pulled to where it is not active, with events at both edges.
public final class GPIOInput: InputLine {
  private let line: LineHandle

  /// Takes a line.
  /// - Parameter line: its name, as in `GPIO17`, or `chip-label:offset`, as in `pinctrl-rp1:17`.
  /// - Throws: `Fault` if there is no such line, or somebody else has it.
  public init(line: String, active: ActiveLevel) throws(Fault) {
    self.line = try LineHandle(line, active: active, clocksmith_line_open_input)
  }

  public var descriptor: Int32 { clocksmith_line_descriptor(line.pointer) }

  public func isActive() throws(Fault) -> Bool {
    try line.check(clocksmith_line_get(line.pointer)) == 1
  }

  public func readEdges() throws(Fault) -> [Edge] {
    var edges: [Edge] = []
    var batch = [clocksmith_edge](repeating: clocksmith_edge(), count: 16)
    repeat {
      let count = try line.check(clocksmith_line_read_edges(line.pointer, &batch, batch.count))
      guard count > 0 else { break }
      edges += batch.prefix(Int(count)).map {
        Edge(isActive: $0.active, uptime: Uptime(nanoseconds: $0.nanoseconds))
      }
      // A contact that chatters faster than it is read must not hold the loop for ever.
    } while edges.count < 256
    return edges
  }
}

/// A GPIO line that is driven.
public final class GPIOOutput {
  private let line: LineHandle

  /// Takes a line, and makes it inactive.
  /// - Throws: as for `GPIOInput`.
  public init(line: String, active: ActiveLevel) throws(Fault) {
    self.line = try LineHandle(line, active: active, clocksmith_line_open_output)
  }

  public func set(_ isActive: Bool) throws(Fault) {
    _ = try line.check(clocksmith_line_set(line.pointer, isActive))
  }
}

/// The owner of a line that has been taken.
private final class LineHandle {
  let pointer: OpaquePointer
  private let name: String

  typealias Open = (
    UnsafeMutablePointer<OpaquePointer?>?, UnsafePointer<CChar>?, UInt32, Bool
  ) -> Int32

  init(_ name: String, active: ActiveLevel, _ open: Open) throws(Fault) {
    let place = try GPIOMap.current().place(of: name)
    var opened: OpaquePointer?
    let code = open(&opened, place.chipPath, place.offset, active == .low)
    guard code == 0, let opened else {
      throw Self.fault(name, place, code: -code)
    }
    pointer = opened
    self.name = name
  }

  deinit {
    clocksmith_line_close(pointer)
  }

  func check(_ code: Int32) throws(Fault) -> Int32 {
    if code < 0 { throw Fault("GPIO line \(name)", errno: -code) }
    return code
  }

  private static func fault(_ name: String, _ place: GPIOMap.Line, code: Int32) -> Fault {
    let operation = "cannot take GPIO line \(name)"
    switch code {
    case EBUSY:
      let holder = place.consumer.map { "'\($0)'" } ?? "something else"
      return Fault(operation, code: code, "it is held by \(holder); free it, or wire another")
    case EACCES, EPERM:
      return Fault(operation, code: code, "not allowed; the user must be in the group 'gpio'")
    default:
      return Fault(operation, errno: code)
    }
  }
}
