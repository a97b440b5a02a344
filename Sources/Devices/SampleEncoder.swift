/// Turns mono frames into interleaved frames of a device's format, the same in each channel.
final class SampleEncoder {
  private let format: SampleFormat
  private let channels: Int
  private let buffer: UnsafeMutableRawBufferPointer
  private static let blockFrames = 1024

  init(format: SampleFormat, channels: Int) {
    self.format = format
    self.channels = channels
    buffer = .allocate(byteCount: Self.blockFrames * channels * format.bytes, alignment: 8)
  }

  deinit {
    buffer.deallocate()
  }

  /// Encodes as many of `frames` as fit into its buffer, and hands them to `body`.
  func encode<Result>(
    _ frames: UnsafeBufferPointer<Float>, _ body: (UnsafeRawPointer, _ frames: Int) -> Result
  ) -> Result {
    let count = min(frames.count, Self.blockFrames)
    for index in 0..<count {
      let sample = min(max(frames[index], -1), 1)
      for channel in 0..<channels {
        let offset = (index * channels + channel) * format.bytes
        switch format {
        case .float32: buffer.storeBytes(of: sample, toByteOffset: offset, as: Float.self)
        case .integer32:
          buffer.storeBytes(
            of: Int32((Double(sample) * 2_147_483_647).rounded()), toByteOffset: offset,
            as: Int32.self)
        case .integer16:
          buffer.storeBytes(
            of: Int16((sample * 32_767).rounded()), toByteOffset: offset, as: Int16.self)
        }
      }
    }
    return body(UnsafeRawPointer(buffer.baseAddress!), count)
  }
}
