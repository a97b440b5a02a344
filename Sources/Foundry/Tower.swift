/// The room that a bell hangs in: the first reflections of its walls, and a short tail.
///
/// Everything in it is an estimate by ear: a stone tower, some metres wide, open at the louvres.
struct Tower {
  /// Frames after the sound itself, and gain.
  private static let reflections: [(frames: Int, gain: Double)] = [
    (347, 0.16), (571, -0.14), (823, 0.12), (1129, 0.11), (1511, -0.09), (2053, 0.08),
    (2647, -0.06),
  ]
  /// Frames from the sound to the start of the tail.
  private static let tailDelay = 1201
  private static let tailGain = 0.045
  /// Seconds in which the tail falls by 60 dB.
  private static let tailT60 = 0.8
  /// Lengths in frames without a common divisor, so that the room has no pitch of its own.
  private static let loopFrames = [1423, 1619, 1871, 2111, 2351, 2593]
  private static let diffuserFrames = [241, 617]

  private var past: DelayLine
  private var loops: [Loop]
  private var diffusers: [Diffuser]

  init(rate: Double) {
    past = DelayLine(longest: Self.reflections.last!.frames)
    loops = Self.loopFrames.map {
      Loop(frames: $0, gain: decayFactor(t60: Self.tailT60, rate: rate / Double($0)))
    }
    diffusers = Self.diffuserFrames.map(Diffuser.init)
  }

  /// Adds the room to the next frames.
  mutating func process(_ block: UnsafeMutableBufferPointer<Double>) {
    for frame in block.indices {
      let sound = block[frame]
      past.push(sound)
      var reflected = sound
      for reflection in Self.reflections {
        reflected += past[reflection.frames] * reflection.gain
      }
      let late = past[Self.tailDelay]
      var tail = 0.0
      for index in loops.indices { tail += loops[index].next(late) }
      for index in diffusers.indices { tail = diffusers[index].next(tail) }
      block[frame] = reflected + tail * Self.tailGain
    }
  }

  /// The factor by which the room makes a decaying tone louder, once its reflections have arrived.
  /// - Parameters:
  ///   - angle: radians per frame.
  ///   - t60: seconds. A tone that decays nearly as fast as the room never settles at a level, so a
  ///     shorter t60 is taken as twice that of the room.
  func gain(at angle: Double, t60: Double, rate: Double) -> Double {
    let fall = -decayExponent(t60: max(t60, 2 * Self.tailT60), rate: rate)
    // A late reflection left the bell earlier, when the tone was louder.
    func delay(_ frames: Int) -> Complex {
      Complex(fall * Double(frames), -angle * Double(frames)).exponential
    }
    var sum = Complex(1)
    for reflection in Self.reflections {
      sum = sum + delay(reflection.frames) * Complex(reflection.gain)
    }
    var tail = Complex(0)
    for loop in loops { tail = tail + loop.response(delay) }
    for diffuser in diffusers { tail = tail * diffuser.response(delay) }
    return (sum + delay(Self.tailDelay) * tail * Complex(Self.tailGain)).magnitude
  }
}

/// A ring buffer of the last frames.
private struct DelayLine {
  private var frames: [Double]
  private var newest = 0
  private let mask: Int

  init(longest: Int) {
    var size = 1
    while size <= longest { size *= 2 }
    frames = Array(repeating: 0, count: size)
    mask = size - 1
  }

  mutating func push(_ frame: Double) {
    newest = (newest + 1) & mask
    frames[newest] = frame
  }

  /// The frame that was pushed `age` frames before the newest.
  subscript(_ age: Int) -> Double { frames[(newest - age) & mask] }
}

/// Sound that goes back and forth between two walls. It loses some of its high frequencies each
/// time.
private struct Loop {
  private static let dullness = 0.35

  private var line: DelayLine
  private var smoothed = 0.0
  private let length: Int
  private let gain: Double

  init(frames: Int, gain: Double) {
    line = DelayLine(longest: frames)
    length = frames
    self.gain = gain
  }

  mutating func next(_ input: Double) -> Double {
    let output = line[length - 1]
    smoothed = output * (1 - Self.dullness) + smoothed * Self.dullness
    line.push(input + smoothed * gain)
    return output
  }

  func response(_ delay: (Int) -> Complex) -> Complex {
    let smoothing =
      Complex(1 - Self.dullness) / (Complex(1) - delay(1) * Complex(Self.dullness))
    return delay(length) / (Complex(1) - delay(length) * smoothing * Complex(gain))
  }
}

/// Spreads a sound in time, and leaves the level of every tone as it is: Schroeder's all-pass.
private struct Diffuser {
  private static let gain = 0.6

  private var line: DelayLine
  private let length: Int

  init(frames: Int) {
    line = DelayLine(longest: frames)
    length = frames
  }

  mutating func next(_ input: Double) -> Double {
    let late = line[length - 1]
    let fed = input + late * Self.gain
    line.push(fed)
    return late - fed * Self.gain
  }

  func response(_ delay: (Int) -> Complex) -> Complex {
    (delay(length) - Complex(Self.gain)) / (Complex(1) - delay(length) * Complex(Self.gain))
  }
}
