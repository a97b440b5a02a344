/// What stands once behind the sum of all sounds: the volume, and the limiter. What comes out of it
/// is what is heard, and peaks at -1 dBTP at most.
///
/// It hears the sum before it gives it out. What was given out can be taken back and rendered
/// again, from a sum that has changed since: up to `decided` it must be the same.
public final class Master {
  /// What every sample of the sum is multiplied by.
  public var gain: Float
  /// The next frame to be given out.
  public private(set) var position = 0
  /// The next frame of the sum to be taken in: ahead of `position` by what the limiter holds back.
  public private(set) var mixed = 0

  private let limiter: Limiter
  /// No more is taken in at a time.
  public static let longestBlock = 1024
  /// How far it can go back, in frames.
  private let memory: Int
  /// What is gone back to begins here or earlier by less than a part, which is summed up again.
  private let longestPart: Int
  /// The limiter before each part that it remembers, the oldest first.
  private var marks: [(mixed: Int, limiter: Limiter.Mark)] = []

  /// - Parameters:
  ///   - rate: frames per second.
  ///   - memory: by how many frames it can go back.
  public init(rate: Int, gain: Float = 1, memory: Int = 0) {
    self.gain = gain
    self.memory = memory
    longestPart = memory > 0 ? Self.longestBlock / 4 : Self.longestBlock
    limiter = Limiter(rate: rate, longestBlock: Self.longestBlock)
  }

  /// Up to here the sum has been heard by the limiter that stands before what is given out next:
  /// what is summed up again must be the same.
  public var decided: Int { position + limiter.delay }

  /// By how many frames what sounds must be remembered, so that it can be summed up again.
  public var memoryOfSounds: Int { memory + limiter.delay + Self.longestBlock }

  /// Renders the next frames over whatever `block` held.
  /// - Parameter mix: writes the next frames of the sum, of which the first is `frame`, over
  ///   whatever its block held.
  public func render<Failure: Error>(
    into block: UnsafeMutableBufferPointer<Float>,
    _ mix: (_ block: UnsafeMutableBufferPointer<Float>, _ frame: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var done = 0
    while done < block.count {
      // Nothing that is heard comes out for the frames that are taken in first.
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
    let oldest = mixed - memory - limiter.delay
    while marks.count > 1, marks[1].mixed <= oldest { marks.removeFirst() }
    marks.append((mixed, limiter.mark))
  }

  /// Goes back by so many frames, at most by its memory: the next to be given out is an earlier
  /// one, and so is the next to be taken in.
  public func goBack(by frames: Int) {
    guard frames > 0 else { return }
    position -= frames
    guard let last = marks.lastIndex(where: { $0.mixed <= max(position, 0) + limiter.delay }) else {
      return
    }
    mixed = marks[last].mixed
    limiter.goBack(to: marks[last].limiter)
    marks.removeSubrange(last...)
  }
}
