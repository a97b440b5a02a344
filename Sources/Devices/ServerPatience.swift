import Basics
import CClocksmith
@preconcurrency import Glibc

/// Limits the wait for a sound server, or for a pipe's reader, to some seconds.
///
/// ALSA's plugins wait for the answer of a sound server for half a minute, or forever. When they
/// open a pipe, they wait for its reader. Here the connection is ended instead, and the waiting
/// call fails.
struct ServerPatience {
  /// A slow device takes three seconds to open; nothing may be held up for five.
  private static let milliseconds: Int32 = 4_000

  /// The sockets of the plugin that was opened.
  private var own = clocksmith_sockets()

  /// Opens a device and configures it. A device that cannot be used is released.
  /// - Throws: what `configure` throws, or that the server does not answer, or that it took too
  ///   long.
  mutating func opening<Value>(
    _ device: PCMDevice, release: (OpaquePointer) -> Void,
    _ configure: (OpaquePointer) throws(Fault) -> Value
  ) throws(Fault) -> (pcm: OpaquePointer, Value) {
    var others = clocksmith_sockets()
    clocksmith_sockets_find(&others, nil)
    let (result, hasRunOut) = withUnsafePointer(to: others) { others in
      Self.limited(device, only: nil, others: others) { () throws(Fault) in
        let pcm = try device.open()
        do throws(Fault) {
          return (pcm, try configure(pcm))
        } catch {
          // Within the time limit, because closing may wait for the server too.
          release(pcm)
          throw error
        }
      }
    }
    let opened = try result.get()
    // The plugin that writes into a file reports success even if it has no file. A card that says
    // that it is open is open, however slow it was.
    if hasRunOut && PCMDevice.card(of: opened.0) == nil {
      release(opened.0)
      throw Self.waitsInVain(device)
    }
    clocksmith_sockets_find(&own, &others)
    return opened
  }

  func calling<Result>(
    _ device: PCMDevice, _ body: () throws(Fault) -> Result
  ) throws(Fault) -> Result {
    // A device without a server waits for nobody.
    guard own.count > 0 else { return try body() }
    return try withUnsafePointer(to: own) { own in
      Self.limited(device, only: own, others: nil, body).result
    }.get()
  }

  private static func limited<Value>(
    _ device: PCMDevice, only: UnsafePointer<clocksmith_sockets>?,
    others: UnsafePointer<clocksmith_sockets>?, _ body: () throws(Fault) -> Value
  ) -> (result: Result<Value, Fault>, hasRunOut: Bool) {
    clocksmith_patience_begin(only, others, milliseconds)
    let result: Result<Value, Fault>
    do throws(Fault) {
      result = .success(try body())
    } catch {
      result = .failure(error)
    }
    let hasRunOut = clocksmith_patience_end()
    guard hasRunOut, case .failure(let fault) = result else { return (result, hasRunOut) }
    if fault.code == EINTR { return (.failure(waitsInVain(device)), true) }
    let silence = Fault(
      "\(device.direction) \(device.name)", code: ETIMEDOUT,
      "its sound server does not answer; \(device.remedy)")
    return (.failure(silence), true)
  }

  private static func waitsInVain(_ device: PCMDevice) -> Fault {
    Fault(
      "\(device.direction) \(device.name)", code: ETIMEDOUT,
      "it takes more than \(milliseconds / 1000) s to open, as a pipe does that nobody has opened at "
        + "its other end; do that first, or \(device.remedy)")
  }
}
