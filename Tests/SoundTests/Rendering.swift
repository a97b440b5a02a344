import Foundation
import Sound

/// Renders a whole score in blocks of the given size.
func render(_ score: Score, blockFrames: Int, gain: Float = 1) throws -> [Float] {
  let mixer = Mixer(score: score, gain: gain)
  var rendered: [Float] = []
  let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockFrames)
  defer { block.deallocate() }
  while rendered.count < score.frames {
    try mixer.render(into: block)
    rendered += block
  }
  return Array(rendered.prefix(score.frames))
}

/// A sine of amplitude 0.5.
func sine(_ frequency: Double, rate: Int, frames: Int) -> [Float] {
  (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
}
