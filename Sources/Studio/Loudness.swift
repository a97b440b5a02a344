import Basics
import CEBUR128

/// The loudness of a short sound, by libebur128.
///
/// Integrated loudness gates at 400 ms and says little about a word. The loudest 400 ms, with
/// silence around the sound, says how loud the word is heard (facts: voices).
public struct Loudness: Hashable, Sendable {
  /// The loudest 400 ms, in LUFS; minus infinity for silence.
  public let momentary: Double
  /// The highest peak, also between the samples, in dBTP.
  public let truePeak: Double

  /// Measures mono samples.
  /// - Throws: `Fault` if libebur128 refuses, as it does a rate under 16 or over 2,822,400.
  public init(of samples: [Float], rate: Int) throws(Fault) {
    var state = ebur128_init(
      1, UInt(rate), Int32(EBUR128_MODE_M.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue))
    guard state != nil else { throw Fault("cannot measure loudness", "at \(rate) Hz") }
    defer { ebur128_destroy(&state) }
    let silence = [Float](repeating: 0, count: rate * 2 / 5)
    // The window moves by 10 ms.
    let hop = max(rate / 100, 1)
    let padded = silence + samples + silence
    var loudest = -Double.infinity
    var failed = false
    padded.withUnsafeBufferPointer { frames in
      for start in stride(from: 0, to: frames.count, by: hop) {
        let count = min(hop, frames.count - start)
        var momentary = 0.0
        if ebur128_add_frames_float(state, frames.baseAddress! + start, count) != 0
          || ebur128_loudness_momentary(state, &momentary) != 0
        {
          failed = true
        }
        loudest = max(loudest, momentary)
      }
    }
    var peak = 0.0
    guard !failed, ebur128_true_peak(state, 0, &peak) == 0 else {
      throw Fault("cannot measure loudness", "libebur128 refuses \(samples.count) samples")
    }
    momentary = loudest
    truePeak = peak.decibels
  }
}
