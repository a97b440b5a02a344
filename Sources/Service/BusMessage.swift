import Basics
import CSystemd

/// A value of a property, of one of the types that ours have.
public enum BusValue: Hashable, Sendable {
  case text(String)
  case flag(Bool)
  case small(UInt32)
  /// Microseconds since 1970 where it is an instant.
  case unsigned(UInt64)
  case signed(Int64)
  case number(Double)
  case byte(UInt8)
  case fields([String: String])
  case timers([Status.Timer])
}

/// What a value of a property may hold.
protocol BusType {
  var busValue: BusValue { get }

  /// Nil if it is of another type.
  init?(_ value: BusValue)
}

extension String: BusType {
  var busValue: BusValue { .text(self) }
  init?(_ value: BusValue) {
    if case .text(let text) = value { self = text } else { return nil }
  }
}

extension UInt64: BusType {
  var busValue: BusValue { .unsigned(self) }
  init?(_ value: BusValue) {
    if case .unsigned(let number) = value { self = number } else { return nil }
  }
}

extension Int64: BusType {
  var busValue: BusValue { .signed(self) }
  init?(_ value: BusValue) {
    if case .signed(let number) = value { self = number } else { return nil }
  }
}

extension Double: BusType {
  var busValue: BusValue { .number(self) }
  init?(_ value: BusValue) {
    if case .number(let number) = value { self = number } else { return nil }
  }
}

extension [Status.Timer]: BusType {
  var busValue: BusValue { .timers(self) }
  init?(_ value: BusValue) {
    if case .timers(let timers) = value { self = timers } else { return nil }
  }
}

/// The owner of an `sd_bus_message`.
final class BusMessage {
  let pointer: OpaquePointer

  /// Takes the reference over.
  init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// - Parameter make: a call that makes a message, and returns less than 0 if it cannot.
  convenience init(_ make: (inout OpaquePointer?) -> Int32) throws(Fault) {
    var made: OpaquePointer?
    let code = make(&made)
    guard code >= 0, let made else { throw Fault("cannot make a D-Bus message", errno: -code) }
    self.init(owning: made)
  }

  deinit {
    sd_bus_message_unref(pointer)
  }
}

/// Appends to a message; what fails is in the code that is returned, as in sd-bus.
enum BusWriter {
  @discardableResult
  static func append(_ value: BusValue, to message: OpaquePointer) -> Int32 {
    switch value {
    case .text(let text):
      return text.withCString { append(type: "s", $0, to: message) }
    case .flag(let flag):
      // A D-Bus boolean is given as an int.
      var number: Int32 = flag ? 1 : 0
      return append(type: "b", &number, to: message)
    case .small(var number): return append(type: "u", &number, to: message)
    case .unsigned(var number): return append(type: "t", &number, to: message)
    case .signed(var number): return append(type: "x", &number, to: message)
    case .number(var number): return append(type: "d", &number, to: message)
    case .byte(var number): return append(type: "y", &number, to: message)
    case .fields(let fields): return append(fields, to: message)
    case .timers(let timers): return append(timers, to: message)
    }
  }

  private static func append(_ fields: [String: String], to message: OpaquePointer) -> Int32 {
    sd_bus_message_open_container(message, CChar(UInt8(ascii: "a")), "{ss}")
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      sd_bus_message_open_container(message, CChar(UInt8(ascii: "e")), "ss")
      append(.text(name), to: message)
      append(.text(value), to: message)
      sd_bus_message_close_container(message)
    }
    return sd_bus_message_close_container(message)
  }

  private static func append(_ timers: [Status.Timer], to message: OpaquePointer) -> Int32 {
    sd_bus_message_open_container(message, CChar(UInt8(ascii: "a")), "(ussttt)")
    for timer in timers {
      sd_bus_message_open_container(message, CChar(UInt8(ascii: "r")), "ussttt")
      append(.small(timer.number), to: message)
      append(.text(timer.name), to: message)
      append(.text(timer.state), to: message)
      append(.unsigned(timer.length), to: message)
      append(.unsigned(timer.left), to: message)
      append(.unsigned(timer.zero), to: message)
      sd_bus_message_close_container(message)
    }
    return sd_bus_message_close_container(message)
  }

  private static func append(
    type: Unicode.Scalar, _ value: UnsafeRawPointer, to message: OpaquePointer
  ) -> Int32 {
    sd_bus_message_append_basic(message, CChar(type.value), value)
  }
}

/// Reads from a message; nil if what comes next is of another type.
enum BusReader {
  static func uint32(_ message: OpaquePointer) -> UInt32? {
    var value: UInt32 = 0
    return read("u", &value, message) ? value : nil
  }

  static func unsigned(_ message: OpaquePointer) -> UInt64? {
    var value: UInt64 = 0
    return read("t", &value, message) ? value : nil
  }

  static func number(_ message: OpaquePointer) -> Double? {
    var value = 0.0
    return read("d", &value, message) ? value : nil
  }

  static func text(_ message: OpaquePointer) -> String? {
    var text: UnsafePointer<CChar>?
    guard read("s", &text, message), let text else { return nil }
    return String(cString: text)
  }

  /// A dictionary of properties, `a{sv}`; one of a type that none of ours has is left out.
  static func properties(_ message: OpaquePointer) -> [String: BusValue]? {
    guard enter("a", "{sv}", message) else { return nil }
    var values: [String: BusValue] = [:]
    while enter("e", "sv", message) {
      guard let name = text(message) else { return nil }
      if let value = variant(message) { values[name] = value }
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    return values
  }

  private static func variant(_ message: OpaquePointer) -> BusValue? {
    var contents: UnsafePointer<CChar>?
    guard sd_bus_message_peek_type(message, nil, &contents) > 0, let contents else { return nil }
    let type = String(cString: contents)
    guard ["s", "b", "t", "x", "d", "a(ussttt)"].contains(type) else {
      sd_bus_message_skip(message, "v")
      return nil
    }
    guard enter("v", type, message) else { return nil }
    defer { sd_bus_message_exit_container(message) }
    switch type {
    case "s": return text(message).map { .text($0) }
    case "b":
      var flag: Int32 = 0
      return read("b", &flag, message) ? .flag(flag != 0) : nil
    case "t": return unsigned(message).map { .unsigned($0) }
    case "a(ussttt)": return timers(message).map { .timers($0) }
    case "x":
      var value: Int64 = 0
      return read("x", &value, message) ? .signed(value) : nil
    default: return number(message).map { .number($0) }
    }
  }

  private static func timers(_ message: OpaquePointer) -> [Status.Timer]? {
    guard enter("a", "(ussttt)", message) else { return nil }
    var timers: [Status.Timer] = []
    while enter("r", "ussttt", message) {
      guard let number = uint32(message), let name = text(message), let state = text(message),
        let length = unsigned(message), let left = unsigned(message), let zero = unsigned(message)
      else { return nil }
      timers.append(
        Status.Timer(
          number: number, name: name, state: state, length: length, left: left, zero: zero))
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    return timers
  }

  private static func enter(
    _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer
  ) -> Bool {
    sd_bus_message_enter_container(message, CChar(type.value), contents) > 0
  }

  private static func read(
    _ type: Unicode.Scalar, _ value: UnsafeMutableRawPointer, _ message: OpaquePointer
  ) -> Bool {
    sd_bus_message_read_basic(message, CChar(type.value), value) > 0
  }
}
