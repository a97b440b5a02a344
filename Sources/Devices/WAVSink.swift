import Basics
@preconcurrency import Glibc
import Horology
import Sound

/// A WAV file instead of a speaker. It holds one announcement after the other, without the quiet
/// between them, and is whole whenever nothing plays.
public final class WAVSink: Sink {
  public let name: String
  /// As much as a sound card would buffer.
  private static let bufferFrames = 9600

  private let uptime: () -> Uptime
  private let writer: SoundFileWriter
  /// When it took its first frame, later by what it had to wait for frames since; nil before that.
  private var began: Uptime?
  /// Frames that have not been played, and so are not in the file yet.
  private var queue: [Float] = []
  /// Frames in the file since the sink was opened.
  private var played = 0

  public init(
    path: String, uptime: @escaping () -> Uptime = { SystemClock.uptime }
  ) throws(Fault) {
    name = path
    self.uptime = uptime
    writer = try SoundFileWriter(path: path, rate: standardRate, inPlace: true)
    try writer.updateHeader()
  }

  deinit {
    close()
  }

  public func open() throws(Fault) -> Int {
    try writer.verifyPlace()
    began = nil
    played = 0
    return standardRate
  }

  public let feedInterval = Duration.milliseconds(20)
  public let capacity = WAVSink.bufferFrames
  public private(set) var underruns = 0

  public func space() throws(Fault) -> Int {
    try writer.verifyPlace()
    try play()
    return Self.bufferFrames - queue.count
  }

  public func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    began = began ?? uptime()
    queue += block
  }

  private func play() throws(Fault) {
    guard let began, let position = try position() else { return }
    let due = max(Int(position.frame) - played, 0)
    let count = min(due, queue.count)
    try writer.write(queue[..<count])
    queue.removeFirst(count)
    played += count
    if due > count {
      underruns += 1
      self.began = began + .seconds(Double(due - count) / Double(standardRate))
    }
  }

  public func takeBack() -> Int {
    try? play()
    defer { queue = [] }
    return queue.count
  }

  public func position() throws(Fault) -> StreamPosition? {
    let now = uptime()
    return began.map {
      StreamPosition(uptime: now, frame: (now - $0).inSeconds * Double(standardRate))
    }
  }

  public func close() {
    // space() has reported a full disk.
    try? play()
    queue = []
    began = nil
    try? writer.updateHeader()
  }
}
