/// A value that travels: in a file, on the bus, or as JSON.
public enum Value: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  case real(Double)
  case flag(Bool)
  case list([Value])
  case record(Record)
}

/// Keys and their values, in the order in which they were set. There is no null. A reader ignores
/// keys that it does not know, and takes its default for those that are missing.
///
///     var record = Record()
///     record[.length] = .seconds(600)         // {"seconds": 600}
///     let length = try record.value(.length)  // throws if it is missing or out of its range
public struct Record: Hashable, Sendable {
  public private(set) var fields: [(key: String, value: Value)] = []

  /// - Parameter fields: those that are nil are left out.
  public init(_ fields: KeyValuePairs<String, Value?> = [:]) {
    for (key, value) in fields { self[key] = value }
  }

  public init<Meaning>(_ key: Key<Meaning>, _ meaning: Meaning) {
    self[key] = meaning
  }

  public subscript(name: String) -> Value? {
    get { fields.first { $0.key == name }?.value }
    set {
      let index = fields.firstIndex { $0.key == name } ?? fields.count
      let old = index..<min(index + 1, fields.count)
      fields.replaceSubrange(old, with: newValue.map { [(name, $0)] } ?? [])
    }
  }

  /// This record with the fields of another one, which count where both have a key.
  public func merging(_ other: Record) -> Record {
    var record = self
    for (key, value) in other.fields { record[key] = value }
    return record
  }

  /// Nil removes a key. Reading returns nil also for a value that is not allowed.
  public subscript<Meaning>(key: Key<Meaning>) -> Meaning? {
    get { self[key.name].flatMap(key.read) }
    set { self[key.name] = newValue.map(key.write) }
  }

  /// Nil if the key is missing.
  public func optional<Meaning>(_ key: Key<Meaning>) throws(BadValue) -> Meaning? {
    guard let value = self[key.name] else { return nil }
    guard let meaning = key.read(value) else {
      throw BadValue(key: key.name, value: value, allowed: key.allowed)
    }
    return meaning
  }

  public func value<Meaning>(_ key: Key<Meaning>) throws(BadValue) -> Meaning {
    guard let meaning = try optional(key) else {
      throw BadValue(key: key.name, value: nil, allowed: key.allowed)
    }
    return meaning
  }

  public static func == (left: Record, right: Record) -> Bool {
    left.fields.elementsEqual(right.fields) { $0 == $1 }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(fields.map(\.key))
  }
}

/// A fact as it travels: its name, and how its value is written and read.
public struct Key<Meaning>: Sendable {
  /// As in `seconds`: the same in every file, message and table.
  public let name: String
  /// What a value may be, as in `1 to 1000`.
  public let allowed: String
  public let write: @Sendable (Meaning) -> Value
  /// Nil for a value that is not allowed.
  public let read: @Sendable (Value) -> Meaning?
  /// Reads the line of a file or the argument of an option. Nil for what is not allowed, or an error that
  /// says why.
  public let parse: @Sendable (String) throws -> Meaning?

  /// - Parameter parse: nil to take the text as a value.
  public init(
    _ name: String, allowed: String, write: @escaping @Sendable (Meaning) -> Value,
    read: @escaping @Sendable (Value) -> Meaning?,
    parse: (@Sendable (String) throws -> Meaning?)? = nil
  ) {
    (self.name, self.allowed, self.write, self.read) = (name, allowed, write, read)
    self.parse = parse ?? { read(.text($0)) }
  }

  /// The same key, whose line of a file or argument of an option is read in another way.
  public func typed(_ parse: @escaping @Sendable (String) throws -> Meaning?) -> Key {
    Key(name, allowed: allowed, write: write, read: read, parse: parse)
  }
}

/// A key of a record that is missing, unknown, or has a value that is not allowed.
public struct BadValue: Error, Hashable, CustomStringConvertible {
  /// As in `seconds -1 is not allowed; write 1 to 2678400 seconds`.
  public let description: String

  /// - Parameters:
  ///   - value: nil if it is missing.
  ///   - allowed: the end of a sentence, as in `write 1 to 1000`.
  public init(key: String, value: Value?, allowed: String) {
    let flaw = value.map { "\($0.excerpt) is not allowed" } ?? "is missing"
    description = "\(key) \(flaw); write \(allowed)"
  }

  public init(unknown key: String, known: [String]) {
    let remedy = known.isEmpty ? "leave it out" : "there are \(known.joined(separator: ", "))"
    description = "'\(key.shortened)' is not known; \(remedy)\(nearest(to: key, of: known))"
  }

  /// - Parameter why: a sentence that says what to write.
  public init(key: String, because why: String) { description = "\(key): \(why)" }
}

extension Value {
  fileprivate var excerpt: String {
    switch self {
    case .text(let text): "\"\(text.excerpt)\""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .list: "[...]"
    case .record: "{...}"
    }
  }

  public var text: String? { if case .text(let text) = self { text } else { nil } }

  fileprivate var record: Record? { if case .record(let record) = self { record } else { nil } }

  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    // Quotes change nothing of a number. Double also reads `nan` and hexadecimal digits.
    case .text(let text):
      text.plain.allSatisfy { $0.isNumber || ".-".contains($0) } ? Double(text.plain) : nil
    default: nil
    }
  }
}

// MARK: Kinds of keys

extension Key where Meaning == String {
  public static func text(
    _ name: String, allowed: String = "a text",
    where isAllowed: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> Key {
    .parsed(name, allowed: allowed, as: { $0 }, { isAllowed($0) ? $0 : nil })
  }
}

extension Key {
  /// A value that is written as a text.
  public static func parsed(
    _ name: String, allowed: String, as text: @escaping @Sendable (Meaning) -> String,
    _ parse: @escaping @Sendable (String) throws -> Meaning?
  ) -> Key {
    Key(
      name, allowed: allowed, write: { .text(text($0)) },
      read: { if case .text(let text) = $0 { try? parse(text) } else { nil } }, parse: parse)
  }
}

extension Key where Meaning: RawRepresentable<String> & CaseIterable & Sendable {
  public static func choice(_ name: String) -> Key {
    let allowed = Meaning.allCases.map(\.rawValue).joined(separator: ", ")
    return .parsed(name, allowed: allowed, as: { $0.rawValue }, { Meaning(rawValue: $0) })
  }
}

extension Key where Meaning == Bool {
  public static func flag(_ name: String) -> Key {
    Key(
      name, allowed: "true or false", write: { .flag($0) },
      read: {
        [.flag(true): true, .text("true"): true, .flag(false): false, .text("false"): false][$0]
      })
  }
}

extension Key where Meaning == Int {
  public static func integer(_ name: String, _ range: ClosedRange<Int>) -> Key {
    Key(
      name, allowed: "\(range.lowerBound) to \(range.upperBound)", write: { .integer(Int64($0)) },
      // A template may write 8.0 for 8.
      read: { value in
        value.number.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
      })
  }
}

extension Key where Meaning == Double {
  public static func real(_ name: String, _ range: ClosedRange<Double>, _ unit: String) -> Key {
    Key(
      name, allowed: "\(range.lowerBound.plain) to \(range.upperBound.plain) \(unit)",
      write: { .real($0) },
      read: { value in value.number.flatMap { range.contains($0) ? $0 : nil } })
  }
}

extension Key where Meaning == Duration {
  /// In seconds, to the microsecond.
  public static func seconds(_ name: String, _ range: ClosedRange<Duration>) -> Key {
    let bounds = range.lowerBound.seconds...range.upperBound.seconds
    return Key(
      name, allowed: "\(bounds.lowerBound.plain) to \(bounds.upperBound.plain) seconds",
      write: { span in
        let seconds = span.seconds
        return Int64(exactly: seconds).map { .integer($0) } ?? .real(seconds)
      },
      read: { value in
        guard let seconds = value.number, bounds.contains(seconds) else { return nil }
        return .microseconds(Int64((seconds * 1e6).rounded()))
      })
  }
}

extension Key {
  public static func record(
    _ name: String, _ write: @escaping @Sendable (Meaning) -> Record,
    _ read: @escaping @Sendable (Record) throws(BadValue) -> Meaning
  ) -> Key {
    Key(
      name, allowed: "an object", write: { .record(write($0)) },
      read: { $0.record.flatMap { try? read($0) } })
  }

  public static func records<Element>(
    _ name: String, _ write: @escaping @Sendable (Element) -> Record,
    _ read: @escaping @Sendable (Record) throws(BadValue) -> Element
  ) -> Key where Meaning == [Element] {
    .list(
      name, of: "objects", { .record(write($0)) }, { $0.record.flatMap { try? read($0) } })
  }

  private static func list<Element>(
    _ name: String, of elements: String, _ write: @escaping @Sendable (Element) -> Value,
    _ read: @escaping @Sendable (Value) -> Element?
  ) -> Key where Meaning == [Element] {
    Key(
      name, allowed: "a list of \(elements)", write: { .list($0.map(write)) },
      read: { value in
        guard case .list(let values) = value else { return nil }
        let read = values.compactMap(read)
        return read.count == values.count ? read : nil
      })
  }
}

extension Key where Meaning == [String] {
  public static func texts(_ name: String) -> Key {
    .list(
      name, of: "texts", { .text($0) }, { if case .text(let text) = $0 { text } else { nil } })
  }
}

extension Key where Meaning == [Record] {
  public static func records(_ name: String) -> Key {
    .list(name, of: "objects", { .record($0) }, { $0.record })
  }
}

extension Duration {
  fileprivate var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds / 1_000_000_000_000) / 1e6
  }
}

extension Double {
  /// Without `.0` for a whole number.
  fileprivate var plain: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
