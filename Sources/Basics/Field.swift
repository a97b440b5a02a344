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
  /// Nil if it is no option of a command.
  public fileprivate(set) var option: Option?
  /// Whoever is trusted less may not give it.
  public fileprivate(set) var giver = Giver.network
  /// Why somebody may not give this text; nil if they may.
  fileprivate var flaw: @Sendable (String, Giver) -> BadValue? = { _, _ in nil }

  public init<Meaning>(_ key: Key<Meaning>) { (name, allowed) = (key.name, key.allowed) }
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
  /// Takes what a record has of it; false if it is not allowed.
  let read: @Sendable (inout Root, Value) -> Bool
  /// Takes the line of a file or the argument of an option; false if it is not allowed.
  public let parse: @Sendable (inout Root, String) throws -> Bool

  /// Every value there is, as a file has them; empty if they cannot be listed.
  public private(set) var choices: @Sendable (Root) -> [String] = { _ in [] }
  /// Only a file may give a value that is none of them.
  public private(set) var isOneOfChoices = false
  /// A text is shown and saved as the value is written, and not as it was typed.
  public private(set) var isRewritten = false

  public var name: String { fact.name }

  /// The compiler does not know that key paths of value types may be shared.
  public typealias Path<Meaning> = WritableKeyPath<Root, Meaning> & Sendable

  /// - Parameter set: nothing if the value follows from others.
  public init<Meaning>(
    _ key: Key<Meaning>, _ meaning: @escaping @Sendable (Root) -> Meaning?,
    set: @escaping @Sendable (inout Root, Meaning) -> Void = { _, _ in }
  ) {
    // Of the key, each keeps no more than it needs: there are many fields.
    let (write, read, parse) = (key.write, key.read, key.parse)
    fact = Fact(key)
    value = { meaning($0).map(write) }
    self.read = { root, value in
      guard let meaning = read(value) else { return false }
      set(&root, meaning)
      return true
    }
    self.parse = { root, text in
      guard let meaning = try parse(text) else { return false }
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

  /// A fact of a part, which a file gives to the whole.
  public init<Part>(
    of part: Field<Part>, value: @escaping @Sendable (Root) -> Value?,
    parse: @escaping @Sendable (inout Root, String) throws -> Bool
  ) {
    (fact, self.value, self.parse) = (part.fact, value, parse)
    read = { _, _ in false }
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
  public var required: Field { with { $0.fact.isRequired = true } }

  public func given(by giver: Giver) -> Field { with { $0.fact.giver = giver } }

  /// Refuses some texts, of some givers.
  public func refused(_ flaw: @escaping @Sendable (String, Giver) -> BadValue?) -> Field {
    with { $0.fact.flaw = flaw }
  }

  /// - Parameters:
  ///   - argument: its name in the help; nil if it takes none.
  ///   - help: the explanation of the option.
  public func option(_ argument: String?, _ help: String) -> Field {
    with { $0.fact.option = Option(name: name, argument: argument, help: help) }
  }

  public func among(_ choices: @escaping @Sendable (Root) -> [String]) -> Field {
    with { $0.choices = choices }
  }

  public func oneOf(_ choices: @escaping @Sendable (Root) -> [String]) -> Field {
    with { ($0.choices, $0.isOneOfChoices) = (choices, true) }
  }

  public var rewritten: Field { with { $0.isRewritten = true } }

  private func with(_ change: (inout Field) -> Void) -> Field {
    var field = self
    change(&field)
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
      guard let value = self[field.name], !field.read(&root, value) else { continue }
      throw BadValue(key: field.name, value: value, allowed: field.fact.allowed)
    }
  }

  private func requireIfNeeded(_ fact: Fact) throws(BadValue) {
    guard fact.isRequired, self[fact.name] == nil else { return }
    throw BadValue(key: fact.name, value: nil, allowed: fact.allowed)
  }

  /// - Throws: `BadValue` for a key that none of these facts has, or a key or a text that this giver may
  ///   not give, and for a required one that is missing.
  public func check(_ facts: [Fact], from giver: Giver) throws(BadValue) {
    let known = facts.filter { $0.giver <= giver }
    let names = known.map(\.name)
    for (key, _) in fields where !names.contains(key) {
      throw BadValue(unknown: key, known: names)
    }
    for fact in known {
      try requireIfNeeded(fact)
      if let text = self[fact.name]?.text, let flaw = fact.flaw(text, giver) { throw flaw }
    }
  }
}
