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

// MARK: Writing

/// Appends to a message, and returns less than 0 on failure, as sd-bus does.
public enum BusWriter {
  @discardableResult
  public static func append(text: String, to message: OpaquePointer) -> Int32 {
    text.withCString { append("s", $0, message) }
  }

  /// Appends a record as `a{sv}`. Lists of it hold records, or texts.
  @discardableResult
  public static func append(_ record: Record, to message: OpaquePointer) -> Int32 {
    container("a", "{sv}", message) {
      for (key, value) in record.fields {
        container("e", "sv", message) {
          append(text: key, to: message)
          let type = value.busType
          container("v", type, message) { append(value, type, to: message) }
        }
      }
    }
  }

  /// Appends a list of records. `each` calls what it is given for each of them.
  public static func append(
    to message: OpaquePointer, _ each: ((Record) -> Void) -> Void
  ) -> Int32 {
    container("a", "a{sv}", message) { each { append($0, to: message) } }
  }

  /// - Parameter type: its D-Bus type; an empty list has no other.
  @discardableResult
  public static func append(
    _ value: Value, _ type: String, to message: OpaquePointer
  ) -> Int32 {
    switch value {
    case .text(let text): return append(text: text, to: message)
    // The lowest bytes come first, so shorter numbers are the beginning of a long one.
    case .integer(var number): return append(type.unicodeScalars.first ?? "x", &number, message)
    case .real(var number): return append("d", &number, message)
    case .flag(let flag):
      // sd-bus takes a D-Bus boolean as an int.
      var number: Int32 = flag ? 1 : 0
      return append("b", &number, message)
    case .record(let record): return append(record, to: message)
    case .list(let values):
      let element = String(type.dropFirst())
      return container("a", element, message) {
        for value in values { append(value, element, to: message) }
      }
    }
  }

  private static func append(
    _ type: Unicode.Scalar, _ value: UnsafeRawPointer, _ message: OpaquePointer
  ) -> Int32 {
    sd_bus_message_append_basic(message, CChar(type.value), value)
  }

  @discardableResult
  private static func container(
    _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer, _ body: () -> Void
  ) -> Int32 {
    sd_bus_message_open_container(message, CChar(type.value), contents)
    body()
    return sd_bus_message_close_container(message)
  }
}

extension Value {
  fileprivate var busType: String {
    switch self {
    case .text: "s"
    case .integer: "x"
    case .real: "d"
    case .flag: "b"
    case .record: "a{sv}"
    case .list(let values): "a" + (values.first?.busType ?? "s")
    }
  }
}

// MARK: Reading

public enum BusReader {
  /// The most keys of a record. Ours have fewer than forty.
  private static let mostKeys = 200
  private static let deepest = 4

  /// Reads an `a{sv}`. Nil for anything else, for a value of a type that records do not have, and
  /// for a record that no reader of ours could mean.
  /// - Parameter depth: how many records it is in.
  public static func record(_ message: OpaquePointer, depth: Int = 0) -> Record? {
    guard depth < deepest, enter("a", "{sv}", message) else { return nil }
    var record = Record()
    while enter("e", "sv", message) {
      guard record.fields.count < mostKeys, case .text(let key)? = value("s", message)
      else { return nil }
      var contents: UnsafePointer<CChar>?
      guard sd_bus_message_peek_type(message, nil, &contents) > 0, let contents else { return nil }
      let type = String(cString: contents)
      guard enter("v", type, message), let value = value(type, message, depth: depth) else {
        return nil
      }
      record[key] = value
      sd_bus_message_exit_container(message)
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    return record
  }

  /// Reads values, each with a type of one letter, up to the first that has another.
  public static func values(_ types: String, _ message: OpaquePointer) -> [Value] {
    var found: [Value] = []
    for type in types {
      guard let value = value(String(type), message) else { break }
      found.append(value)
    }
    return found
  }

  /// Reads the next value, which has this type; nil if it has another.
  public static func value(
    _ type: String, _ message: OpaquePointer, depth: Int = 0
  ) -> Value? {
    switch type {
    case "s":
      var text: UnsafePointer<CChar>?
      guard read(type, &text, message), let text else { return nil }
      return .text(String(cString: text))
    case "d":
      var number = 0.0
      return read(type, &number, message) ? .real(number) : nil
    case "b", "x", "t", "i", "u", "q":
      // Large enough for each of them; the lowest byte comes first, as on all machines of ours.
      var bits: UInt64 = 0
      guard read(type, &bits, message) else { return nil }
      return switch type {
      case "b": .flag(bits != 0)
      case "x": .integer(Int64(bitPattern: bits))
      case "i": .integer(Int64(Int32(truncatingIfNeeded: bits)))
      default: Int64(exactly: bits).map { .integer($0) } ?? .real(Double(bits))
      }
    case "a{sv}": return record(message, depth: depth + 1).map { .record($0) }
    case "as", "aa{sv}":
      let element = String(type.dropFirst())
      guard enter("a", element, message) else { return nil }
      var values: [Value] = []
      while sd_bus_message_at_end(message, 0) == 0 {
        guard let value = value(element, message, depth: depth) else { return nil }
        values.append(value)
      }
      sd_bus_message_exit_container(message)
      return .list(values)
    default: return nil
    }
  }

  private static func enter(
    _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer
  ) -> Bool {
    sd_bus_message_enter_container(message, CChar(type.value), contents) > 0
  }

  private static func read(
    _ type: String, _ value: UnsafeMutableRawPointer, _ message: OpaquePointer
  ) -> Bool {
    sd_bus_message_read_basic(message, CChar(type.utf8.first!), value) > 0
  }
}

// MARK: Names

extension Record {
  /// Of the properties of an interface: the keys are the names in small letters, as `muted_by` for
  /// `MutedBy`. An empty text and NaN stand for what is missing.
  public init(properties: Record) {
    self.init()
    for (name, value) in properties.fields {
      if case .real(let number) = value, number.isNaN { continue }
      if value == .text("") || value == .record(Record()) { continue }
      self[Self.key(ofProperty: name)] = value
    }
  }

  /// As `MutedBy` for `muted_by`.
  public static func property(ofKey key: String) -> String {
    key.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  public static func key(ofProperty name: String) -> String {
    var key = ""
    var isAfterSmall = false
    for letter in name {
      if letter.isUppercase, isAfterSmall { key.append("_") }
      isAfterSmall = letter.isLowercase
      key += letter.lowercased()
    }
    return key
  }
}

/// The error of a refusal: its name is the refusal's key.
public enum BusError {
  private static let prefix = "org.clocksmith.Error."

  /// As `org.clocksmith.Error.NoTimer` for `no_timer`.
  public static func name(ofKey key: String) -> String {
    prefix + Record.property(ofKey: key)
  }

  /// Nil for the name of another error.
  public static func key(ofName name: String) -> String? {
    guard name.hasPrefix(prefix) else { return nil }
    return Record.key(ofProperty: String(name.dropFirst(prefix.count)))
  }
}
