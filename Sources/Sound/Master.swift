/// The only stage behind the sum of all sounds: the volume and the limiter.
///
/// It takes in the sum ahead of its output. Output can be taken back and rendered again, from a sum
/// that has changed since. Up to `decided`, the sum must be the same.
public final class Master {
  private let gain: Float
  public private(set) var position = 0
  /// The next frame of the sum to take in: ahead of `position` by the frames held in the limiter.
  private(set) var mixed = 0

  private let limiter: Limiter
  /// The most frames taken in at a time.
  public static let longestBlock = 1024
  private let memory: Int
  /// The most frames in a part. Going back reaches the start of a part, so up to a part more is
  /// summed again.
  private let longestPart: Int
  /// The limiter's state before each part that is remembered, the oldest first.
  private var marks: [(mixed: Int, limiter: Limiter.Mark)] = []

  /// - Parameter memory: how many frames it can go back.
  public init(rate: Int, gain: Float = 1, memory: Int = 0) {
    self.gain = gain
    self.memory = memory
    longestPart = memory > 0 ? Self.longestBlock / 4 : Self.longestBlock
    limiter = Limiter(rate: rate, longestBlock: Self.longestBlock)
  }

  /// The output before `position` depends on the sum up to here.
  public var decided: Int { position + limiter.delay }

  /// How many frames of the sounds must be kept, so that they can be summed again.
  public var memoryOfSounds: Int { memory + limiter.delay + Self.longestBlock }

  /// Renders the next frames into `block`, and overwrites it.
  /// - Parameter mix: writes the frames of the sum from `frame` on into its block.
  public func render<Failure: Error>(
    into block: UnsafeMutableBufferPointer<Float>,
    _ mix: (_ block: UnsafeMutableBufferPointer<Float>, _ frame: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var done = 0
    while done < block.count {
      // The first frames only fill the limiter: they give no output that is heard.
      let ahead = limiter.delay - (mixed - position)
      let count = min(longestPart, block.count - done, ahead > 0 ? ahead : .max)
      let part = UnsafeMutableBufferPointer(rebasing: block[done..<done + count])
      if memory > 0 { remember() }
      try mix(part, mixed)
      for index in part.indices { part[index] *= gain }
      limiter.process(part)
      mixed += count
      guard ahead <= 0 else { continue }
      position += count
      done += count
    }
  }

  private func remember() {
    if marks.last?.mixed == mixed { return }
    let oldest = mixed - memory - limiter.delay
    while marks.count > 1, marks[1].mixed <= oldest { marks.removeFirst() }
    marks.append((mixed, limiter.mark))
  }

  /// Goes back by `frames`, at most by its memory.
  public func goBack(by frames: Int) {
    guard frames > 0 else { return }
    position -= frames
    let last = marks.lastIndex { $0.mixed <= max(position, 0) + limiter.delay }
    guard let last else { preconditionFailure("\(frames) frames are more than is remembered") }
    mixed = marks[last].mixed
    limiter.goBack(to: marks[last].limiter)
    marks.removeSubrange((last + 1)...)
  }
}
