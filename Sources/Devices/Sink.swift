import Basics
import Horology

/// Which frame leaves the converter at which moment.
public struct StreamPosition: Hashable, Sendable {
  public let uptime: Uptime
  /// Counted from the first frame that was written since the sink was opened; with a fraction,
  /// and negative before that frame.
  public let frame: Double
}

/// Takes sound in real time: a speaker, or a file instead of one. While it is open it is fed at an
/// interval, with as many frames as it takes.
public protocol Sink: AnyObject {
  var name: String { get }

  /// - Returns: frames per second.
  /// - Throws: `Fault` if it is absent, busy or unfit; the sink is closed then.
  func open() throws(Fault) -> Int

  /// It holds enough for several of these intervals.
  var feedInterval: Duration { get }

  /// The most frames that it holds and may take back.
  var capacity: Int { get }

  /// How many frames it takes now without waiting.
  func space() throws(Fault) -> Int

  /// Takes mono frames, full scale is 1; `block` holds no more than there is space for.
  func write(_ block: UnsafeBufferPointer<Float>) throws(Fault)

  /// Takes back, from the end, as many of the frames that have not reached the converter as it can.
  /// - Returns: how many; 0 if the device cannot. A sink that may have to be silent at once then
  ///   holds only a little.
  func takeBack() -> Int

  /// How often the device has run out of frames since it was opened.
  var underruns: Int { get }

  /// The frame that leaves the converter now; nil until the device runs.
  func position() throws(Fault) -> StreamPosition?

  /// Frees the device, and drops what has not been played.
  func close()
}
