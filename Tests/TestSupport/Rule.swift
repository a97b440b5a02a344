#if canImport(Testing)
  import Testing

  /// The rules of docs/behaviour.md that a test shows. Tests/tree looks for them in the text.
  public struct Rule: TestTrait {
    public let names: [String]
  }

  extension Trait where Self == Rule {
    public static func rule(_ names: String...) -> Self { Rule(names: names) }
  }
#endif
