import Basics
import Sound

/// One blow on a bell, as it is heard in its tower: frame by frame from the moment of contact.
public struct BellBlow: SynthesisedSound {
  /// By how many decibels a partial may be louder or softer than in the table, from blow to blow.
  private static let spread = 2.0
  /// Seconds in which the hammer's force rises, as a raised cosine (facts: chimes).
  private static let rise = 0.012
  /// The part of the sound that the bell still holds back at contact.
  private static let heldBack = 0.85
  /// Seconds over which the end is faded.
  private static let fade = 2.5

  /// How many frames it has.
  public let frames: Int
  private var position = 0
  private var partials: PartialBank
  private var noise: HammerNoise
  private var tower: Tower
  private var held = BellBlow.heldBack
  private let release: Double

  public init(_ bell: Bell, seed: UInt64) {
    let rate = Double(standardRate)
    frames = Int((bell.seconds * rate).rounded())
    let strongest = amplitude(decibels: bell.level)
    tower = Tower(rate: rate)
    var random = SplitMix64(seed: seed)
    var starts: [Complex] = []
    var turns: [Complex] = []
    for partial in bell.partials {
      let phase = Complex.onUnitCircle(random.nextSigned() * .pi)
      let level = partial.level + random.nextSigned() * Self.spread
      let angle = 2 * .pi * partial.frequency / rate
      // The levels were measured in the tower, so the gain of the room is divided out.
      starts.append(
        phase
          * Complex(
            strongest * amplitude(decibels: level)
              / tower.gain(at: angle, t60: partial.t60, rate: rate)))
      turns.append(
        Complex.onUnitCircle(angle) * Complex(decayFactor(t60: partial.t60, rate: rate)))
    }
    partials = PartialBank(starts: starts, turns: turns)
    noise = HammerNoise(amplitude: strongest, rate: rate, random: random)
    release = Complex(-1 / (bell.attack * rate)).exponential.real
  }

  /// Renders the next frames into `block`, up to the end of the sound.
  /// - Returns: how many frames were rendered; 0 at the end.
  public mutating func render(into block: UnsafeMutableBufferPointer<Int16>) -> Int {
    let count = min(block.count, frames - position)
    guard count > 0 else { return 0 }
    withUnsafeTemporaryAllocation(of: Double.self, capacity: count) { sound in
      sound.initialize(repeating: 0)
      partials.add(to: sound)
      for frame in sound.indices {
        sound[frame] *= 1 - held
        held *= release
      }
      noise.add(to: sound)
      shape(sound)
      tower.process(sound)
      fadeOut(sound)
      for frame in sound.indices { block[frame] = sample(sound[frame]) }
    }
    position += count
    return count
  }

  private func shape(_ sound: UnsafeMutableBufferPointer<Double>) {
    let riseFrames = Int(Self.rise * Double(standardRate))
    for frame in sound.indices where position + frame < riseFrames {
      sound[frame] *= raisedCosine(position + frame, of: riseFrames)
    }
  }

  private func fadeOut(_ sound: UnsafeMutableBufferPointer<Double>) {
    let fadeFrames = Int(Self.fade * Double(standardRate))
    for frame in sound.indices where frames - 1 - (position + frame) < fadeFrames {
      sound[frame] *= raisedCosine(frames - 1 - (position + frame), of: fadeFrames)
    }
  }
}
