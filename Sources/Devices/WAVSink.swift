import CLinux
@preconcurrency import Glibc
import Horology
import Sound

/// A WAV file that takes sound in real time, in a speaker's stead.
///
/// It holds what a speaker would have been given: announcement after announcement, without the
/// quiet between them. The file is whole whenever nothing plays.
public final class WAVSink: Sink {
  public let name: String
  private static let rate = 48_000
  /// As much as a sound card would buffer.
  private static let bufferFrames = 9600
  private static let tick = Duration.milliseconds(20)

  private let writer: SoundFileWriter
  private var timer: Int32 = -1
  private var openedAt = Uptime(nanoseconds: 0)
  private var written = 0

  /// Makes the file, or empties it.
  public init(path: String) throws(Fault) {
    name = path
    writer = try SoundFileWriter(path: path, rate: Self.rate, inPlace: true)
    try writer.updateHeader()
  }

  deinit {
    close()
  }

  public func open() throws(Fault) -> Int {
    let operation = "cannot pace \(name)"
    timer = try retryingInterrupts(operation) {
      timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    }
    let interval = timespec(tv_sec: 0, tv_nsec: Int(Self.tick.nanoseconds))
    var setting = itimerspec(it_interval: interval, it_value: interval)
    timerfd_settime(timer, 0, &setting, nil)
    openedAt = SystemClock.uptime
    written = 0
    return Self.rate
  }

  public var pollRequests: [PollRequest] {
    [PollRequest(descriptor: timer, events: Int16(POLLIN))]
  }

  public func space() throws(Fault) -> Int {
    var expirations: UInt64 = 0
    _ = read(timer, &expirations, MemoryLayout.size(ofValue: expirations))
    let played = position(at: SystemClock.uptime).frame
    return max(Int(played) + Self.bufferFrames - written, 0)
  }

  public func write(_ block: UnsafeBufferPointer<Float>) throws(Fault) {
    try writer.write(block)
    written += block.count
  }

  public func position() throws(Fault) -> StreamPosition? {
    position(at: SystemClock.uptime)
  }

  private func position(at uptime: Uptime) -> StreamPosition {
    StreamPosition(
      uptime: uptime, frame: (uptime - openedAt).inSeconds * Double(Self.rate))
  }

  public func close() {
    guard timer >= 0 else { return }
    Glibc.close(timer)
    timer = -1
    // A disk that is full has been reported by write().
    try? writer.updateHeader()
  }
}
