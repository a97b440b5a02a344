/// Turns interleaved frames of a device's format into mono frames. It takes the first channel,
/// which is that of a mono microphone.
final class SampleDecoder {
  /// Bytes of one frame of the device.
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

  /// Lets `body` fill the buffer, and decodes its frames.
  /// - Parameter body: gets the buffer and the number of frames it may fill; returns how many there
  ///   are, or an error code.
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
