@preconcurrency import Glibc

/// Keeps the sum of all sounds at or below -1 dBTP. Sound below that passes unchanged, to the bit.
///
/// The output is the input of `delay` frames before, so the gain is already down when a peak comes
/// out. It is counted in whole numbers, so it returns to exactly 1, whatever the size of a block.
final class Limiter {
  /// The maximum true peak of EBU R 128: -1 dBTP.
  static let ceiling: Float = 0.891_250_9
  /// Peaks over the ceiling are brought 0.1 dB below it: a moving gain makes the curve between two
  /// samples slightly higher than it makes the samples.
  private static let aim: Float = 0.881_048_9
  private static let one = 1 << 20

  /// By how many frames the output lags behind the input.
  let delay: Int
  /// Frames over which the gain falls, linearly: 5 ms, masked by the blow that follows.
  private let fall: Int
  /// Frames in which the gain recovers by 63 %: 0.2 s, slow compared with a bell's lowest tone.
  private let recovery: Int

  /// The last `delay` frames of the input, then the current block.
  private let line: UnsafeMutableBufferPointer<Float>
  private var state: State

  fileprivate struct State {
    var frame = 0
    /// The greatest reduction wanted in this stretch of `delay + 1` frames, and in the one before.
    /// Both are held, until every sample that makes up the peak has gone out.
    var wanted = (now: 0, before: 0)
    var reduction = 0
    /// The last `fall` reductions. Their mean is subtracted from the gain.
    var reductions: [Int]
    var sum = 0
  }

  init(rate: Int, longestBlock: Int) {
    fall = max(rate / 200, 1)
    recovery = max(rate / 5, 1)
    delay = fall + Self.reach * 2 - 2
    state = State(reductions: Array(repeating: 0, count: fall))
    line = .allocate(capacity: delay + longestBlock)
    line.initialize(repeating: 0)
  }

  deinit {
    line.deallocate()
  }

  /// With the input, it determines the output.
  struct Mark {
    fileprivate let line: [Float]
    fileprivate let state: State
  }

  var mark: Mark { Mark(line: Array(line[..<delay]), state: state) }

  func goBack(to mark: Mark) {
    _ = line.update(fromContentsOf: mark.line)
    state = mark.state
  }

  func process(_ block: UnsafeMutableBufferPointer<Float>) {
    guard let sounds = block.baseAddress, let line = line.baseAddress else { return }
    let count = block.count
    (line + delay).update(from: sounds, count: count)
    if state.sum == 0 && isQuiet(count) {
      sounds.update(from: line, count: count)
      state.frame += count
    } else {
      for index in 0..<count {
        block[index] = line[index] * gain(after: peak(before: delay + index))
      }
    }
    line.update(from: line + count, count: delay)
  }

  /// True if the curve through the newest frames cannot come near the ceiling: it rises to at most
  /// 1.87 times its highest sample.
  private func isQuiet(_ count: Int) -> Bool {
    line[(delay - 2 * Self.reach + 1)..<(delay + count)].allSatisfy {
      $0.magnitude <= Self.ceiling / 2
    }
  }

  /// The gain of the next output frame. `peak` is that of the curve up to the newest input frame.
  private func gain(after peak: Float) -> Float {
    if state.frame % (delay + 1) == 0 { state.wanted = (0, state.wanted.now) }
    if peak > Self.ceiling {
      let least = ((1 - Self.aim / peak) * Float(Self.one)).rounded(.up)
      state.wanted.now = max(state.wanted.now, Int(least))
    }
    let recovered = max(state.reduction - state.reduction / recovery - 1, 0)
    state.reduction = max(state.wanted.now, state.wanted.before, recovered)
    state.sum += state.reduction - state.reductions[state.frame % fall]
    state.reductions[state.frame % fall] = state.reduction
    state.frame += 1
    return Float(1 - Double(state.sum) / Double(Self.one * fall))
  }

  // MARK: Between the samples

  /// How many samples on each side define the curve between two samples.
  private static let reach = 6

  /// The weight of each of those samples for the curve at a sample, and at 1/4, 1/2 and 3/4 of the
  /// way to the next: a sinc with a Hann window, as in libebur128.
  private static let shares: [SIMD4<Float>] = (0..<2 * reach).map { sample in
    var share = SIMD4<Float>()
    for quarter in 0..<4 {
      let distance = .pi * (Double(quarter) / 4 - Double(sample - reach + 1))
      let sine = sin(distance)
      let window = 0.5 + 0.5 * cos(distance / Double(reach))
      share[quarter] = distance == 0 ? 1 : Float(sine / distance * window)
    }
    return share
  }
  private let shares = Limiter.shares

  /// The peak of the curve between the two middle samples of the window that ends with frame `last`
  /// of the line.
  private func peak(before last: Int) -> Float {
    var curve = SIMD4<Float>()
    let first = last - 2 * Self.reach + 1
    for index in shares.indices { curve += shares[index] * line[first + index] }
    return max(curve.max(), -curve.min())
  }
}
