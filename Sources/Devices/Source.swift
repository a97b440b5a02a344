import Basics

/// Somewhere that sound comes from as time passes: a microphone.
///
/// While open it is read at an interval, as many frames as there are.
public protocol Source: AnyObject {
  /// How it is called in messages.
  var name: String { get }

  /// Takes the device, which runs from now on.
  /// - Returns: frames per second.
  /// - Throws: `Fault` if it is absent, busy or unfit; the source is closed then.
  func open() throws(Fault) -> Int

  /// How often it wants to be read while it is open; it holds enough for several times that.
  var readInterval: Duration { get }

  /// Gives the mono frames that there are, without waiting; full scale is 1.
  /// - Returns: how many; fewer than the block holds if there are no more now.
  /// - Throws: `Fault` if the device is gone.
  func read(into block: UnsafeMutableBufferPointer<Float>) throws(Fault) -> Int

  /// How often frames were lost since it was opened, for they were not read in time.
  var overruns: Int { get }

  /// Frees the device.
  func close()
}
