import Basics
import CClocksmith
@preconcurrency import Glibc

/// Holds what waits for a sound server to some seconds.
///
/// ALSA's plugins wait for the answer of a sound server for half a minute, or for ever. Here the
/// connection is ended instead, and what waited fails.
struct ServerPatience {
  /// A device that is slow to open takes three seconds; nothing may be held up for five.
  private static let milliseconds: Int32 = 4_000

  /// The sockets of the plugin that was opened.
  private var own = clocksmith_sockets()

  /// Opens a device.
  /// - Throws: what `body` throws, or that the server does not answer.
  mutating func opening<Result>(
    _ device: PCMDevice, _ body: () throws(Fault) -> Result
  ) throws(Fault) -> Result {
    var others = clocksmith_sockets()
    clocksmith_sockets_find(&others, nil)
    let result = try withUnsafePointer(to: others) { others in
      Self.limited(device, only: nil, others: others, body)
    }.get()
    clocksmith_sockets_find(&own, &others)
    return result
  }

  /// Calls upon a device that is open.
  func calling<Result>(
    _ device: PCMDevice, _ body: () throws(Fault) -> Result
  ) throws(Fault) -> Result {
    // A device without a server waits for nobody.
    guard own.count > 0 else { return try body() }
    return try withUnsafePointer(to: own) { own in
      Self.limited(device, only: own, others: nil, body)
    }.get()
  }

  private static func limited<Value>(
    _ device: PCMDevice, only: UnsafePointer<clocksmith_sockets>?,
    others: UnsafePointer<clocksmith_sockets>?, _ body: () throws(Fault) -> Value
  ) -> Result<Value, Fault> {
    clocksmith_patience_begin(only, others, milliseconds)
    let result: Result<Value, Fault>
    do throws(Fault) {
      result = .success(try body())
    } catch {
      result = .failure(error)
    }
    let hasRunOut = clocksmith_patience_end()
    guard hasRunOut, case .failure = result else { return result }
    return .failure(
      Fault(
        "\(device.direction) \(device.name)", code: ETIMEDOUT,
        "its sound server does not answer; \(device.remedy)"))
  }
}
