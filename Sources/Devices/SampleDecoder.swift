@preconcurrency import Glibc

/// Turns interleaved frames of a device's format into mono frames: those of the channel that has
/// been the loudest lately. On a stereo card a microphone may be on either channel.
final class SampleDecoder {
  /// Bytes of one frame of the device.
  private let frameBytes: Int
  private let format: SampleFormat
  private let buffer: UnsafeMutableRawBufferPointer
  /// Of each channel, the highest magnitude lately: it halves with each second.
  private var peaks: [Float]
  /// The channel that is taken.
  private var channel = 0
  private static let blockFrames = 1024

  init(format: SampleFormat, channels: Int) {
    self.format = format
    frameBytes = channels * format.bytes
    peaks = [Float](repeating: 0, count: channels)
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
    let frames = 0..<max(count, 0)
    for channel in peaks.indices {
      let faded = peaks[channel] * exp2(-Float(frames.count) / 48_000)
      peaks[channel] = frames.reduce(faded) { max($0, sample($1, channel).magnitude) }
    }
    // Not for a small difference: a change within a word clicks.
    if let loudest = peaks.indices.max(by: { peaks[$0] < peaks[$1] }),
      peaks[loudest] > 2 * peaks[channel]
    {
      channel = loudest
    }
    for frame in frames { block[frame] = sample(frame, channel) }
    return count
  }

  private func sample(_ frame: Int, _ channel: Int) -> Float {
    let offset = frame * frameBytes + channel * format.bytes
    return switch format {
    case .float32: buffer.load(fromByteOffset: offset, as: Float.self)
    case .integer32:
      Float(Double(buffer.load(fromByteOffset: offset, as: Int32.self)) / 2_147_483_648)
    case .integer16: Float(buffer.load(fromByteOffset: offset, as: Int16.self)) / 32_768
    }
  }
}
