import Foundation
import TestSupport
import Testing

/// Inputs that the fuzzer found worth keeping: those that reached new code, and those that once
/// broke a promise.
@Suite struct CorpusTests {
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("fuzz/corpus")

  @Test("every reader keeps its promises for all that was found", arguments: Reader.allCases)
  func replay(_ reader: Reader) throws {
    let inputs = try FileManager.default.contentsOfDirectory(
      at: Self.corpus.appendingPathComponent(reader.rawValue), includingPropertiesForKeys: nil)
    #expect(!inputs.isEmpty)
    let folder = TemporaryFolder()
    for input in inputs { reader.read(Array(try Data(contentsOf: input)), in: folder.path) }
  }
}
