import Horology
import Sound

/// Which frame leaves the converter at which moment.
public struct StreamPosition: Hashable, Sendable {
  public let uptime: Uptime
  /// Counted from the first frame that was written since the sink was opened; with a fraction,
  /// and negative before that frame.
  public let frame: Double

  public init(uptime: Uptime, frame: Double) {
    self.uptime = uptime
    self.frame = frame
  }
}

/// What of a sink's descriptors is to be polled, as in `poll(2)`.
public struct PollRequest: Hashable, Sendable {
  public let descriptor: Int32
  /// `POLLIN`, `POLLOUT` and so on.
  public let events: Int16
}

/// Somewhere that takes sound as time passes: a speaker, or a file in its stead.
///
/// It is opened for an announcement and closed after it. While open, one of its descriptors
/// becomes ready whenever it can take more frames.
public protocol Sink: AnyObject {
  /// How it is called in messages.
  var name: String { get }

  /// Takes the device.
  /// - Returns: frames per second.
  /// - Throws: `Fault` if it is absent, busy or unfit; the sink is closed then.
  func open() throws(Fault) -> Int

  /// What to wait for while it is open.
  var pollRequests: [PollRequest] { get }

  /// How many frames it takes now without waiting.
  /// - Throws: `Fault` if the device is gone.
  func space() throws(Fault) -> Int

  /// Takes mono frames, full scale is 1; `block` holds no more than there is space for.
  /// - Throws: `Fault` if the device is gone or, for a file, full.
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault)

  /// What leaves the converter now; nil until it runs.
  func position() throws(Fault) -> StreamPosition?

  /// Frees the device, and drops what has not been played.
  func close()
}
