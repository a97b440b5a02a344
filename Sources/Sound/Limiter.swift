@preconcurrency import Glibc
import Horology

/// Keeps a sum of sounds at or below -1 dBTP, and leaves what is below it as it is, to the bit.
///
/// It hears a peak before it gives it out, and has turned the sound down by the time that the peak
/// comes: what comes out is what went in `delay` frames before. The gain is counted in whole
/// numbers, so that it returns to 1 exactly, and nothing depends on the size of a block.
final class Limiter {
  /// The highest true peak of EBU R 128: -1 dBTP.
  static let ceiling: Float = 0.891_250_9
  /// What is over the ceiling is brought a tenth of a decibel under it: a gain that moves makes the
  /// curve between two samples a little higher than it would make each of them.
  private static let aim: Float = 0.881_048_9
  /// A gain of 1 as it is counted.
  private static let one = 1 << 20

  /// By how many frames what comes out is behind what goes in.
  let delay: Int
  /// Over so many frames the gain falls, in a straight line: 5 ms, which the blow that follows
  /// hides.
  private let fall: Int
  /// Over so many frames the gain returns by 63 %: 0.2 s, slow beside the lowest tone of a bell.
  private let recovery: Int

  /// What has gone in last: `delay` frames, and behind them the block that is in work.
  private let line: UnsafeMutableBufferPointer<Float>
  /// Of all frames that went in, how many.
  private var frame = 0
  /// The greatest reduction that was wanted in this stretch of `delay + 1` frames, and in the one
  /// before it: so each is held until every sample that the peak is made of has gone out.
  private var wanted = (now: 0, before: 0)
  private var reduction = 0
  /// The last `fall` reductions, whose mean is what is taken off the gain.
  private var reductions: [Int]
  private var sum = 0

  /// - Parameter longestBlock: no block has more frames.
  init(rate: Int, longestBlock: Int) {
    fall = max(rate / 200, 1)
    recovery = max(rate / 5, 1)
    delay = fall + Self.reach * 2 - 2
    reductions = Array(repeating: 0, count: fall)
    line = .allocate(capacity: delay + longestBlock)
    line.initialize(repeating: 0)
  }

  deinit {
    line.deallocate()
  }

  /// All that what comes out depends on, beside what goes in.
  struct Mark {
    fileprivate let line: [Float]
    fileprivate let frame: Int
    fileprivate let wanted: (now: Int, before: Int)
    fileprivate let reduction: Int
    fileprivate let reductions: [Int]
    fileprivate let sum: Int
  }

  /// Where it stands now.
  var mark: Mark {
    Mark(
      line: Array(line[..<delay]), frame: frame, wanted: wanted, reduction: reduction,
      reductions: reductions, sum: sum)
  }

  /// Goes back to where it stood.
  func goBack(to mark: Mark) {
    _ = line.update(fromContentsOf: mark.line)
    (frame, wanted, reduction) = (mark.frame, mark.wanted, mark.reduction)
    (reductions, sum) = (mark.reductions, mark.sum)
  }

  /// Takes the frames of `block` in, and gives in their place as many out.
  func process(_ block: UnsafeMutableBufferPointer<Float>) {
    guard let sounds = block.baseAddress, let line = line.baseAddress else { return }
    let count = block.count
    (line + delay).update(from: sounds, count: count)
    if sum == 0 && isQuiet(count) {
      sounds.update(from: line, count: count)
      frame += count
    } else {
      for index in 0..<count {
        block[index] = line[index] * gain(after: peak(before: delay + index))
      }
    }
    line.update(from: line + count, count: delay)
  }

  /// True if no curve through the newest frames can come near the ceiling: it rises to at most 1.87
  /// times the highest of its samples.
  private func isQuiet(_ count: Int) -> Bool {
    line[(delay - 2 * Self.reach + 1)..<(delay + count)].allSatisfy {
      $0.magnitude <= Self.ceiling / 2
    }
  }

  /// The gain of the frame that goes out, when the curve up to the frame that came in has `peak`.
  private func gain(after peak: Float) -> Float {
    if frame % (delay + 1) == 0 { wanted = (0, wanted.now) }
    if peak > Self.ceiling {
      let least = ((1 - Self.aim / peak) * Float(Self.one)).rounded(.up)
      wanted.now = max(wanted.now, Int(least))
    }
    let recovered = max(reduction - reduction / recovery - 1, 0)
    reduction = max(wanted.now, wanted.before, recovered)
    sum += reduction - reductions[frame % fall]
    reductions[frame % fall] = reduction
    frame += 1
    return Float(1 - Double(sum) / Double(Self.one * fall))
  }

  // MARK: Between the samples

  /// How many samples on either side the curve between two of them is drawn through.
  private static let reach = 6

  /// What each of those samples adds to the curve at one of them, and a quarter, a half and three
  /// quarters of the way to the next: a sine cardinal under Hann's window, as libebur128 has it.
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

  /// How high the curve rises between the two samples in the middle of those that end with frame
  /// `last` of the line.
  private func peak(before last: Int) -> Float {
    var curve = SIMD4<Float>()
    let first = last - 2 * Self.reach + 1
    for index in shares.indices { curve += shares[index] * line[first + index] }
    return max(curve.max(), -curve.min())
  }
}
