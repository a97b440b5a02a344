import Basics
import Sound
import Testing

@Suite struct MasterTests {
  /// One frame of a sum that is too loud in parts.
  private func level(_ frame: Int) -> Float {
    let noise = Float((frame * 7919) % 2001 - 1000) / 1000
    return (frame / 5000).isMultiple(of: 2) ? noise * 1.6 : noise * 0.3
  }

  /// - Parameter steps: the frames to render; a negative step goes back by as many.
  private func rendered(_ steps: [Int], memory: Int = 12_000) throws -> [Float] {
    let master = Master(rate: 48_000, gain: 0.9, memory: memory)
    var heard: [Float] = []
    for step in steps {
      if step < 0 {
        master.goBack(by: -step)
        heard.removeLast(-step)
        continue
      }
      let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: step)
      defer { block.deallocate() }
      try master.render(into: block) { sum, frame throws(Fault) in
        for index in sum.indices { sum[index] = level(frame + index) }
      }
      heard += block
    }
    #expect(master.position == heard.count)
    return heard
  }

  @Test(
    "what is taken back and rendered again is the same, to the bit",
    arguments: [
      [960, 960, -100, 28_180], [20_000, -9_600, 19_600], [700, -700, 30_000],
      [240, 240, 240, -1, 240, 240, -700, 29_501], [12_345, -12_000, 11_000, -11_000, 29_655],
      [100, -40, -20, -20, -20, 30_000], [600, -100, -100, -100, -100, -100, -100, 30_000],
    ])
  func goesBack(steps: [Int]) throws {
    #expect(try rendered(steps) == rendered([30_000]))
  }
}
