import CJSON
@preconcurrency import Glibc

/// An object that json-c has parsed. For a key that is missing or has `null` it returns nil; a value
/// of another type is a `Fault`.
public final class JSONObject {
  private let object: OpaquePointer
  public let path: String

  /// Parses a text that is one object.
  /// - Parameter path: where the text comes from, for the errors.
  /// - Throws: `Fault` if the text is anything else, or is nested deeper than the 32 levels that
  ///   json-c reads.
  public init(_ text: String, path: String) throws(Fault) {
    object = try Self.parse(text, path: path)
    self.path = path
  }

  /// - Returns: an object of json-c, which the caller owns.
  static func parse(_ text: String, path: String) throws(Fault) -> OpaquePointer {
    // json-c would silently ignore everything after a zero byte.
    if text.utf8.contains(0) { throw Fault(path, "it is not JSON: there is a zero byte in it") }
    guard let tokener = json_tokener_new() else { throw Fault("json-c", errno: ENOMEM) }
    defer { json_tokener_free(tokener) }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT)
    var parsed = json_tokener_parse_ex(tokener, text, Int32(text.utf8.count))
    var code = json_tokener_get_error(tokener)
    if code == json_tokener_continue {
      // Only the character after it ends a word, as in `null`, or a number.
      parsed = json_tokener_parse_ex(tokener, " ", 1)
      if json_tokener_get_error(tokener) == json_tokener_success { code = json_tokener_success }
    }
    guard code == json_tokener_success else {
      let end = json_tokener_get_parse_end(tokener)
      throw Fault(
        path,
        code == json_tokener_continue
          ? "it is not JSON: it ends too early"
          : "it is not JSON: \(String(cString: json_tokener_error_desc(code))), at byte \(end + 1)")
    }
    // `null` has no object.
    guard let parsed, json_object_is_type(parsed, json_type_object) == 1 else {
      json_object_put(parsed)
      throw Fault(path, "it is no JSON object, as in {\"key\": \"value\"}")
    }
    return parsed
  }

  /// Takes over the reference.
  private init(owning object: OpaquePointer, path: String) {
    self.object = object
    self.path = path
  }

  deinit {
    json_object_put(object)
  }

  /// Its keys that have a value, in their order.
  public var keys: [String] {
    var keys: [String] = []
    var next = json_object_iter_begin(object)
    var end = json_object_iter_end(object)
    while json_object_iter_equal(&next, &end) == 0 {
      if json_object_iter_peek_value(&next) != nil {
        keys.append(String(cString: json_object_iter_peek_name(&next)))
      }
      json_object_iter_next(&next)
    }
    return keys
  }

  /// The objects of an array; empty if the key is not there.
  public func objects(_ key: String) throws(Fault) -> [JSONObject] {
    guard let array = try value(key, [json_type_array], "a list") else { return [] }
    var objects: [JSONObject] = []
    for index in 0..<json_object_array_length(array) {
      guard let element = json_object_array_get_idx(array, index),
        json_object_is_type(element, json_type_object) == 1
      else { throw Fault(path, "\(key) has something else than objects in it") }
      objects.append(JSONObject(owning: json_object_get(element), path: path))
    }
    return objects
  }

  /// A whole number, also as other programs write it: `8.0`.
  public func integer(_ key: String) throws(Fault) -> Int64? {
    let what = "a whole number"
    guard let value = try value(key, [json_type_int, json_type_double], what) else { return nil }
    if json_object_is_type(value, json_type_int) == 1 { return json_object_get_int64(value) }
    guard let number = Int64(exactly: json_object_get_double(value)) else {
      throw wrong(key, value, what)
    }
    return number
  }

  public func number(_ key: String) throws(Fault) -> Double? {
    let types = [json_type_double, json_type_int]
    guard let number = try value(key, types, "a number").map({ json_object_get_double($0) }) else {
      return nil
    }
    // json-c takes NaN and Infinity, which are not JSON, and makes infinity of a number that is too large.
    guard number.isFinite else { throw Fault(path, "\(key) \(number) is not a finite number") }
    return number
  }

  public func flag(_ key: String) throws(Fault) -> Bool? {
    try value(key, [json_type_boolean], "true or false").map { json_object_get_boolean($0) == 1 }
  }

  public func text(_ key: String) throws(Fault) -> String? {
    guard let value = try value(key, [json_type_string], "a text") else { return nil }
    let text = String(cString: json_object_get_string(value))
    // Cut off at the zero byte, two different texts would be the same.
    guard text.utf8.count == json_object_get_string_len(value) else {
      throw Fault(path, "\(key) has a zero byte in it")
    }
    return text
  }

  /// Sets a key to a text.
  public func set(_ key: String, _ text: String) {
    json_object_object_add(object, key, json_object_new_string(text))
  }

  /// The whole object, on one line.
  public var line: String {
    String(
      cString: json_object_to_json_string_ext(
        object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE))
  }

  private func value(
    _ key: String, _ types: [json_type], _ what: String
  ) throws(Fault) -> OpaquePointer? {
    var value: OpaquePointer?
    // `null` is no object.
    guard json_object_object_get_ex(object, key, &value) == 1, let value else { return nil }
    guard types.contains(where: { json_object_is_type(value, $0) == 1 }) else {
      throw wrong(key, value, what)
    }
    return value
  }

  private func wrong(_ key: String, _ value: OpaquePointer, _ what: String) -> Fault {
    let told = String(cString: json_object_to_json_string(value))
    return Fault(path, "\(key) \(told.excerpt) is not \(what)")
  }
}
