import Basics
import Devices
import Horology

/// An open sink whose frames are mapped to moments.
final class Stream {
  let sink: any Sink
  /// Frames per second.
  let rate: Int
  let mixer: TrackMixer
  private(set) var clock: StreamClock
  private(set) var lastPosition: StreamPosition?
  /// The next frame to be written, counted from the opening.
  private(set) var written = 0

  private let block: UnsafeMutableBufferPointer<Float>
  /// The frames that the sink may still hold.
  private var memory: FrameMemory
  /// The sink's underruns when it was last fed.
  private var underruns = 0

  init(_ sink: any Sink) throws(Fault) {
    self.sink = sink
    rate = try sink.open()
    mixer = TrackMixer(rate: rate, memory: sink.capacity)
    // Not before: if it cannot be opened, nobody would deallocate this.
    block = .allocate(capacity: 1024)
    clock = StreamClock(rate: rate)
    memory = FrameMemory(atLeast: sink.capacity)
  }

  deinit { block.deallocate() }

  func frames(_ duration: Duration) -> Int { duration.frames(atRate: rate) }

  func feed(_ now: Now) throws(Fault) {
    let space = try sink.space()
    if sink.underruns != underruns {
      underruns = sink.underruns
      clock.beginAnew()
    }
    if let position = try sink.position() {
      lastPosition = position
      clock.add(position)
    }
    try write(space) { mixer.render(into: $0, clock, now) }
  }

  private func write(
    _ count: Int, _ render: (UnsafeMutableBufferPointer<Float>) -> Void
  ) throws(Fault) {
    var left = count
    while left > 0 {
      let part = UnsafeMutableBufferPointer(rebasing: block[..<min(left, block.count)])
      render(part)
      try sink.write(UnsafeBufferPointer(part))
      for (index, sample) in part.enumerated() { memory[written + index] = sample }
      written += part.count
      left -= part.count
    }
  }

  /// Takes back the frames that have not reached the converter, and writes the first of them again
  /// at once. The converter has only milliseconds left to play, so these are not rendered again: the
  /// same samples are written at another level.
  /// - Parameter level: the factor for a frame, by the number of frames before it.
  /// - Returns: how many frames were taken back, and how many of those written again.
  func takeBack(
    rewriting count: Int = 0, _ level: (Int) -> Float = { _ in 1 }
  ) throws(Fault) -> (taken: Int, rewritten: Int) {
    let taken = sink.takeBack()
    written -= taken
    let first = written
    let rewritten = min(taken, count)
    try write(rewritten) { block in
      for index in block.indices {
        let frame = written + index
        block[index] = memory[frame] * level(frame - first)
      }
    }
    return (taken, rewritten)
  }
}

/// The last frames of a stream: frame `n` at `n` modulo the size.
struct FrameMemory {
  private var samples: [Float]

  init(atLeast least: Int) {
    // A power of two, so that the remainder is cheap.
    samples = [Float](
      repeating: 0, count: 1 << (Int.bitWidth - (least - 1).leadingZeroBitCount))
  }

  subscript(frame: Int) -> Float {
    get { samples[frame & (samples.count - 1)] }
    set { samples[frame & (samples.count - 1)] = newValue }
  }
}
