import CJSON

/// An object that json-c has parsed. Of a key that is not there it answers nil; a value of another
/// type is a `Fault`.
public final class JSONObject {
  private let object: OpaquePointer
  public let path: String

  /// The object that is all of the text; nil for anything else.
  public init?(_ text: String, path: String) {
    guard let tokener = json_tokener_new() else { return nil }
    defer { json_tokener_free(tokener) }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT)
    let parsed = json_tokener_parse_ex(tokener, text, Int32(text.utf8.count))
    guard json_tokener_get_error(tokener) == json_tokener_success, let parsed,
      json_object_is_type(parsed, json_type_object) == 1
    else {
      json_object_put(parsed)
      return nil
    }
    object = parsed
    self.path = path
  }

  /// Takes the reference over.
  private init(owning object: OpaquePointer, path: String) {
    self.object = object
    self.path = path
  }

  deinit {
    json_object_put(object)
  }

  /// The objects of an array; none if the key is not there.
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

  public func integer(_ key: String) throws(Fault) -> Int64? {
    try value(key, [json_type_int], "a whole number").map { json_object_get_int64($0) }
  }

  public func number(_ key: String) throws(Fault) -> Double? {
    try value(key, [json_type_double, json_type_int], "a number").map { json_object_get_double($0) }
  }

  public func flag(_ key: String) throws(Fault) -> Bool? {
    try value(key, [json_type_boolean], "true or false").map { json_object_get_boolean($0) == 1 }
  }

  public func text(_ key: String) throws(Fault) -> String? {
    try value(key, [json_type_string], "a text").map { String(cString: json_object_get_string($0)) }
  }

  private func value(
    _ key: String, _ types: [json_type], _ what: String
  ) throws(Fault) -> OpaquePointer? {
    var value: OpaquePointer?
    guard json_object_object_get_ex(object, key, &value) == 1 else { return nil }
    guard types.contains(where: { json_object_is_type(value, $0) == 1 }) else {
      let told = value.map { String(cString: json_object_to_json_string($0)) } ?? "null"
      throw Fault(path, "\(key) \(told) is not \(what)")
    }
    return value
  }
}
