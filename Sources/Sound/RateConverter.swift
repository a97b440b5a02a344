import Basics
import CSampleRate

/// Converts the rate of one sound while it is read, with libsamplerate.
///
/// The library removes the converter's own delay: frame 0 comes out as frame 0.
public final class RateConverter {
  private let state: OpaquePointer
  private let ratio: Double
  private let input = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1024)
  /// The part of `input` that was read from the source and not yet taken by the converter.
  private var pending = 0..<0
  private var sourceHasEnded = false

  init(from rate: Int, to newRate: Int) throws(Fault) {
    var code: Int32 = 0
    guard let state = src_new(Int32(SRC_SINC_MEDIUM_QUALITY), 1, &code) else {
      input.deallocate()
      throw Fault(
        "cannot convert \(rate) to \(newRate) frames per second", code: code, Self.words(code))
    }
    self.state = state
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
      let code = src_process(state, &data)
      guard code == 0 else {
        throw Fault("cannot convert the rate of \(source.path)", code: code, Self.words(code))
      }
      pending = (pending.lowerBound + data.input_frames_used)..<pending.upperBound
      produced += data.output_frames_gen
      if sourceHasEnded && data.output_frames_gen == 0 { break }
    }
    return produced
  }

  public static func convert(_ samples: [Float], from rate: Int, to newRate: Int) throws(Fault)
    -> [Float]
  {
    guard rate != newRate else { return samples }
    let ratio = Double(newRate) / Double(rate)
    var converted = [Float](
      repeating: 0, count: Int((Double(samples.count) * ratio).rounded(.up)))
    var data = SRC_DATA()
    data.src_ratio = ratio
    let code = samples.withUnsafeBufferPointer { input in
      converted.withUnsafeMutableBufferPointer { output in
        data.data_in = input.baseAddress
        data.input_frames = input.count
        data.data_out = output.baseAddress
        data.output_frames = output.count
        return src_simple(&data, Int32(SRC_SINC_BEST_QUALITY), 1)
      }
    }
    guard code == 0 else {
      throw Fault(
        "cannot convert \(rate) to \(newRate) frames per second", code: code, words(code))
    }
    converted.removeLast(converted.count - data.output_frames_gen)
    return converted
  }

  private static func words(_ code: Int32) -> String {
    src_strerror(code).map { String(cString: $0) } ?? "unknown error"
  }
}
