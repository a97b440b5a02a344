import CJSON

/// One JSON object, printed by json-c on one line, with its keys in the order in which they were
/// set.
public struct JSONLine {
  private let object: Object

  /// The owner of a json-c object.
  private final class Object {
    let pointer = json_object_new_object()!
    deinit { json_object_put(pointer) }
  }

  public init() {
    object = Object()
  }

  /// Sets a key; nil is null.
  public func set(_ key: String, _ text: String?) {
    add(key, text.flatMap { json_object_new_string($0) })
  }

  /// Sets a key; nil is null.
  public func set(_ key: String, _ number: Int?) {
    add(key, number.flatMap { json_object_new_int64(Int64($0)) })
  }

  /// Sets a key; nil is null.
  public func set(_ key: String, _ flag: Bool?) {
    add(key, flag.flatMap { json_object_new_boolean($0 ? 1 : 0) })
  }

  /// Sets a key, rounded to a thousandth, because json-c itself would print all digits; nil is
  /// null.
  public func set(_ key: String, _ number: Double?) {
    add(
      key,
      number.flatMap { number in
        let rounded = (number * 1000).rounded() / 1000
        return json_object_new_double_s(rounded, "\(rounded)")
      })
  }

  /// Sets a key to an array of objects.
  public func set(_ key: String, _ lines: [JSONLine]) {
    let array = json_object_new_array()
    for line in lines { json_object_array_add(array, json_object_get(line.object.pointer)) }
    add(key, array)
  }

  /// Sets a key to an object.
  public func set(_ key: String, _ line: JSONLine) {
    add(key, json_object_get(line.object.pointer))
  }

  /// Sets a key to an array of texts.
  public func set(_ key: String, _ texts: [String]) {
    let array = json_object_new_array()
    for text in texts { json_object_array_add(array, json_object_new_string(text)) }
    add(key, array)
  }

  private func add(_ key: String, _ value: OpaquePointer?) {
    json_object_object_add(object.pointer, key, value)
  }

  /// Safe for a terminal. json-c itself escapes only the control characters of ASCII.
  public var text: String { Self.text(of: object.pointer) }

  static func text(of object: OpaquePointer) -> String {
    String(
      cString: json_object_to_json_string_ext(
        object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
    ).printable { scalar in
      String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
  }
}
