import Basics
import Foundation
import Horology
import Testing

@testable import Relay

/// docs/clocksmith-relay.openapi.json and the policy of the bus have every command as its form has it.
@Suite struct DescriptionTests {
  private let schemas: Record

  init() throws {
    let text = try Self.text("docs/clocksmith-relay.openapi.json")
    let whole = try Record(json: text, path: "the description")
    schemas = try whole.object("components").object("schemas")
  }

  private static func text(_ path: String) throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try String(
      contentsOf: folder.appendingPathComponent("../../\(path)"), encoding: .utf8)
  }

  @Test("the relay may call every method, and nothing else") func policy() throws {
    let words = try Self.text("systemd/org.clocksmith.Relay.conf").split { " \"/>\n".contains($0) }
    let members = words.indices.filter { words[$0] == "send_member=" }.map { String(words[$0 + 1]) }
    #expect(members.sorted() == Horology.Request.forms.map(\.method).sorted())
    #expect(words.count { $0 == "<allow" } == members.count)
  }

  /// The schema of a command by its name.
  private func schema(of command: String) throws -> Record? {
    let forms = try schemas.object("Command").value(.records("oneOf"))
    return try forms.first { form in
      try names(of: form).contains(command)
    }
  }

  /// The commands that a schema is for.
  private func names(of form: Record) throws -> [String] {
    let name = try form.object("properties").object("command")
    return try name.optional(.texts("enum")) ?? [try name.value(.text("const"))]
  }

  /// What a number may be, as in `1 to 1000`; nil if that is not told.
  private func range(_ property: Record) throws -> String? {
    let parts = try property.optional(.text("$ref"))?.split(separator: "/")
    let schema = try parts.map { try schemas.object(String($0.last!)) } ?? property
    func number(_ name: String) -> String? {
      switch schema[name] {
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      default: nil
      }
    }
    guard let least = number("minimum"), let most = number("maximum") else { return nil }
    return "\(least) to \(most)"
  }

  @Test("a command has the keys and the limits of its form", arguments: Horology.Request.forms)
  func forms(_ form: Horology.Request.Form) throws {
    let schema = try #require(try schema(of: form.name), "\(form.name) is not described")
    let properties = try schema.object("properties")
    let keys = properties.fields.map(\.key).filter { !["command", "id", "expires"].contains($0) }
    let facts = form.facts.filter { $0.giver == .network }
    #expect(keys.sorted() == facts.map(\.name).sorted())
    let required = Set(try schema.value(.texts("required")))
    #expect(required == Set(["command"] + facts.filter(\.isRequired).map(\.name)))
    for fact in facts {
      let range = try range(try properties.object(fact.name))
      let isNumber = fact.allowed.first!.isNumber || fact.allowed.hasPrefix("-")
      if isNumber || range != nil {
        #expect(fact.allowed.hasPrefix("\(range ?? "nothing")"), "\(form.name): \(fact.name)")
      }
    }
  }
}

extension Record {
  fileprivate func object(_ name: String) throws -> Record {
    try value(.record(name, { $0 }, { $0 }))
  }
}
