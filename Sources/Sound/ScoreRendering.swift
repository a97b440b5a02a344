import Basics

extension Score {
  /// Renders the whole score into a sound file, faster than real time and in constant memory.
  public func write(to path: String, gain: Float = 1) throws(Fault) {
    try cleaningUp { () throws(Fault) in
      let writer = try SoundFileWriter(path: path, rate: rate)
      try render(gain: gain) { block throws(Fault) in try writer.write(block) }
      try writer.finish()
    }
  }

  /// Renders the whole score block by block, faster than real time and in constant memory.
  /// - Parameters:
  ///   - gain: the factor for every sample.
  ///   - heard: called with every block in turn; the block is valid during the call.
  public func render(
    gain: Float = 1, _ heard: (UnsafeBufferPointer<Float>) throws(Fault) -> Void
  ) throws(Fault) {
    let mixer = Mixer(score: self)
    let master = Master(rate: rate, gain: gain)
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4096)
    defer { block.deallocate() }
    while master.position < frames {
      let part = UnsafeMutableBufferPointer(
        rebasing: block[..<min(block.count, frames - master.position)])
      try master.render(into: part) { sum, _ throws(Fault) in try mixer.render(into: sum) }
      try heard(UnsafeBufferPointer(part))
    }
  }
}
