import Basics
import Foundation
import Sound

/// A folder that is removed when this object is freed.
public final class TemporaryFolder {
  public let path: String

  public init() {
    path = NSTemporaryDirectory() + "/clocksmith-test-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  public func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  /// Writes a mono clip.
  @discardableResult
  public func write(_ name: String, rate: Int = 48_000, samples: [Float]) throws -> String {
    let writer = try SoundFileWriter(path: "\(path)/\(name)", rate: rate)
    try samples.withUnsafeBufferPointer { block throws in try writer.write(block) }
    try writer.finish()
    return "\(path)/\(name)"
  }

  /// Truncates a file to `bytes`.
  public func tear(_ name: String, to bytes: Int) {
    truncate("\(path)/\(name)", off_t(bytes))
  }

  public var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }
}
