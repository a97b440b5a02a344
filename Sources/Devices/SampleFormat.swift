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

  /// ALSA's names of all the formats that a device has, as in `S24_3LE`.
  static func names(_ pcm: OpaquePointer, _ parameters: OpaquePointer?) -> [String] {
    (0...SND_PCM_FORMAT_LAST.rawValue).map { snd_pcm_format_t(rawValue: $0) }
      .filter { snd_pcm_hw_params_test_format(pcm, parameters, $0) == 0 }
      .compactMap { snd_pcm_format_name($0).map { String(cString: $0) } }
  }

  var bytes: Int { self == .integer16 ? 2 : 4 }
}

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

/// Turns interleaved frames of a device's format into mono frames: those of the channel that has
/// been the loudest lately. On a stereo card a microphone may be on either channel.
final class SampleDecoder {
  private let frameBytes: Int
  private let format: SampleFormat
  private let buffer: UnsafeMutableRawBufferPointer
  /// Of each channel, the highest magnitude lately: it halves with each second.
  private var peaks: [Float]
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
