@preconcurrency import Glibc

/// Renders a score block by block; its memory does not grow with the score.
public final class Mixer {
  public let score: Score
  /// The next frame of the score to be rendered.
  public private(set) var position = 0

  private var waiting: ArraySlice<Score.Part>
  private var sounding: [Voice] = []
  private let scratch = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1024)
  private var stopFade: (start: Int, frames: Int)?

  public init(score: Score) {
    self.score = score
    waiting = score.parts[...]
  }

  deinit {
    scratch.deallocate()
  }

  /// True when nothing more will sound.
  public var hasEnded: Bool {
    if let stopFade, position >= stopFade.start + stopFade.frames { return true }
    return sounding.isEmpty && waiting.isEmpty
  }

  /// From here on, falls to silence within this many frames, without a click.
  public func stop(within frames: Int) {
    if stopFade == nil { stopFade = (position, max(frames, 1)) }
  }

  /// Renders the next frames of the score over whatever `block` held: silence before, between
  /// and after its sounds.
  /// - Throws: `Fault` if a sound cannot be read.
  public func render(into block: UnsafeMutableBufferPointer<Float>) throws(Fault) {
    block.update(repeating: 0)
    var done = 0
    while done < block.count {
      let count = min(scratch.count, block.count - done)
      try mix(into: UnsafeMutableBufferPointer(rebasing: block[done..<done + count]))
      done += count
    }
  }

  private func mix(into block: UnsafeMutableBufferPointer<Float>) throws(Fault) {
    let end = position + block.count
    while let part = waiting.first, part.start < end {
      sounding.append(try Voice(part, rate: score.rate))
      waiting.removeFirst()
    }
    for index in sounding.indices {
      try sounding[index].add(to: block, at: position, scratch: scratch)
    }
    sounding.removeAll { $0.part.end <= end }
    if let stopFade {
      for index in block.indices {
        let left = stopFade.start + stopFade.frames - (position + index)
        block[index] *= left <= 0 ? 0 : quarterSine(left, of: stopFade.frames)
      }
    }
    position = end
  }
}

/// The sine of `step` of `steps` on the way from 0 to a right angle.
private func quarterSine(_ step: Int, of steps: Int) -> Float {
  sinf(Float(step) / Float(steps) * .pi / 2)
}

/// One part while it sounds: its open file, at the score's rate.
private struct Voice {
  let part: Score.Part
  private let file: SoundFile
  private let converter: RateConverter?
  private var played = 0

  init(_ part: Score.Part, rate: Int) throws(Fault) {
    self.part = part
    file = try SoundFile(path: part.path)
    converter = file.rate == rate ? nil : try RateConverter(from: file.rate, to: rate)
  }

  /// Adds what of this part falls into `block`, whose first frame is frame `position` of the
  /// score. `scratch` holds at least as many frames as `block`.
  mutating func add(
    to block: UnsafeMutableBufferPointer<Float>, at position: Int,
    scratch: UnsafeMutableBufferPointer<Float>
  ) throws(Fault) {
    let offset = max(part.start - position, 0)
    let wanted = min(block.count - offset, part.frames - played)
    guard wanted > 0 else { return }
    let target = UnsafeMutableBufferPointer(rebasing: scratch[..<wanted])
    let count =
      if let converter {
        try converter.read(file, into: target)
      } else {
        try file.read(into: target)
      }
    for index in 0..<count { block[offset + index] += target[index] * level(at: played + index) }
    played += wanted
  }

  /// The gain of the part's frame `frame`, 0 to 1.
  private func level(at frame: Int) -> Float {
    var level: Float = 1
    if frame < part.fadeIn { level *= quarterSine(frame, of: part.fadeIn) }
    let left = part.frames - frame
    if left < part.fadeOut { level *= quarterSine(left, of: part.fadeOut) }
    return level
  }
}
