import CJSON
@preconcurrency import Glibc

/// A record as one JSON object, by json-c.
extension Record {
  /// Parses a text that is one object, of at most the 32 levels that json-c reads, perhaps behind a byte
  /// order mark. A key that is null is missing.
  public init(json text: String, path: String) throws(Fault) {
    // PowerShell and some editors begin every text with it.
    let isMarked = text.unicodeScalars.first == "\u{FEFF}"
    let text = isMarked ? String(text.unicodeScalars.dropFirst()) : text
    // json-c would silently ignore everything after a zero byte.
    if text.utf8.contains(0) { throw Fault(path, "it is not JSON: there is a zero byte in it") }
    guard let tokener = json_tokener_new() else { throw Fault("json-c", errno: ENOMEM) }
    defer { json_tokener_free(tokener) }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT)
    // Only the character after it ends a word, as in `null`, or a number.
    let parsed = json_tokener_parse_ex(tokener, text + " ", Int32(text.utf8.count + 1))
    let code = json_tokener_get_error(tokener)
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
    defer { json_object_put(parsed) }
    try self.init(parsed, path)
  }

  /// On one line, safe for a terminal.
  public var json: String {
    let object = object
    defer { json_object_put(object) }
    let flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE
    // json-c itself escapes only the control characters of ASCII.
    return String(cString: json_object_to_json_string_ext(object, flags)).printable { scalar in
      String(scalar).utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
    }
  }

  fileprivate init(_ object: OpaquePointer, _ path: String) throws(Fault) {
    self.init()
    var next = json_object_iter_begin(object)
    var end = json_object_iter_end(object)
    while json_object_iter_equal(&next, &end) == 0 {
      let key = String(cString: json_object_iter_peek_name(&next))
      // null has no object.
      if let value = json_object_iter_peek_value(&next) {
        self[key] = try Value(value, key, path)
      }
      json_object_iter_next(&next)
    }
  }

  fileprivate var object: OpaquePointer {
    let object = json_object_new_object()!
    for (key, value) in fields { json_object_object_add(object, key, value.object) }
    return object
  }
}

extension Value {
  fileprivate init(_ object: OpaquePointer, _ key: String, _ path: String) throws(Fault) {
    switch json_object_get_type(object) {
    case json_type_boolean: self = .flag(json_object_get_boolean(object) == 1)
    case json_type_int: self = .integer(json_object_get_int64(object))
    case json_type_double:
      let number = json_object_get_double(object)
      // json-c takes NaN and Infinity, which are not JSON, and makes infinity of what is too large.
      guard number.isFinite else { throw Fault(path, "\(key) \(number) is not a finite number") }
      self = .real(number)
    case json_type_string:
      let text = String(cString: json_object_get_string(object))
      // Cut off at the zero byte, two different texts would be the same.
      guard text.utf8.count == json_object_get_string_len(object) else {
        throw Fault(path, "\(key) has a zero byte in it")
      }
      self = .text(text)
    case json_type_array:
      var values: [Value] = []
      for index in 0..<json_object_array_length(object) {
        guard let element = json_object_array_get_idx(object, index) else {
          throw Fault(path, "\(key) has a null in it")
        }
        values.append(try Value(element, key, path))
      }
      self = .list(values)
    default: self = .record(try Record(object, path))
    }
  }

  fileprivate var object: OpaquePointer? {
    switch self {
    case .text(let text): json_object_new_string(text)
    case .integer(let number): json_object_new_int64(number)
    // json-c itself would print all digits.
    case .real(let number): json_object_new_double_s(number, "\(number)")
    case .flag(let flag): json_object_new_boolean(flag ? 1 : 0)
    case .record(let record): record.object
    case .list(let values):
      values.reduce(into: json_object_new_array()) { json_object_array_add($0, $1.object) }
    }
  }
}
