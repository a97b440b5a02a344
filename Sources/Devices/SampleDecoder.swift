/// Turns interleaved frames of a device's format into mono ones: those of its first channel, where
/// a microphone of one channel is.
final class SampleDecoder {
  /// Of one of the device's frames.
  private let frameBytes: Int
  private let format: SampleFormat
  private let buffer: UnsafeMutableRawBufferPointer
  private static let blockFrames = 1024

  init(format: SampleFormat, channels: Int) {
    self.format = format
    frameBytes = channels * format.bytes
    buffer = .allocate(byteCount: Self.blockFrames * frameBytes, alignment: 8)
    // A null device may fill in nothing.
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    buffer.deallocate()
  }

  /// Has `body` fill its buffer, and decodes what it filled.
  /// - Parameter body: given room for so many frames, returns how many there are, or an error code.
  /// - Returns: what `body` returned.
  func decode(
    into block: UnsafeMutableBufferPointer<Float>,
    _ body: (UnsafeMutableRawPointer, _ frames: Int) -> Int
  ) -> Int {
    let count = body(buffer.baseAddress!, min(block.count, Self.blockFrames))
    for index in 0..<max(count, 0) {
      let offset = index * frameBytes
      switch format {
      case .float32: block[index] = buffer.load(fromByteOffset: offset, as: Float.self)
      case .integer32:
        block[index] = Float(
          Double(buffer.load(fromByteOffset: offset, as: Int32.self)) / 2_147_483_648)
      case .integer16:
        block[index] = Float(buffer.load(fromByteOffset: offset, as: Int16.self)) / 32_768
      }
    }
    return count
  }
}
