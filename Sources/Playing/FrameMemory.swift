/// The last frames of a stream: frame `n` at `n` modulo the size.
struct FrameMemory {
  private var samples: [Float]

  /// - Parameter least: at least how many frames it remembers.
  init(atLeast least: Int) {
    // A power of two, so that the remainder is cheap.
    samples = [Float](
      repeating: 0, count: 1 << (Int.bitWidth - (least - 1).leadingZeroBitCount))
  }

  /// A frame of the stream, counted from its opening.
  subscript(frame: Int) -> Float {
    get { samples[frame & (samples.count - 1)] }
    set { samples[frame & (samples.count - 1)] = newValue }
  }
}
