import Basics
import CSampleRate

/// Converts the rate of one sound while it is read, with libsamplerate. Frame 0 comes out as frame 0.
///
/// The library refuses only a wrong use, as a factor over 256. No sound file has such a rate.
public final class RateConverter {
  private let state: OpaquePointer
  private let ratio: Double
  private let input = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1024)
  /// The part of `input` that was read from the source and not yet taken by the converter.
  private var pending = 0..<0
  private var sourceHasEnded = false

  init(from rate: Int, to newRate: Int) {
    state = src_new(Int32(SRC_SINC_MEDIUM_QUALITY), 1, nil)!
    ratio = Double(newRate) / Double(rate)
  }

  deinit {
    src_delete(state)
    input.deallocate()
  }

  /// Fills `block` with converted frames of `source`.
  /// - Returns: how many frames there were; fewer than the block holds only at the end.
  func read(
    _ source: SoundFile, into block: UnsafeMutableBufferPointer<Float>
  ) throws(Fault) -> Int {
    var produced = 0
    while produced < block.count {
      if pending.isEmpty && !sourceHasEnded {
        let count = try source.read(into: input)
        pending = 0..<count
        sourceHasEnded = count == 0
      }
      var data = SRC_DATA()
      data.data_in = UnsafePointer(input.baseAddress! + pending.lowerBound)
      data.input_frames = pending.count
      data.data_out = block.baseAddress! + produced
      data.output_frames = block.count - produced
      data.end_of_input = sourceHasEnded ? 1 : 0
      data.src_ratio = ratio
      src_process(state, &data)
      pending = (pending.lowerBound + data.input_frames_used)..<pending.upperBound
      produced += data.output_frames_gen
      if sourceHasEnded && data.output_frames_gen == 0 { break }
    }
    return produced
  }

  public static func convert(_ samples: [Float], from rate: Int, to newRate: Int) -> [Float] {
    guard rate != newRate else { return samples }
    var data = SRC_DATA()
    data.src_ratio = Double(newRate) / Double(rate)
    data.input_frames = samples.count
    data.output_frames = Int((Double(samples.count) * data.src_ratio).rounded(.up))
    return samples.withUnsafeBufferPointer { input in
      [Float](unsafeUninitializedCapacity: data.output_frames) { output, count in
        data.data_in = input.baseAddress
        data.data_out = output.baseAddress
        src_simple(&data, Int32(SRC_SINC_BEST_QUALITY), 1)
        count = data.output_frames_gen
      }
    }
  }
}
