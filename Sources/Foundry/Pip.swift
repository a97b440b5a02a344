import Sound

/// A pip of a time signal: 1 kHz, from its first frame to its last (facts: chimes).
public struct Pip: SynthesisedSound {
  private static let frequency = 1000.0
  /// Seconds in which it rises and falls, so that it does not click.
  private static let ramp = 0.003
  /// Decibels relative to full scale: five short pips and a long one are then at -20 LUFS.
  private static let level = -12.4

  public let frames: Int
  private var position = 0
  private var point = Complex(0, -amplitude(decibels: Pip.level))
  private let turn = Complex.onUnitCircle(2 * .pi * Pip.frequency / Double(standardRate))

  public init(seconds: Double) {
    frames = Int((seconds * Double(standardRate)).rounded())
  }

  public mutating func render(into block: UnsafeMutableBufferPointer<Int16>) -> Int {
    let count = min(block.count, frames - position)
    let rampFrames = Int(Self.ramp * Double(standardRate))
    for frame in 0..<max(count, 0) {
      let fromEnd = min(position + frame, frames - 1 - (position + frame))
      block[frame] = sample(point.real * raisedCosine(fromEnd, of: rampFrames))
      point = point * turn
    }
    position += max(count, 0)
    return max(count, 0)
  }
}
