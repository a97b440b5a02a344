/// Who gives a fact its value. Each may also give what those before it may.
public enum Giver: Int, Comparable, Sendable {
  case network
  /// At the command, and whoever else may call the clock over the bus of the machine. The relay does,
  /// too: it has checked what comes from the network.
  case person
  case file

  public static func < (left: Giver, right: Giver) -> Bool { left.rawValue < right.rawValue }
}

/// What is true of a fact whatever type has it.
public struct Fact: Sendable {
  public let name: String
  /// What a value may be, as in `1 to 1000`.
  public let allowed: String
  public fileprivate(set) var isRequired = false
  /// What it is if nobody gives it, as a file has it; nil if that is nothing, or not always the same.
  public fileprivate(set) var usual: String?
  /// Nil if it is no option of a command.
  public fileprivate(set) var option: Option?
  /// Whoever is trusted less may not give it.
  public fileprivate(set) var giver = Giver.network
  /// Why somebody may not give this value, and what they may; nil if they may give it.
  fileprivate var flaw: @Sendable (Value, Giver) -> BadValue? = { _, _ in nil }

  public init<Meaning>(_ key: Key<Meaning>, isRequired: Bool = false) {
    (name, allowed, self.isRequired) = (key.name, key.allowed, isRequired)
  }
}

/// A fact of a type, and where the type keeps it. A list of them is the schema of the type: its record,
/// the section of a file, the options of a command and the keys of a request follow from it.
///
///     static let fields: [Field<Self>] = [Field(.text("name"), \.name), Field(.instant("at"), \.at)]
///     var record: Record { Record(self, Self.fields) }
public struct Field<Root>: Sendable {
  public private(set) var fact: Fact
  /// Nil if it is missing.
  public let value: @Sendable (Root) -> Value?
  /// Sets what a record has of it.
  let read: @Sendable (Record, inout Root) throws(BadValue) -> Void
  /// Takes the line of a file or the argument of an option; false if it is not allowed.
  public let parse: @Sendable (inout Root, String) throws -> Bool

  /// Every value there is, as a file has them; empty if they cannot be listed.
  public private(set) var choices: @Sendable (Root) -> [String] = { _ in [] }
  /// Only a file may give a value that is none of them.
  public private(set) var isOneOfChoices = false
  /// A text as it is shown and saved.
  public private(set) var asWritten: @Sendable (String) -> String = { $0 }

  public var name: String { fact.name }

  /// The compiler does not know that key paths of value types may be shared.
  public typealias Path<Meaning> = WritableKeyPath<Root, Meaning> & Sendable

  /// - Parameter set: nothing if the value follows from others.
  public init<Meaning>(
    _ key: Key<Meaning>, _ meaning: @escaping @Sendable (Root) -> Meaning?,
    set: @escaping @Sendable (inout Root, Meaning) -> Void = { _, _ in }
  ) {
    fact = Fact(key)
    value = { meaning($0).map(key.write) }
    read = { record, root throws(BadValue) in
      if let meaning = try record.optional(key) { set(&root, meaning) }
    }
    parse = { root, text in
      guard let meaning = try key.parse(text) else { return false }
      set(&root, meaning)
      return true
    }
  }

  public init<Meaning>(_ key: Key<Meaning>, _ path: Path<Meaning>) {
    self.init(key, { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
  }

  public init<Meaning>(_ key: Key<Meaning>, _ path: Path<Meaning?>) {
    self.init(key, { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
  }

  /// The text `none` takes it away.
  public init<Meaning>(_ key: Key<Meaning>, orNone path: Path<Meaning?>) {
    let optional = Key<Meaning?>(
      key.name, allowed: "none, or \(key.allowed)", write: { $0.map(key.write) ?? .text("none") },
      read: { $0 == .text("none") ? .some(nil) : key.read($0).map { .some($0) } },
      parse: { $0 == "none" ? .some(nil) : try key.parse($0).map { .some($0) } })
    self.init(
      optional, { $0[keyPath: path].map { .some($0) } }, set: { $0[keyPath: path] = $1 })
  }

  /// A fact that is only read from a text, as the line of a file.
  /// - Parameter take: sets it; false, or an error that says why, for what is not allowed.
  public init(
    _ name: String, usual: String?, _ allowed: String,
    take: @escaping @Sendable (inout Root, String) throws -> Bool
  ) {
    fact = Fact(Key<String>.text(name, allowed: allowed))
    fact.usual = usual
    value = { _ in nil }
    read = { _, _ in }
    parse = take
  }

  /// The same, of what a path leads to.
  public init<Meaning>(
    _ name: String, _ path: Path<Meaning>, usual: String? = nil, _ allowed: String,
    _ parse: @escaping @Sendable (String) throws -> Meaning?
  ) {
    self.init(name, usual: usual, allowed) { root, text in
      guard let meaning = try parse(text) else { return false }
      root[keyPath: path] = meaning
      return true
    }
  }

  /// A fact of a part, as one of the whole.
  public init<Part>(
    _ field: Field<Part>, usual: String?,
    take: @escaping @Sendable (inout Root, String) throws -> Bool
  ) {
    self.init(field.name, usual: usual, field.fact.allowed, take: take)
    fact = field.fact
    fact.usual = usual
  }

  /// A text that is missing if it is empty.
  public static func text(_ name: String, _ path: Path<String>) -> Field {
    Field(
      .text(name), { $0[keyPath: path].isEmpty ? nil : $0[keyPath: path] },
      set: { $0[keyPath: path] = $1 })
  }
}

/// A text that does not mean what is wanted.
public struct TextFlaw: Error, Hashable, CustomStringConvertible {
  /// One sentence: what is wrong, and what to write.
  public let description: String

  public init(description: String) {
    self.description = description
  }
}

extension Field {
  public var required: Field { with { $0.isRequired = true } }

  public func given(by giver: Giver) -> Field { with { $0.giver = giver } }

  public func refused(_ flaw: @escaping @Sendable (Value, Giver) -> BadValue?) -> Field {
    with { $0.flaw = flaw }
  }

  /// - Parameters:
  ///   - argument: its name in the help; nil if it takes none.
  ///   - help: the explanation of the option.
  public func option(_ argument: String?, _ help: String) -> Field {
    with { $0.option = Option(name: $0.name, argument: argument, help: help) }
  }

  public func among(_ choices: @escaping @Sendable (Root) -> [String]) -> Field {
    var field = self
    field.choices = choices
    return field
  }

  public func oneOf(_ choices: @escaping @Sendable (Root) -> [String]) -> Field {
    var field = among(choices)
    field.isOneOfChoices = true
    return field
  }

  public func written(_ asWritten: @escaping @Sendable (String) -> String) -> Field {
    var field = self
    field.asWritten = asWritten
    return field
  }

  private func with(_ change: (inout Fact) -> Void) -> Field {
    var field = self
    change(&field.fact)
    return field
  }

  /// As a key of a file.
  public var take: INIKey<Root> {
    { root, text in
      do {
        return try parse(&root, text) ? nil : "allowed: \(fact.allowed)"
      } catch {
        return "\(error)"
      }
    }
  }
}

extension Array {
  /// The options of a command that gives these facts.
  public func options<Root>() -> [Option] where Element == Field<Root> {
    compactMap { $0.fact.giver <= .person ? $0.fact.option : nil }
  }
}

extension Arguments {
  /// Takes the options that give facts.
  public func fill<Root>(_ root: inout Root, _ fields: [Field<Root>]) throws {
    for field in fields {
      guard let option = field.fact.option, let given = self[field.name] else { continue }
      let text = option.argument == nil ? "true" : given
      do {
        guard try field.parse(&root, text) else {
          let value = Int64(text).map { Value.integer($0) } ?? .text(text)
          throw BadValue(key: field.name, value: value, allowed: field.fact.allowed)
        }
      } catch let flaw as BadValue {
        throw Misuse(description: "--\(flaw)")
      } catch {
        throw Misuse(description: "--\(field.name) \(error)")
      }
    }
  }
}

extension Record {
  public init<Root>(_ root: Root, _ fields: [Field<Root>]) {
    for field in fields { self[field.name] = field.value(root) }
  }

  /// Sets what this record has of a type. Keys that are missing or unknown change nothing.
  /// - Throws: `BadValue` for a value that is not allowed, and for a required key that is missing.
  public func fill<Root>(_ root: inout Root, _ fields: [Field<Root>]) throws(BadValue) {
    for field in fields {
      try requireIfNeeded(field.fact)
      try field.read(self, &root)
    }
  }

  private func requireIfNeeded(_ fact: Fact) throws(BadValue) {
    guard fact.isRequired, self[fact.name] == nil else { return }
    throw BadValue(key: fact.name, value: nil, allowed: fact.allowed)
  }

  /// - Throws: `BadValue` for a key that none of these facts has, a required one that is missing, and a
  ///   value that this giver may not give.
  public func check(_ facts: [Fact], from giver: Giver) throws(BadValue) {
    let known = facts.filter { $0.giver <= giver }
    for (key, value) in fields {
      guard let fact = known.first(where: { $0.name == key }) else {
        throw BadValue(unknown: key, known: known.map(\.name))
      }
      if let flaw = fact.flaw(value, giver) { throw flaw }
    }
    for fact in known { try requireIfNeeded(fact) }
  }
}
