import Foundation
import Sound

/// A folder that is removed with its owner.
final class TemporaryFolder {
  let path: String

  init() {
    let template = NSTemporaryDirectory() + "/clocksmith-test-XXXXXX"
    path = template.withCString { text in
      let copy = strdup(text)!
      defer { free(copy) }
      return String(cString: mkdtemp(copy))
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  /// Writes a mono clip.
  @discardableResult
  func write(_ name: String, rate: Int = 48_000, samples: [Float]) throws -> String {
    let writer = try SoundFileWriter(path: "\(path)/\(name)", rate: rate)
    try samples.withUnsafeBufferPointer { block throws in try writer.write(block) }
    try writer.finish()
    return "\(path)/\(name)"
  }

  /// Cuts a file off after so many bytes.
  func tear(_ name: String, to bytes: Int) {
    truncate("\(path)/\(name)", off_t(bytes))
  }

  var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }
}

/// Renders a whole score in blocks of the given size.
func render(_ score: Score, blockFrames: Int) throws -> [Float] {
  let mixer = Mixer(score: score)
  var rendered: [Float] = []
  let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockFrames)
  defer { block.deallocate() }
  while rendered.count < score.frames {
    try mixer.render(into: block)
    rendered += block
  }
  return Array(rendered.prefix(score.frames))
}

/// A sine of amplitude 0.5.
func sine(_ frequency: Double, rate: Int, frames: Int) -> [Float] {
  (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}
