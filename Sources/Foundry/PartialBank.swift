/// The partials of one blow while they ring, four at a time.
///
/// Each is a point in the complex plane. One multiplication a frame turns and shrinks it.
struct PartialBank {
  private struct Four {
    var real = SIMD4<Double>()
    var imaginary = SIMD4<Double>()
    var turnReal = SIMD4<Double>()
    var turnImaginary = SIMD4<Double>()
  }

  private var fours: [Four]

  /// - Parameters:
  ///   - starts: where each partial begins: its amplitude and phase.
  ///   - turns: the factor of each partial from one frame to the next.
  init(starts: [Complex], turns: [Complex]) {
    fours = Array(repeating: Four(), count: (starts.count + 3) / 4)
    for (index, (start, turn)) in zip(starts, turns).enumerated() {
      fours[index / 4].real[index % 4] = start.real
      fours[index / 4].imaginary[index % 4] = start.imaginary
      fours[index / 4].turnReal[index % 4] = turn.real
      fours[index / 4].turnImaginary[index % 4] = turn.imaginary
    }
  }

  /// Adds the next frames to `block`.
  mutating func add(to block: UnsafeMutableBufferPointer<Double>) {
    for index in fours.indices {
      var four = fours[index]
      for frame in block.indices {
        let real = four.real
        block[frame] += (real[0] + real[1]) + (real[2] + real[3])
        four.real = real * four.turnReal - four.imaginary * four.turnImaginary
        four.imaginary = real * four.turnImaginary + four.imaginary * four.turnReal
      }
      fours[index] = four
    }
  }
}
