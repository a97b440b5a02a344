import Basics
@preconcurrency import Glibc

/// Sums up the parts of a score block by block; its memory does not grow with the score.
public final class Mixer {
  public let score: Score
  public private(set) var position = 0
  /// By how many frames the next timed part begins later than the score says; negative if earlier.
  /// This keeps the part at its moment on a converter that drifts.
  public var shift = 0

  private var waiting: ArraySlice<Score.Part>
  private var sounding: [Voice] = []
  private let scratch = UnsafeMutableBufferPointer<Float>.allocate(
    capacity: Master.longestBlock)
  /// The frame after the last sound that has begun.
  public private(set) var silentFrom = 0
  /// The shift of the timed part that began last. The untimed parts after it share it.
  private var chainShift = 0

  public init(score: Score) {
    self.score = score
    waiting = score.parts[...]
  }

  public static func gain(decibels: Double) -> Float { powf(10, Float(decibels) / 20) }

  deinit {
    scratch.deallocate()
  }

  public var hasEnded: Bool { sounding.isEmpty && waiting.isEmpty && position >= silentFrom }

  /// Renders the next frames of the score into `block`, at most `Master.longestBlock`: silence before,
  /// between and after the sounds.
  /// - Parameter began: called for each timed part that begins, with its frame in the score and the
  ///   frame at which it was placed.
  public func render(
    into block: UnsafeMutableBufferPointer<Float>,
    began: (_ scored: Int, _ placed: Int) -> Void = { _, _ in }
  ) throws(Fault) {
    block.update(repeating: 0)
    let end = position + block.count
    while let part = waiting.first, place(of: part) < end {
      let start = place(of: part)
      if part.isTimed {
        chainShift = shift
        began(part.start, start)
      }
      sounding.append(try Voice(part, at: start, rate: score.rate))
      waiting.removeFirst()
    }
    for index in sounding.indices {
      try sounding[index].add(to: block, at: position, scratch: scratch)
      silentFrom = max(silentFrom, sounding[index].end)
    }
    sounding.removeAll { $0.end <= end }
    position = end
  }

  /// The frame at which a waiting part will begin. A late part begins at once.
  private func place(of part: Score.Part) -> Int {
    max(part.start + (part.isTimed ? shift : chainShift), position)
  }
}

/// The sine of `step / steps` of a right angle.
public func quarterSine(_ step: Int, of steps: Int) -> Float {
  sinf(Float(step) / Float(steps) * .pi / 2)
}

/// One part while it sounds: its open file, at the score's rate.
private struct Voice {
  private let part: Score.Part
  private let start: Int
  private let file: SoundFile
  private let converter: RateConverter?
  private var played = 0

  var end: Int { start + part.frames }

  init(_ part: Score.Part, at start: Int, rate: Int) throws(Fault) {
    self.part = part
    self.start = start
    file = try SoundFile(path: part.sound.path)
    converter = file.rate == rate ? nil : RateConverter(from: file.rate, to: rate)
  }

  /// Adds the frames of this part that fall into `block`, whose first frame is frame `position` of
  /// the score. `scratch` is no smaller than `block`.
  mutating func add(
    to block: UnsafeMutableBufferPointer<Float>, at position: Int,
    scratch: UnsafeMutableBufferPointer<Float>
  ) throws(Fault) {
    let offset = max(start - position, 0)
    let wanted = min(block.count - offset, part.frames - played)
    guard wanted > 0 else { return }
    let target = UnsafeMutableBufferPointer(rebasing: scratch[..<wanted])
    let count =
      if let converter {
        try converter.read(file, into: target)
      } else {
        try file.read(into: target)
      }
    if played >= part.fadeIn && part.frames - played - count >= part.fadeOut {
      // Most of a sound has no fade; then the level is asked for once.
      let gain = part.gain
      for index in 0..<count { block[offset + index] += target[index] * gain }
    } else {
      for index in 0..<count { block[offset + index] += target[index] * level(at: played + index) }
    }
    played += wanted
  }

  private func level(at frame: Int) -> Float {
    var level = part.gain
    if frame < part.fadeIn { level *= quarterSine(frame, of: part.fadeIn) }
    let left = part.frames - frame
    if left < part.fadeOut { level *= quarterSine(left, of: part.fadeOut) }
    return level
  }
}
