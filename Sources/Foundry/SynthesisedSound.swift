import Basics
import Sound

/// A sound that is computed block by block, from its first frame to its last; the same to the bit
/// on every machine.
public protocol SynthesisedSound {
  /// How many frames it has.
  var frames: Int { get }

  /// Renders the next frames into `block`, up to the end of the sound.
  /// - Returns: how many frames were rendered; 0 at the end.
  mutating func render(into block: UnsafeMutableBufferPointer<Int16>) -> Int
}

/// Rises from 0 at step 0 to 1 at `steps`, without a corner, and stays 1.
func raisedCosine(_ step: Int, of steps: Int) -> Double {
  guard step < steps else { return 1 }
  return 0.5 - 0.5 * Complex.onUnitCircle(.pi * Double(step) / Double(steps)).real
}

/// A 16-bit sample; full scale is 1, and beyond it is clipped.
func sample(_ value: Double) -> Int16 {
  Int16(min(max((value * 32767).rounded(), -32768), 32767))
}

extension SynthesisedSound {
  /// Renders the whole sound into a file.
  public func write(to path: String) throws(Fault) {
    var sound = self
    try cleaningUp { () throws(Fault) in
      let writer = try SoundFileWriter(path: path, rate: standardRate)
      let block = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 4096)
      defer { block.deallocate() }
      while case let count = sound.render(into: block), count > 0 {
        try writer.write(UnsafeBufferPointer(rebasing: block[..<count]))
      }
      try writer.finish()
    }
  }
}
