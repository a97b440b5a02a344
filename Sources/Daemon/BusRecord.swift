import Basics
import CSystemd

/// A record as the `a{sv}` of a D-Bus message.
extension BusWriter {
  /// Appends a record. Lists of it hold records, or texts.
  @discardableResult
  public static func append(_ record: Record, to message: OpaquePointer) -> Int32 {
    open("a", "{sv}", message)
    for (key, value) in record.fields {
      open("e", "sv", message)
      append(text: key, to: message)
      append(variant: value, to: message)
      sd_bus_message_close_container(message)
    }
    return sd_bus_message_close_container(message)
  }

  /// Appends a list of records, one after another.
  /// - Parameter each: calls what it is given for each record.
  public static func append(
    to message: OpaquePointer, _ each: ((Record) -> Void) -> Void
  ) -> Int32 {
    open("a", "a{sv}", message)
    each { append($0, to: message) }
    return sd_bus_message_close_container(message)
  }

  private static func append(variant value: Value, to message: OpaquePointer) {
    let type = value.busType
    open("v", type, message)
    append(value, type, to: message)
    sd_bus_message_close_container(message)
  }

  /// - Parameter type: its D-Bus type; an empty list has no other.
  @discardableResult
  public static func append(
    _ value: Value, _ type: String, to message: OpaquePointer
  ) -> Int32 {
    switch value {
    case .text(let text): return append(text: text, to: message)
    case .integer(var number): return append(type: "x", &number, to: message)
    case .real(var number): return append(type: "d", &number, to: message)
    case .flag(let flag):
      // sd-bus takes a D-Bus boolean as an int.
      var number: Int32 = flag ? 1 : 0
      return append(type: "b", &number, to: message)
    case .record(let record): return append(record, to: message)
    case .list(let values):
      let element = String(type.dropFirst())
      open("a", element, message)
      for value in values { append(value, element, to: message) }
      return sd_bus_message_close_container(message)
    }
  }

  private static func open(
    _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer
  ) {
    sd_bus_message_open_container(message, CChar(type.value), contents)
  }
}

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
    let words = key.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return prefix + words.joined()
  }

  /// Nil for the name of another error.
  public static func key(ofName name: String) -> String? {
    guard name.hasPrefix(prefix) else { return nil }
    return Record.key(ofProperty: String(name.dropFirst(prefix.count)))
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

extension BusReader {
  /// The most keys of a record. Ours have fewer than forty.
  private static let mostKeys = 200
  /// How deep records may lie in records.
  private static let deepest = 4

  /// Reads an `a{sv}`. Nil for anything else, and for a record that no reader of ours could mean.
  /// - Parameter isStrict: true if a value of a type that records do not have is an error; otherwise
  ///   it is left out, as a later writer may know more types.
  public static func record(_ message: OpaquePointer, isStrict: Bool = false) -> Record? {
    record(message, isStrict, depth: 0)
  }

  private static func record(
    _ message: OpaquePointer, _ isStrict: Bool, depth: Int
  ) -> Record? {
    guard depth < deepest, enter("a", "{sv}", message) else { return nil }
    var record = Record()
    while enter("e", "sv", message) {
      guard record.fields.count < mostKeys, let key = text(message) else { return nil }
      var contents: UnsafePointer<CChar>?
      guard sd_bus_message_peek_type(message, nil, &contents) > 0, let contents else { return nil }
      let type = String(cString: contents)
      if isKnown(type) {
        guard enter("v", type, message), let value = value(type, message, isStrict, depth) else {
          return nil
        }
        record[key] = value
        sd_bus_message_exit_container(message)
      } else {
        guard !isStrict else { return nil }
        sd_bus_message_skip(message, "v")
      }
      sd_bus_message_exit_container(message)
    }
    sd_bus_message_exit_container(message)
    return record
  }

  private static func isKnown(_ type: String) -> Bool {
    ["s", "b", "d", "x", "t", "i", "u", "n", "q", "y", "a{sv}", "as", "aa{sv}"].contains(type)
  }

  private static func value(
    _ type: String, _ message: OpaquePointer, _ isStrict: Bool, _ depth: Int
  ) -> Value? {
    switch type {
    case "s": return text(message).map { .text($0) }
    case "b": return flag(message).map { .flag($0) }
    case "d": return number(message).map { .real($0) }
    case "x": return signed(message).map { .integer($0) }
    case "t":
      return unsigned(message).map { number in
        Int64(exactly: number).map { .integer($0) } ?? .real(Double(number))
      }
    case "i", "u", "n", "q", "y": return small(type, message).map { .integer($0) }
    case "a{sv}": return record(message, isStrict, depth: depth + 1).map { .record($0) }
    default:
      let element = String(type.dropFirst())
      guard enter("a", element, message) else { return nil }
      var values: [Value] = []
      while sd_bus_message_at_end(message, 0) == 0 {
        guard let value = value(element, message, isStrict, depth) else { return nil }
        values.append(value)
      }
      sd_bus_message_exit_container(message)
      return .list(values)
    }
  }

  /// A whole number of at most 32 bits.
  private static func small(_ type: String, _ message: OpaquePointer) -> Int64? {
    // Large enough for each of them; D-Bus writes each in this machine's byte order.
    var bits: UInt32 = 0
    guard read(type.unicodeScalars.first!, &bits, message) else { return nil }
    return switch type {
    case "i": Int64(Int32(bitPattern: bits))
    case "n": Int64(Int16(truncatingIfNeeded: bits))
    default: Int64(bits)
    }
  }
}
