import Basics
import Foundation
import Sound

/// Renders a whole score in blocks of the given size.
func render(_ score: Score, blockFrames: Int, gain: Float = 1) throws -> [Float] {
  let mixer = Mixer(score: score)
  let master = Master(rate: score.rate, gain: gain)
  var rendered: [Float] = []
  let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockFrames)
  defer { block.deallocate() }
  while rendered.count < score.frames {
    try master.render(into: block) { sum, _ throws(Fault) in try mixer.render(into: sum) }
    rendered += block
  }
  return Array(rendered.prefix(score.frames))
}

/// A sine of amplitude 0.5.
func sine(_ frequency: Double, rate: Int, frames: Int) -> [Float] {
  (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}
