import Basics
import CSystemd

/// A value of a property, of one of the types that our properties have.
public indirect enum BusValue: Hashable, Sendable {
  case text(String)
  case flag(Bool)
  case small(UInt32)
  /// Microseconds since 1970 if it is an instant.
  case unsigned(UInt64)
  case signed(Int64)
  case number(Double)
  case byte(UInt8)
  case fields([String: String])
  /// A list of structures, with the types of their members.
  case rows(String, [[BusValue]])
  /// A value of a basic type, sent with its type, as for setting a property.
  case variant(BusValue)
}

extension BusValue {
  /// The D-Bus type; empty if it is not a basic type.
  fileprivate var basicType: String {
    switch self {
    case .text: "s"
    case .flag: "b"
    case .small: "u"
    case .unsigned: "t"
    case .signed: "x"
    case .number: "d"
    case .byte: "y"
    case .fields, .rows, .variant: ""
    }
  }
}

/// A type that a property may have.
public protocol BusType {
  var busValue: BusValue { get }

  /// Nil if it is of another type.
  init?(_ value: BusValue)
}

extension String: BusType {
  public var busValue: BusValue { .text(self) }
  public init?(_ value: BusValue) {
    if case .text(let text) = value { self = text } else { return nil }
  }
}

extension Bool: BusType {
  public var busValue: BusValue { .flag(self) }
  public init?(_ value: BusValue) {
    if case .flag(let flag) = value { self = flag } else { return nil }
  }
}

extension UInt64: BusType {
  public var busValue: BusValue { .unsigned(self) }
  public init?(_ value: BusValue) {
    if case .unsigned(let number) = value { self = number } else { return nil }
  }
}

extension Int64: BusType {
  public var busValue: BusValue { .signed(self) }
  public init?(_ value: BusValue) {
    if case .signed(let number) = value { self = number } else { return nil }
  }
}

extension Double: BusType {
  public var busValue: BusValue { .number(self) }
  public init?(_ value: BusValue) {
    if case .number(let number) = value { self = number } else { return nil }
  }
}

extension UInt32: BusType {
  public var busValue: BusValue { .small(self) }
  public init?(_ value: BusValue) {
    if case .small(let number) = value { self = number } else { return nil }
  }
}

/// A type that is one structure on the bus.
public protocol BusRow {
  /// The D-Bus types of `values`, a character each.
  static var types: String { get }
  var values: [BusValue] { get }

  /// Nil if they are of other types.
  init?(values: [BusValue])
}

extension Array: BusType where Element: BusRow {
  public var busValue: BusValue { .rows(Element.types, map(\.values)) }

  public init?(_ value: BusValue) {
    guard case .rows(Element.types, let rows) = value else { return nil }
    self = []
    for row in rows {
      guard let element = Element(values: row) else { return nil }
      append(element)
    }
  }
}

/// The owner of an `sd_bus_message`.
public final class BusMessage {
  public let pointer: OpaquePointer

  /// Takes over the reference.
  public init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// - Parameter make: a call that makes a message, and returns less than 0 on failure.
  public convenience init(_ make: (inout OpaquePointer?) -> Int32) throws(Fault) {
    var made: OpaquePointer?
    let code = make(&made)
    guard code >= 0, let made else { throw Fault("cannot make a D-Bus message", errno: -code) }
    self.init(owning: made)
  }

  deinit {
    sd_bus_message_unref(pointer)
  }
}

/// Appends to a message, and returns less than 0 on failure, as sd-bus does.
public enum BusWriter {
  @discardableResult
  public static func append(_ value: BusValue, to message: OpaquePointer) -> Int32 {
    switch value {
    case .text(let text):
      return text.withCString { append(type: "s", $0, to: message) }
    case .flag(let flag):
      // sd-bus takes a D-Bus boolean as an int.
      var number: Int32 = flag ? 1 : 0
      return append(type: "b", &number, to: message)
    case .small(var number): return append(type: "u", &number, to: message)
    case .unsigned(var number): return append(type: "t", &number, to: message)
    case .signed(var number): return append(type: "x", &number, to: message)
    case .number(var number): return append(type: "d", &number, to: message)
    case .byte(var number): return append(type: "y", &number, to: message)
    case .fields(let fields): return append(fields, to: message)
    case .rows(let types, let rows): return append(rows, types, to: message)
    case .variant(let value):
      sd_bus_message_open_container(message, CChar(UInt8(ascii: "v")), value.basicType)
      append(value, to: message)
      return sd_bus_message_close_container(message)
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

  private static func append(
    _ rows: [[BusValue]], _ types: String, to message: OpaquePointer
  ) -> Int32 {
    sd_bus_message_open_container(message, CChar(UInt8(ascii: "a")), "(\(types))")
    for row in rows {
      sd_bus_message_open_container(message, CChar(UInt8(ascii: "r")), types)
      for value in row { append(value, to: message) }
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

/// Reads from a message; nil if the next value is of another type.
public enum BusReader {
  public static func uint32(_ message: OpaquePointer) -> UInt32? {
    var value: UInt32 = 0
    return read("u", &value, message) ? value : nil
  }

  public static func byte(_ message: OpaquePointer) -> UInt8? {
    var value: UInt8 = 0
    return read("y", &value, message) ? value : nil
  }

  public static func unsigned(_ message: OpaquePointer) -> UInt64? {
    var value: UInt64 = 0
    return read("t", &value, message) ? value : nil
  }

  public static func signed(_ message: OpaquePointer) -> Int64? {
    var value: Int64 = 0
    return read("x", &value, message) ? value : nil
  }

  public static func flag(_ message: OpaquePointer) -> Bool? {
    // sd-bus gives a D-Bus boolean as an int.
    var value: Int32 = 0
    return read("b", &value, message) ? value != 0 : nil
  }

  public static func number(_ message: OpaquePointer) -> Double? {
    var value = 0.0
    return read("d", &value, message) ? value : nil
  }

  public static func text(_ message: OpaquePointer) -> String? {
    var text: UnsafePointer<CChar>?
    guard read("s", &text, message), let text else { return nil }
    return String(cString: text)
  }

  /// A dictionary of texts, `a{ss}`.
  public static func fields(_ message: OpaquePointer) -> [String: String]? {
    guard enter("a", "{ss}", message) else { return nil }
    var values: [String: String] = [:]
    while enter("e", "ss", message) {
      guard let name = text(message), let value = text(message) else { return nil }
      values[name] = value
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    return values
  }

  /// A dictionary of properties, `a{sv}`. A property of a type that none of ours has is left out.
  public static func properties(_ message: OpaquePointer) -> [String: BusValue]? {
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
    let types = type.hasPrefix("a(") ? String(type.dropFirst(2).dropLast()) : type
    guard types.allSatisfy({ "sbutxd".contains($0) }) else {
      sd_bus_message_skip(message, "v")
      return nil
    }
    guard enter("v", type, message) else { return nil }
    defer { sd_bus_message_exit_container(message) }
    return types == type ? value(type, message) : rows(types, message)
  }

  /// A value of a basic type.
  private static func value(_ type: some StringProtocol, _ message: OpaquePointer) -> BusValue? {
    switch type {
    case "s": return text(message).map { .text($0) }
    case "b": return flag(message).map { .flag($0) }
    case "u": return uint32(message).map { .small($0) }
    case "t": return unsigned(message).map { .unsigned($0) }
    case "x": return signed(message).map { .signed($0) }
    default: return number(message).map { .number($0) }
    }
  }

  private static func rows(_ types: String, _ message: OpaquePointer) -> BusValue? {
    guard enter("a", "(\(types))", message) else { return nil }
    var rows: [[BusValue]] = []
    while enter("r", types, message) {
      var row: [BusValue] = []
      for type in types {
        guard let value = value(String(type), message) else { return nil }
        row.append(value)
      }
      rows.append(row)
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    return .rows(types, rows)
  }

  static func enter(
    _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer
  ) -> Bool {
    sd_bus_message_enter_container(message, CChar(type.value), contents) > 0
  }

  static func read(
    _ type: Unicode.Scalar, _ value: UnsafeMutableRawPointer, _ message: OpaquePointer
  ) -> Bool {
    sd_bus_message_read_basic(message, CChar(type.value), value) > 0
  }
}
