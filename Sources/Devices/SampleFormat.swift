import CALSA
@preconcurrency import Glibc

/// How one sample is written, best first.
enum SampleFormat: CaseIterable {
  case float32, integer32, integer16

  /// The format of ALSA, in the byte order of this machine.
  var alsaFormat: snd_pcm_format_t {
    switch self {
    case .float32: SND_PCM_FORMAT_FLOAT
    case .integer32: SND_PCM_FORMAT_S32
    case .integer16: SND_PCM_FORMAT_S16
    }
  }

  var bytes: Int { self == .integer16 ? 2 : 4 }
}

/// Turns mono frames into interleaved frames of a device's format, and back.
final class SampleBuffer {
  private let format: SampleFormat
  private let channels: Int
  private let buffer: UnsafeMutableRawBufferPointer
  private static let blockFrames = 1024

  init(format: SampleFormat, channels: Int) {
    self.format = format
    self.channels = channels
    buffer = .allocate(byteCount: Self.blockFrames * channels * format.bytes, alignment: 8)
    // A null device may fill in nothing.
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    buffer.deallocate()
  }

  /// Encodes as many of `frames` as fit into it, the same in each channel, and hands them to `body`.
  func encode<Result>(
    _ frames: UnsafeBufferPointer<Float>, _ body: (UnsafeRawPointer, _ frames: Int) -> Result
  ) -> Result {
    let count = min(frames.count, Self.blockFrames)
    for index in 0..<count * channels {
      let sample = min(max(frames[index / channels], -1), 1)
      let offset = index * format.bytes
      switch format {
      case .float32: buffer.storeBytes(of: sample, toByteOffset: offset, as: Float.self)
      case .integer32:
        let integer = Int32((Double(sample) * 2_147_483_647).rounded())
        buffer.storeBytes(of: integer, toByteOffset: offset, as: Int32.self)
      case .integer16:
        let integer = Int16((sample * 32_767).rounded())
        buffer.storeBytes(of: integer, toByteOffset: offset, as: Int16.self)
      }
    }
    return body(UnsafeRawPointer(buffer.baseAddress!), count)
  }

  /// Lets `body` fill the buffer, and decodes the mean of all channels, because on a stereo card a
  /// microphone may be on either.
  /// - Parameter body: returns how many frames there are, or an error code.
  func decode(
    into block: UnsafeMutableBufferPointer<Float>,
    _ body: (UnsafeMutableRawPointer, _ frames: Int) -> Int
  ) -> Int {
    let count = body(buffer.baseAddress!, min(block.count, Self.blockFrames))
    for frame in 0..<max(count, 0) {
      let first = frame * channels
      block[frame] = (first..<first + channels).reduce(0) { $0 + sample($1) } / Float(channels)
    }
    return count
  }

  private func sample(_ index: Int) -> Float {
    let offset = index * format.bytes
    return switch format {
    case .float32: buffer.load(fromByteOffset: offset, as: Float.self)
    case .integer32:
      Float(Double(buffer.load(fromByteOffset: offset, as: Int32.self)) / 2_147_483_648)
    case .integer16: Float(buffer.load(fromByteOffset: offset, as: Int16.self)) / 32_768
    }
  }
}
