import Basics
import CSystemd

public final class BusMessage {
  public let pointer: OpaquePointer

  public init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

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
  public static func append(text: String, to message: OpaquePointer) -> Int32 {
    text.withCString { append(type: "s", $0, to: message) }
  }

  static func append(
    type: Unicode.Scalar, _ value: UnsafeRawPointer, to message: OpaquePointer
  ) -> Int32 {
    sd_bus_message_append_basic(message, CChar(type.value), value)
  }
}

/// Reads from a message; nil if the next value is of another type.
public enum BusReader {
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
