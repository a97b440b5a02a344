import Basics

/// Gives sound in real time: a microphone.
///
/// While it is open it is read at an interval, as many frames as there are.
public protocol Source: AnyObject {
  /// Its name in messages.
  var name: String { get }

  /// Opens the device and starts it.
  /// - Returns: frames per second.
  /// - Throws: `Fault` if it is absent, busy or unfit; the source is closed then.
  func open() throws(Fault) -> Int

  /// The interval at which it wants to be read while it is open. It holds enough for several
  /// intervals.
  var readInterval: Duration { get }

  /// Gives the mono frames that there are, without waiting; full scale is 1.
  /// - Returns: how many; fewer than the block holds if there are no more now.
  /// - Throws: `Fault` if the device is gone.
  func read(into block: UnsafeMutableBufferPointer<Float>) throws(Fault) -> Int

  /// How often frames were lost since it was opened, because they were not read in time.
  var overruns: Int { get }

  /// Frees the device.
  func close()
}
